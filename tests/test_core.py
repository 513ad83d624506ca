"""Positions and drafts as values: playing, undoing, editing, naming, reading back, replacing rules."""

import pickle
import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import workbench as wb
from workbench.core.errors import Refused, RulesetError, WorkbenchError
from workbench.core.language import language
from workbench.core.ruleset import home
from workbench.core.runner import run
from workbench.core.vocabulary import cite, reading, rule

OMERTA = wb.load("omerta")
HAND = OMERTA.vary(play="hand")
READINGS = {n: list(p.readings) for n, p in OMERTA.ruleset.parameters.entries.items() if p.readings}


def played(draft, luck, picks):
    """The position after a move for each pick, taken round among the legal ones."""
    position = draft.start(luck=luck)
    for k in picks:
        if position.over:
            break
        position = position.play(position.legal[k % len(position.legal)])
    return position


@st.composite
def positions(draw):
    """A position of a random game under random readings."""
    readings = {n: draw(st.sampled_from(READINGS[n])) for n in draw(st.sets(st.sampled_from(sorted(READINGS)), max_size=4))}
    draft = OMERTA.vary(players=draw(st.sampled_from([3, 4])), **readings)
    return played(draft, draw(st.integers(0, 2**48 - 1)), draw(st.lists(st.integers(0, 40), max_size=60)))


quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# ---------------------------------------------------------------- values


def test_playing_makes_a_new_position_and_undo_goes_back():
    first = OMERTA.start(luck=7)
    before = first.data
    second = first.play(first.moves[0])
    assert first.data == before and second != first and second.undo() == first and second.undo() is first
    assert second.history[-1] is second and second.history[-2] is first and list(second) == second.history
    with pytest.raises(WorkbenchError, match="no move to take back"):
        first.undo()


def test_undo_takes_back_the_chance_moves_that_followed_by_themselves():
    last_choice = OMERTA.start(luck=7).play(*["omerta " + OMERTA.start(luck=7)["hand"][s].split()[0] for s in ("P0", "P1", "P2")])
    assert last_choice.to_move == "P3"
    drawn = last_choice.play(last_choice.moves[0])
    assert drawn.phase == "play" and drawn.previous.to_move == "chance" and drawn.undo() is last_choice
    assert [e.rule for e in drawn.events] == ["OM-S4", "OM-S6"], "what the decision and the draw after it brought about"
    assert [e.rule for e in drawn.own_events] == ["OM-S6"]


def test_equal_positions_are_equal_and_hash_alike_however_they_came_to_be():
    a, b = OMERTA.start(luck=7), wb.load("omerta", "draft6").start(luck=7)
    assert a == b and hash(a) == hash(b) and len({a, b}) == 1
    assert a != OMERTA.start(luck=8) and a != OMERTA.vary(hero_points=3).start(luck=7) and a != str(a)
    assert wb.read(str(a)) == a and not wb.read(str(a)).history[1:]


def test_several_moves_at_once_and_the_log_replays():
    p = played(HAND, 5, range(12))
    again = HAND.start(luck=None).play(*p.log)
    assert again == p and [by for by, _ in again.codes] == [by for by, _ in p.codes]


def test_pickle_keeps_the_position_its_history_and_what_follows():
    p = played(HAND, 5, range(9))
    q = pickle.loads(pickle.dumps(p))
    assert q == p and q.log == p.log and [x.data for x in q.history] == [x.data for x in p.history]
    assert q.play(q.moves[0]) == p.play(p.moves[0]), "also the luck that has not come up yet"
    poked = p.poke(points={"P0": 3})
    assert pickle.loads(pickle.dumps(poked)) == poked


def test_pickle_carries_replaced_rules_with_what_they_use():
    cell = {"worth": 4, "flat": reading("base", "flat")}
    exec("def extra(seat): return worth + seat\ndef hero(p, s, seat): return extra(seat) if p.base == flat else worth", cell)
    for draft in (HAND.replace(cell["hero"]), HAND.replace(cell["hero"]).vary(base="flat")):
        there = pickle.loads(pickle.dumps(draft))
        assert there == draft and there.new_rules == ["hero"] and there.label == draft.label
        ours, theirs = (run(d, games=8, engine="plain").info["score"] for d in (draft, there))
        assert np.array_equal(ours, theirs)


# ---------------------------------------------------------------- text


@quick
@given(positions())
def test_the_line_and_the_json_read_back(position):
    assert wb.read(str(position)) == position
    assert wb.read(position.to_json()) == position
    assert str(wb.read(str(position))) == str(position)


@quick
@given(positions(), st.integers(0, 3), st.integers(0, 2**40))
def test_what_a_seat_sees_is_all_that_a_resampled_position_keeps(position, seat, luck):
    who = position.draft.seat_names[seat % position.draft.players]
    there = position.resample(who, luck)
    assert there.seen_by(who).fields == position.seen_by(who).fields
    assert there == position.resample(who, luck)


def test_names_of_moves_are_forgiving_about_spaces_and_kinds():
    p = OMERTA.start(luck=7)
    card = p["hand"]["P0"].split()[2]
    assert p.play(card) == p.play(f"omerta {card}") == p.play(f"  omerta   {card} ")


def test_fields_have_names():
    p = OMERTA.start(luck=7)
    assert p["phase"] == p.phase == "omerta" and len(p["hand"]["P2"].split()) == 8 and p.fields()["round"] == 0
    assert p["omerta"] == {s: "-" for s in OMERTA.seat_names}


def test_a_position_shows_itself_in_a_notebook_in_both_languages():
    p = OMERTA.start(luck=7)
    assert "hand cards" in p._repr_html_() and str(p) in p._repr_html_()
    language("ja")
    assert "手札" in p._repr_html_()


# ---------------------------------------------------------------- editing


def test_poke_changes_what_is_named_and_works_out_the_rest():
    p = played(HAND, 5, range(4))
    seat, card = p.to_move, p.moves[0]
    after = p.play(card)
    assert after["highest"] > 0
    back = after.poke(played={seat: "-"}, hand={seat: p["hand"][seat]}, turn=seat)
    assert back["highest"] == 0 and back["family"] == "-", "derived fields follow"
    assert back.poked and back.previous is after and back["pile"] == after["pile"]


def test_poke_takes_a_table_a_list_or_a_text():
    p = OMERTA.start(luck=7)
    assert p.poke(points=[1, 2, 3, 4]) == p.poke({"points": {"P0": 1, "P1": 2, "P2": 3, "P3": 4}})
    a, b = (p["hand"][s].split() for s in ("P0", "P1"))
    swapped = p.poke(hand={"P0": ",".join([b[0], *a[1:]]), "P1": [a[0], *b[1:]]})
    assert b[0] in swapped["hand"]["P0"].split() and a[0] in swapped["hand"]["P1"].split()


def test_under_another_draft_the_same_position_follows_the_other_rules():
    p = played(HAND, 5, range(6))
    there = p.under(HAND.vary(scope="table"))
    assert there.draft.values["scope"] == "table" and there["hand"] == p["hand"] and there["highest"] >= p["highest"]
    with pytest.raises(WorkbenchError, match="number of players"):
        p.under(HAND.vary(players=3))


# ---------------------------------------------------------------- hidden information


def test_a_seat_sees_its_own_hand_and_how_many_the_others_hold():
    p = OMERTA.start(luck=7)
    seen = p.seen_by("P1")
    assert seen.fields["hand"]["P1"] == p["hand"]["P1"] and seen.fields["hand"]["P0"] == "?8"
    assert seen.log == ("deal",) and "7" not in " ".join(seen.log), "a luck number would tell everything"
    assert seen.moves == () and p.seen_by("P0").moves == tuple(p.moves)
    assert p.seen_by(None).fields["hand"] == {s: "?8" for s in OMERTA.seat_names}


def test_a_secret_move_shows_its_kind_only():
    p = OMERTA.start(luck=7)
    p = p.play(p.moves[0])
    assert p.seen_by("P0").log == tuple(["deal", p.log[1]]) and p.seen_by("P1").log == ("deal", "omerta")
    assert p.seen_by("P1").fields["omerta"]["P0"] == "?" and p.seen_by("P0").fields["omerta"]["P0"] == p["omerta"]["P0"]


def test_a_ruling_can_hide_a_field():
    p = OMERTA.vary(points_open="hidden").start(luck=7).poke(points={"P0": 3, "P1": 1})
    assert p.seen_by("P1").fields["points"] == {"P0": "?", "P1": 1, "P2": "?", "P3": "?"}


def test_resample_keeps_the_hand_and_moves_what_is_hidden():
    p = OMERTA.start(luck=7)
    others = {p.resample("P1", k) for k in range(20)}
    assert len(others) > 15 and all(q["hand"]["P1"] == p["hand"]["P1"] for q in others)


# ---------------------------------------------------------------- luck


def test_with_luck_chance_follows_by_itself_without_it_is_played_by_hand():
    byhand = OMERTA.start(luck=None)
    assert byhand.to_move == "chance" and byhand.moves == ["deal <luck>"] and byhand.legal == []
    assert byhand.play("deal 7") == OMERTA.start(luck=7)
    p = byhand.play("deal 7")
    for _ in range(4):
        p = p.play(p.moves[0])
    assert p.to_move == "chance" and p.moves == [f"start {s}" for s in OMERTA.seat_names]
    assert p.play("start P2").to_move == "P2" and p.play("P2").to_move == "P2"


def test_the_same_luck_gives_the_same_game_and_turning_turns_the_draw():
    starts = []
    for turned in range(4):
        p = OMERTA.start(luck=11, turned=turned)
        assert p["hand"] == OMERTA.start(luck=11)["hand"]
        for _ in range(4):
            p = p.play(p.moves[0])
        starts.append(int(p["leader"][1]))
    assert [(s - starts[0]) % 4 for s in starts] == [0, 1, 2, 3]


# ---------------------------------------------------------------- replacing rules


def hero_of_the_start_player(p, s, seat):
    """The name is set below, as a cell would have it."""
    if s.leader != seat:
        return 0
    cite(HERO, seat, 9)
    return 9


HERO = rule("OM-O6")
hero_of_the_start_player.__name__ = "hero"


def test_a_replaced_rule_changes_both_engines_and_leaves_the_old_draft_alone():
    before = run(HAND, games=400).info["score"].copy()
    digest, label = HAND.digest, HAND.label
    new = HAND.replace(hero_of_the_start_player)
    fast, slow = run(new, games=400).info["score"], run(new, games=400, engine="plain").info["score"]
    assert np.array_equal(fast, slow) and not np.array_equal(fast, before)
    assert np.array_equal(run(HAND, games=400).info["score"], before)
    assert (HAND.digest, HAND.label) == (digest, label) and new.label == "draft6[play=hand,+hero]"
    assert HAND.ruleset.functions["hero"] is OMERTA.ruleset.functions["hero"]


def test_a_draft_stays_as_it_was_when_a_later_cell_gives_its_names_another_meaning():
    cell: dict = {}
    exec("worth = 3\ndef extra(): return worth\ndef hero(p, s, seat): return extra()", cell)
    old = HAND.replace(cell["hero"])
    exec("worth = 30", cell)
    new = HAND.replace(cell["hero"])
    exec("def extra(): return 300", cell)
    newest = HAND.replace(cell["hero"])
    assert len({old.digest, new.digest, newest.digest}) == 3
    assert old.plain.hero(None, None, 0) == 3 and new.plain.hero(None, None, 0) == 30 and newest.plain.hero(None, None, 0) == 300


def test_a_rule_inside_a_function_may_use_its_numbers_and_nothing_else():
    number, helper = 3, lambda: 3

    def hero(p, s, seat):
        return number

    assert HAND.replace(hero).plain.hero(None, None, 0) == 3

    def peace(p, s, seat):
        return helper()

    with pytest.raises(RulesetError, match="test_core.py:[0-9]+: the rule “peace” uses “helper” of the function around it"):
        HAND.replace(peace)


def test_a_line_of_a_replaced_draft_reads_back_while_the_draft_lives():
    new = HAND.replace(hero_of_the_start_player)
    p = new.start(luck=3)
    assert wb.read(str(p)) == p and wb.read(p.to_json()).draft == new


def test_a_draft_file_can_replace_a_rule(tmp_path):
    folder = tmp_path / "mine"
    shutil.copytree(home("rulesets") / "omerta", folder)
    (folder / "bold.py").write_text("from workbench.core.vocabulary import cite, rule\n\nHERO = rule('OM-O6')\n\n\n"
                                    "def hero(p, s, seat):\n    cite(HERO, seat, 5)\n    return 5\n", "utf-8")
    with (folder / "drafts.toml").open("a", encoding="utf-8") as f:
        f.write('\n[drafts.bold]\nbase = "draft6"\nrules = "bold.py"\ntitle = {en = "Bold", ja = "大胆"}\n')
    bold = wb.load(folder, "bold")
    assert bold.plain.hero(None, None, 0) == 5 and bold.new_rules == [] and bold.label == "bold"
    assert wb.load(folder).plain.hero is not bold.plain.hero and bold.digest != wb.load(folder).digest
    p = bold.start(luck=1)
    assert wb.read(str(p)) == p


# ---------------------------------------------------------------- drafts


def test_vary_makes_another_draft():
    mild = OMERTA.vary(base="flat", played_bonus=2)
    assert OMERTA.values["base"] == "order" and mild.changes == {"base": "flat", "played_bonus": 2}
    assert mild.label == "draft6[played_bonus=2,base=flat]" and mild.vary(alias="mild").label == "mild"
    assert mild.vary(base="order", played_bonus=1) == OMERTA and mild.players == 4 and mild.vary(players=3).players == 3
    assert wb.load("omerta", base="flat", played_bonus=2) == mild


def test_digests_differ_exactly_when_the_game_does():
    same = [OMERTA, wb.load("omerta", "draft6"), OMERTA.vary(), OMERTA.vary(alias="mine"), OMERTA.vary(hero_points=3).vary(hero_points=2),
            pickle.loads(pickle.dumps(OMERTA))]
    assert len({d.digest for d in same}) == 1 and len(set(same)) == 1
    assert wb.load("omerta", "draft6-omerta4-all").digest == OMERTA.vary(omerta4="failed_all").digest
    other = [OMERTA, OMERTA.vary(hero_points=3), OMERTA.vary(players=3), OMERTA.vary(scope="table"), wb.load("omerta", "proposed"),
             OMERTA.replace(hero_of_the_start_player), OMERTA.replace(hero_of_the_start_player).vary(hero_points=3)]
    assert len({d.digest for d in other}) == len(other)

    def twice(k):
        def hero(p, s, seat):
            return k
        return OMERTA.replace(hero).digest

    assert twice(1) == twice(1) != twice(2)


def test_a_changed_file_is_read_again(tmp_path):
    folder = tmp_path / "omerta"
    shutil.copytree(home("rulesets") / "omerta", folder)
    old = wb.load(folder)
    assert wb.load(folder).ruleset is old.ruleset
    text = (folder / "params.toml").read_text("utf-8")
    (folder / "params.toml").write_text(text.replace("[params.hero_points]\nvalue = 2", "[params.hero_points]\nvalue = 4"), "utf-8")
    new = wb.load(folder)
    assert new.values["hero_points"] == 4 and new.digest != old.digest and old.values["hero_points"] == 2


# ---------------------------------------------------------------- citing


def test_refusals_and_events_speak_both_languages():
    p = played(HAND, 5, range(4))
    seat = p.to_move
    other = next(c for s in HAND.seat_names if s != seat for c in p["hand"][s].split())
    refusal = p.why_not(other)
    assert refusal.rule == "OM-P1" and "not one of your hand cards" in str(refusal) and str(refusal).endswith("[OM-P1]")
    event = p.play(p.moves[0]).events[0]
    assert event.sentence("en").startswith(f"{seat} opens the round with ") and event.sentence("ja").startswith(f"{seat}が")
    language("ja")
    assert str(refusal).startswith(f"{other}: そのカードは手札にありません。") and "でラウンドを始めました" in str(event)
    assert "ファミリースート" in HAND.rule("OM-P2") and "family suit" in HAND.rule("OM-P2", "en")
    assert p.why_not(p.moves[0]) is None
    with pytest.raises(Refused, match="手札にありません"):
        p.play(other)


def test_score_winners_and_forced_moves():
    p = HAND.start(luck=5)
    assert p.winners == () and set(p.score.values()) == {0}
    while not p.over:
        p = p.play(p.legal[0])
    assert p.moves == [] and p.legal == [] and p.winners and not p.forced and max(p.score.values()) == p.score[p.winners[0]]
    assert any(q.forced for q in p.history)

"""The shared checks hold for every ruleset found, and each of them can fail."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.checks import CHECKS, check, write_transcripts
from workbench.core import dispatch, hidden
from workbench.core.draft import load, named_drafts, players_of
from workbench.core.errors import OutOfRange, RulesetError, UnknownName
from workbench.core.language import language
from workbench.core.ruleset import folders, load_ruleset

HERE = Path(__file__).parent
FOUND = {**folders(), "bids": HERE / "rulesets" / "bids"}
RECORDED = {"examples", "transcripts"}
"""What compares with results written down: every change of play changes them too."""
COMPILED = {"engines", "rulings"}


@pytest.fixture(autouse=True)
def english():
    before = language()
    language("en")
    yield
    language(before)


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("ruleset", FOUND)
def test_every_ruleset_passes(ruleset, name):
    rules = load_ruleset(FOUND[ruleset])
    # every reading of every ruling takes minutes for a large game: here one game each in one draft, by `workbench check` in all
    some = {"games": 1, "drafts": [named_drafts(rules)["default"]], "players": rules.players[-1]} if name == "rulings" else {"games": 3}
    report = check(FOUND[ruleset], only=[name], **some)
    assert report.ok, str(report)
    assert len(report.rows) == (1 if CHECKS[name].whole or name == "rulings" else sum(len(players_of(rules, d)) for d in named_drafts(rules)["drafts"]))


IN_BOUNDS = """
import sys
from workbench.core import runner
from workbench.core.draft import load
from workbench.core.errors import RulesetError
from workbench.core.ruleset import load_ruleset

for folder in sys.argv[1:]:
    rules = load_ruleset(folder)
    d = load(folder, players=rules.players[-1])
    bots = (["random", *rules.bots] * d.players)[: d.players]
    runner.run(d, games=200, bots=bots, cached=False)

def hero(p, s, seat):
    return s.played[s.players + s.round]

try:
    runner.run(load("omerta", players=3).replace(hero), games=200, cached=False)
except RulesetError as e:
    assert "s.played[s.players + s.round]" in str(e), e
    print("the compiled engine looked at its bounds")
"""


def test_compiled_engine_stays_in_bounds():
    """Once with every index looked at, which compiled code does without otherwise; last a rule that breaks them."""
    done = subprocess.run([sys.executable, "-c", IN_BOUNDS, *map(str, FOUND.values())], capture_output=True, text=True,
                          env={**os.environ, "NUMBA_BOUNDSCHECK": "1"}, cwd=HERE.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the compiled engine looked at its bounds\n"


# ---------------------------------------------------------------- each check can fail


class Broken:
    """A copy of Omerta with something wrong in it."""

    count = 0

    def __init__(self, tmp_path):
        Broken.count += 1
        self.folder = tmp_path / f"broken{Broken.count}"
        shutil.copytree(FOUND["omerta"], self.folder, ignore=shutil.ignore_patterns("__pycache__"))

    def edit(self, file, old, new, *, count=1):
        path = self.folder / file
        text = path.read_text("utf-8")
        assert old in text, f"{file} has changed: {old!r} is not in it"
        path.write_text(text.replace(old, new, count), "utf-8")
        return self

    def check(self, only=None, **options):
        names = set(CHECKS) - COMPILED - RECORDED if only is None else set(only)
        return check(self.folder, only=names, drafts=["draft6"], players=options.pop("players", 3), games=4, **options)


@pytest.fixture
def broken(tmp_path):
    return Broken(tmp_path)


def assert_reports(report, expected, *needles, also=()):
    """Exactly these checks failed (``also``: these may), and the report says so usefully."""
    failed = {r.check for r in report.failures}
    assert set(expected) <= failed <= set(expected) | set(also), str(report)
    text = "\n".join(f for r in report.failures if r.check in expected for f in r.failures)
    for needle in needles:
        assert re.search(needle, text), f"{needle!r} is not in:\n{text}"


PLACE = r"draft \w+:draft6@3  luck \d+  seats turned \d\n  \w+:draft6@3 phase="


def test_a_crash_is_a_failure_of_each_check_that_plays(broken):
    broken.edit("rules.py", "def do_omerta(p, s, card):\n", "def do_omerta(p, s, card):\n    s.hand[9] = 0\n")
    report = broken.check(only=set(CHECKS) - COMPILED)
    assert {r.check for r in report.rows if r.ok} == {"text"}
    assert all("IndexError" in f for r in report.failures if r.check != "examples" for f in r.failures), str(report)


def test_a_sound_copy_passes(broken):
    write_transcripts(load_ruleset(broken.folder))  # the copy has another name
    report = broken.check(only=set(CHECKS) - COMPILED)
    assert report.ok, str(report)


def test_a_leaking_field(broken):
    broken.edit("rules.py", "    winner=flag(", '    hint=count_of(0, 8, per="seat", en="hint", ja="ヒント"),\n    winner=flag(')
    broken.edit("rules.py", "    s.omerta[s.turn] = card\n", "    s.omerta[s.turn] = card\n    s.hint[s.turn] = number(card)\n")
    assert_reports(broken.check(), {"redaction"}, r"P\d can tell the secret moves “omerta \w\d” and “omerta \w\d” apart: fields\[hint\]\[P\d\]", PLACE)


def test_a_leaking_event(broken):
    broken.edit("rules.py", "    cite(OM_S4, s.turn)\n", "    cite(OM_S4, s.turn, card)\n")
    broken.edit("say.toml", 'en = "{seat} puts a card face down."', 'en = "{seat} puts {n:card} face down."')
    broken.edit("say.toml", 'ja = "{seat}は、カードを1枚裏向きに置きました。"', 'ja = "{seat}は{n:card}を置きました。"')
    assert_reports(broken.check(), {"redaction"}, "apart: events", PLACE)


def test_a_leaking_log(broken):
    broken.edit("game.toml", "secret = true\n", "")
    # the move is open then, so its owner's card is known; what leaks is told by the next check that looks
    broken.edit("rules.py", 'sees="owner", en="face-down omerta"', 'sees="all", en="face-down omerta"')
    assert broken.check(only=["redaction"]).ok


def test_a_field_worked_out_from_hidden_pieces(broken):
    broken.edit("rules.py", "    out=flag(", '    lows=count_of(0, 32, derived=True, en="low cards", ja="小さい札"),\n    out=flag(')
    broken.edit("rules.py", "    s.highest = 0\n    for who in seats(s):\n        if s.played", "    s.highest = 0\n    s.lows = 0\n    for who in seats(s):\n        for each in cards(s.hand[who] & 0x03030303):\n            s.lows += 1 + who\n        if s.played")
    assert_reports(broken.check(only=["redaction"]), {"redaction"}, r"fields\[lows\]", PLACE)


def test_an_uncited_id(broken):
    for lang, sentence in (("en", "A rule that nothing enforces."), ("ja", "何も実行しないルール。")):
        broken.edit(f"rules.{lang}.md", "- **OM-X1**", f"- **OM-Z9** {sentence}\n- **OM-X1**")
    assert_reports(broken.check(), {"text"}, r"rules\.en\.md:\d+: OM-Z9 is not cited by any code")


def test_an_id_listed_though_cited(broken):
    broken.edit("game.toml", 'uncited = [', 'uncited = ["OM-P5", "OM-Q1", ')
    assert_reports(broken.check(), {"text"}, "lists OM-P5, which the code does cite", "lists OM-Q1, which has no rule text")


def test_a_missing_translation(broken):
    path = broken.folder / "rules.ja.md"
    path.write_text("".join(x for x in path.read_text("utf-8").splitlines(True) if "**OM-R2**" not in x), "utf-8")
    assert_reports(broken.check(), {"text"}, r"rules\.ja\.md: OM-R2 is missing; it stands in .*rules\.en\.md:\d+",
                   "OM-R2 is cited but has no text in “ja”")


def test_ids_in_another_order(broken):
    text = (broken.folder / "rules.ja.md").read_text("utf-8")
    a, b = (re.search(rf"^- \*\*{id}\*\*.*$", text, re.M)[0] for id in ("OM-P1", "OM-P2"))
    (broken.folder / "rules.ja.md").write_text(text.replace(a, "@").replace(b, a).replace("@", b), "utf-8")
    assert_reports(broken.check(), {"text"}, "another order .*expected OM-P1, met OM-P2")


def test_a_sentence_in_one_language(broken):
    broken.edit("say.toml", 'ja = "第{n}ラウンドが終わりました。"', 'ja = "ラウンドが終わりました。"')
    broken.edit("params.toml", 'ja = "英雄の得点"', 'ja = ""')
    assert_reports(broken.check(), {"text"}, r'\[events\."OM-R1"\] has other slots', r"\[params\.hero_points\] has a text in one language only")


def test_legal_and_forbids_disagree(broken):
    broken.edit("rules.py", "    return playable(s)\n", "    return playable(s) & ~2\n")
    assert_reports(broken.check(), {"legal"}, "no rule forbids A2, but it is missing from the list of legal moves", PLACE, also={"ends"})


def test_a_refusal_without_a_rule(broken):
    broken.edit("rules.py", "    return OM_P5 if", "    return 999 if")
    assert_reports(broken.check(only=["legal"]), {"legal"}, "is refused with 999, which is no rule")


def test_a_legal_move_that_does_not_apply(broken):
    broken.edit("rules.py", "def do_play(p, s, card):\n", "def do_play(p, s, card):\n    if card == 20:\n        s.hand[40] = 0\n")
    assert_reports(broken.check(only=["legal"]), {"legal"}, "C5", "IndexError", r"rules\.py:\d+, in do_play: s\.hand\[40\]")


def test_a_doubled_card(broken):
    broken.edit("rules.py", "    me = s.turn\n    s.hand[me] ^= bit(card)\n", "    me = s.turn\n    if number(card) != 3:\n        s.hand[me] ^= bit(card)\n")
    assert_reports(broken.check(), {"ends"}, r"[AIC]3 stands in more than one place: hand\[P\d\], p", PLACE)


def test_a_lost_card(broken):
    broken.edit("rules.py", "            s.pile[each] |= bit(s.played[each])\n", "")
    assert_reports(broken.check(), {"ends"}, r"\w\d is nowhere", PLACE)


def test_a_negative_index(broken):
    broken.edit("rules.py", "def do_play(p, s, card):\n", "def do_play(p, s, card):\n    kept = s.pile[s.turn - 1]\n")
    assert_reports(broken.check(), {"ends"}, r"IndexError: index -1 in a row of 4", r"rules\.py:\d+, in do_play: kept = s\.pile", PLACE)


def test_a_bot_with_a_negative_index(broken):
    broken.edit("bots.py", "    weak = 0\n    for family", "    weak = s.pile[seat - 1] & 0\n    for family")
    assert_reports(broken.check(), {"ends"}, "IndexError", r"bots\.py:\d+, in weak_spots")


def test_a_game_that_stops(broken):
    broken.edit("rules.py", "return OM_P7 if playable(s) else ALLOWED", "return OM_P7 if playable(s) else OM_P6")
    assert_reports(broken.check(), {"ends"}, r"P\d has no legal move, though the game is not over", PLACE, also={"legal"})


def test_a_game_that_does_not_end(broken, monkeypatch):
    monkeypatch.setattr("workbench.checks.walks.CAP", 300)
    broken.edit("rules.py", "    elif somebody_won(s) or name_winner(p, s):\n", "    elif somebody_won(s):\n")
    broken.edit("rules.py", "    elif s.hands >= p.max_hands:\n", "    elif s.hands >= 900:\n")
    assert_reports(broken.check(only=["ends"]), {"ends"}, "has not ended after 300 decisions")


def test_a_number_out_of_range(broken):
    broken.edit("rules.py", "drops=count_of(0, 4000,", "drops=count_of(0, 1,")
    assert_reports(broken.check(only=["ends"]), {"ends"}, r"drops is 2; it can be 0\.\.1", PLACE)


def test_asking_changes_the_state(broken):
    broken.edit("rules.py", "def forbids_out(p, s):\n", "def forbids_out(p, s):\n    s.drops += 1\n")
    assert_reports(broken.check(), {"immutable"}, "asking “legal” changed the state", PLACE)


def test_a_rule_that_writes_into_the_parameters(broken):
    broken.edit("rules.py", "    s.round = 0\n    s.family", "    p.hero_points += 1\n    s.round = 0\n    s.family")
    assert_reports(broken.check(), {"immutable"}, "a rule wrote into the parameters p", also={"replay"})


def test_moves_that_share_a_name(broken):
    broken.edit("game.toml", 'name = "omerta {0}"', 'name = "hide"')
    assert_reports(broken.check(), {"replay"}, r"named “hide”, which reads back as another move", PLACE)


def test_a_rule_that_writes_outside_the_game(broken):
    broken.edit("rules.py", "    s.round = 0\n    s.family", "    s.points[3] = 5\n    s.round = 0\n    s.family")
    assert_reports(broken.check(), {"notation"}, "line reads back as another position", "JSON reads back as another position", PLACE)


def test_a_derived_field_kept_wrong(broken):
    broken.edit("rules.py", "        s.highest = max(s.highest, number(card))\n    next_turn", "        s.highest = number(card)\n    next_turn")
    assert_reports(broken.check(), {"derived"}, r"highest: \d / \d", PLACE, also={"redaction", "resample", "bots", "notation"})


def test_no_resampling_agrees(broken):
    broken.edit("rules.py", "def somebody_won(s):", "def may_hold(p, s, seat, card):\n    return False\n\n\ndef somebody_won(s):")
    assert_reports(broken.check(only=["ends", "resample", "bots"]), {"resample"}, "No deal of the hidden cards agrees")


def test_resampling_that_never_varies(broken, monkeypatch):
    monkeypatch.setattr(hidden, "resample", lambda position, seat, luck: position)
    assert_reports(broken.check(), {"resample"}, "no position resampled for P0 differs from the real one", PLACE)


def test_resampling_that_contradicts_what_was_seen(broken, monkeypatch):
    real = hidden.resample
    monkeypatch.setattr(hidden, "resample", lambda position, seat, luck: real(position, None, luck))
    assert_reports(broken.check(only=["resample"]), {"resample"}, r"resampled for P\d does not look to it as the real one does: fields\[hand\]")


def test_a_bot_that_peeks(broken, monkeypatch):
    """Bots get a redacted copy, so a bot can peek only where that is broken."""
    real = dispatch.chooser
    monkeypatch.setattr(dispatch, "chooser", lambda bots: real(bots).replace("    redact(p, view, who)\n", ""))
    broken.edit("bots.py", "    liking = -4 * weak_spots", "    liking = s.hand[s.turn - 1 if s.turn > 0 else s.players - 1] % 97 * (1 + card % 5) - 4 * weak_spots")
    assert_reports(broken.check(), {"bots"}, r"the bot heuristic plays \w\d, but \w\d when only unseen pieces change", PLACE)


def test_engines_that_part(broken):
    # beyond 63 bits the plain engine goes on counting and the compiled one does not
    broken.edit("rules.py", "    s.hands += 1\n", "    s.hands += 1 if (1 << 60 + s.round) > 0 else 2\n")
    assert_reports(broken.check(only=["engines"]), {"engines"}, r"the engines part in game \d", "after the move", r"hands: \d+ / \d+", PLACE)


def test_engines_that_cannot_compile(broken):
    broken.edit("rules.py", "    s.hands += 1\n", "    s.hands += len({1: s.round}.get('x', [1]))\n")
    assert_reports(broken.check(only=["engines"]), {"engines"}, r"rule “end_hand”, .*rules\.py:\d+: s\.hands \+= len")


def test_a_reading_that_breaks(broken):
    broken.edit("rules.py", "        if p.scope == WHOLE_TABLE:\n            for card", "        if p.scope == WHOLE_TABLE:\n            s.highest = s.pile[s.players + 4]\n            for card")
    report = broken.check(only=["rulings", "ends", "legal", "derived"])
    assert_reports(report, {"rulings"}, r"scope = table, ends: .*IndexError", r"scope = table, legal:")


# ---------------------------------------------------------------- examples and transcripts


def test_a_wrong_example(broken):
    write_transcripts(load_ruleset(broken.folder))
    broken.edit("examples.toml", 'fields.gained = "5 5 8"', 'fields.gained = "5 6 8"')
    report = broken.check(only=set(CHECKS) - COMPILED)
    line = next(i for i, x in enumerate((broken.folder / "examples.toml").read_text("utf-8").splitlines(), 1) if "5 6 8" in x)
    assert_reports(report, {"examples"}, rf"examples\.toml:{line}: OME-1 \[.*\]: gained\[P1\]: expected 6, met 5", "draft6@3 phase=over")


def test_a_rule_without_an_example(broken):
    path = broken.folder / "examples.toml"
    text = path.read_text("utf-8")
    start = text.index('[[example]]\nid = "OME-117"')
    path.write_text(text[:start] + text[text.index("[[example]]", start + 5):], "utf-8")
    broken.edit("examples.toml", 'seen_by.P0.points = {P0 = 1, P1 = "?", P2 = "?"}\nseen_by.-.points = {P0 = "?", P1 = "?", P2 = "?"}', "fields.points.P0 = 1")
    assert_reports(broken.check(only=["examples"]), {"examples"}, "no example in which OMQ-25 acts",
                   "the examples of points_open = hidden hold under every other reading too")


def test_a_reading_without_an_example(broken):
    broken.edit("examples.toml", 'changes = {curtain_loss = "match"}', "changes = {hero_points = 2}")
    broken.edit("examples.toml", 'events = ["OMQ-15 P3 9"]\nscore = {P3 = 0}', "score = {P3 = 5}")
    assert_reports(broken.check(only=["examples"]), {"examples"}, "no example names curtain_loss = match")


def test_a_changed_transcript(broken):
    write_transcripts(load_ruleset(broken.folder))
    broken.edit("transcripts/draft6.txt", "chance: deal 1", "chance: deal 2")
    (broken.folder / "transcripts" / "old.txt").write_text("", "utf-8")
    assert_reports(broken.check(only=set(CHECKS) - COMPILED), {"transcripts"},
                   r"draft6\.txt:3: the game goes differently now: expected “1\. chance: deal 2”, met “1\. chance: deal 1”",
                   "renew it with `workbench check broken\\d+ --write-transcripts`", r"old\.txt: no draft of this name")


def test_a_missing_transcript(broken):
    (broken.folder / "transcripts" / "draft6.txt").unlink()
    assert_reports(broken.check(only=["transcripts"]), {"transcripts"}, r"draft6\.txt: no transcript; write it with")


def test_a_change_of_play_shows_in_the_transcript(broken):
    write_transcripts(load_ruleset(broken.folder))
    broken.edit("params.toml", "[params.conspiracy_points]\nvalue = 1", "[params.conspiracy_points]\nvalue = 2")
    assert_reports(broken.check(only=["transcripts"]), {"transcripts"}, "expected “P0: Conspiracy, \\+1 VP|expected “P\\d: Conspiracy, \\+1 VP")


# ---------------------------------------------------------------- the report and its call


def test_report_in_both_languages():
    report = check("omerta", only=["text", "ends"], drafts=["draft6"], players=3, games=1)
    assert "All 2 checks passed." in str(report)
    assert "random games end and keep every piece" in str(report)
    language("ja")
    assert "2件の検査すべてに合格しました。" in str(report)
    assert "ランダムなゲームが終わり" in str(report)
    doc = json.loads(report.to_json())
    assert doc["ok"] is True
    assert doc["rows"][1] == {"ruleset": "omerta", "draft": "draft6", "players": 3, "check": "ends", "ok": True,
                              "failures": [], "seconds": report.rows[1].seconds}


def test_every_title_is_in_both_languages():
    for c in CHECKS.values():
        assert c.title["en"] and c.title["ja"] and c.title["en"] != c.title["ja"]


def test_progress_and_filters():
    seen = []
    report = check("omerta", only=["ends", "legal"], drafts=["draft6", "proposed"], games=1,
                   progress=lambda done, total, row: seen.append((done, total, row.check)))
    assert [s[:2] for s in seen] == [(i, 8) for i in range(1, 9)]
    assert {(r.draft, r.players) for r in report.rows} == {(d, n) for d in ("draft6", "proposed") for n in (3, 4)}


def test_a_changed_draft_can_be_checked():
    def hero(p, s, seat):
        return 0

    d = load("omerta", players=3).replace(hero, alias="no hero")
    report = check("omerta", drafts=[d], only=["ends", "notation", "replay"], players=3, games=2)
    assert report.ok and {r.draft for r in report.rows} == {"no hero"}


def test_one_check_on_one_draft():
    assert CHECKS["ends"].run(load("omerta", players=3), games=1) == []


def test_what_cannot_be_checked():
    with pytest.raises(UnknownName, match="no check “end”.*Did you mean “ends”"):
        check("omerta", only=["end"])
    with pytest.raises(UnknownName, match="draft"):
        check("omerta", drafts=["draft7"], only=["ends"])
    with pytest.raises(OutOfRange, match="3 to 4"):
        check("omerta", players=5)
    with pytest.raises(OutOfRange, match="1 or more"):
        check("omerta", games=0)
    with pytest.raises(RulesetError, match="no such file of examples"):
        from workbench.checks import read_examples

        read_examples("nowhere.toml")
    assert not check("omerta", only=["ends"], drafts=[], games=1).ok  # nothing checked is no success


def test_examples_of_another_file(tmp_path):
    path = tmp_path / "more.toml"
    path.write_text('[[example]]\nid = "X"\nrules = ["OM-P1"]\nplayers = 3\ngiven.phase = "play"\ngiven.leader = "P0"\n'
                    'given.turn = "P0"\ngiven.hand.P0 = "A5"\nmoves = ["A5"]\nfields.highest = 5\n', "utf-8")
    assert check("omerta", only=["examples"], examples=path).ok
    path.write_text(path.read_text("utf-8").replace("highest = 5", "highest = 6"), "utf-8")
    assert "highest: expected 6, met 5" in str(check("omerta", only=["examples"], examples=[path]))

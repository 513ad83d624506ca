"""What follows a node, its charts, and the bench around the table (controls without a toolkit)."""

import json
import threading
import time

import numpy as np
import pytest

import workbench as wb
from workbench.core.errors import OutOfRange
from workbench.ui import nodecharts
from workbench.ui.bench import BUTTON, CHOICE, CONTROLS, TABS, Bench
from workbench.ui.benchbar import listed
from workbench.ui.open import session_of
from workbench.ui.playouts import by_move, playouts, replayed, summary
from workbench.ui.session import Session

LUCK = 3


@pytest.fixture
def start():
    return wb.load("omerta").start(luck=LUCK)


@pytest.fixture
def bench(tmp_path):
    b = Bench(Session(wb.load("omerta"), luck=LUCK, lang="en"), autosave=tmp_path / "auto.jsonl")
    b.values["games"] = 400
    yield b
    b.close()


def waited(bench):
    until = time.monotonic() + 120
    while bench.busy and time.monotonic() < until:
        time.sleep(0.01)
    assert not bench.busy
    return bench


# ---------------------------------------------------------------- playouts


@pytest.mark.parametrize("bot", ["random", "heuristic"])
def test_each_playout_can_be_stepped_through_and_ends_as_counted(start, bot):
    found = playouts(start, bot, 300)
    for n in (0, 1, 150, 299):
        end = found.game(n)
        assert end.over and list(end.score.values()) == found.scores[n].tolist()
        assert start in end.history
    with pytest.raises(OutOfRange):
        found.game(300)


def test_playouts_are_those_of_the_plain_engine_and_reproducible(start):
    a, b = playouts(start, "heuristic", 40), playouts(start, "heuristic", 40, engine="plain")
    assert np.array_equal(a.scores, b.scores) and np.array_equal(a.won, b.won)
    assert not np.array_equal(a.scores, playouts(start, "heuristic", 40, luck=2).scores)


def test_distributions_add_up_and_bars_lead_to_their_games(start):
    found = playouts(start, "random", 500)
    for seat in found.seats:
        bars = found.distribution(seat)
        assert sum(n for *_, n in bars) == 500 and abs(sum(b[1] for b in bars) - 1) < 1e-9
        assert all(lo <= share <= hi for _, share, lo, hi, _ in bars)
        for score, *_, n in bars[:3]:
            games = found.games_with(seat, score)
            assert len(games) == n and all(found.game(g).score[seat] == score for g in games[:2])
    rows = summary(found, found)
    assert [r["seat"] for r in rows] == list(found.seats) and all(r["win_change"] == 0 for r in rows)
    assert abs(sum(r["win"] for r in rows) - 1) < 1e-9


def test_hidden_cards_are_dealt_anew_as_the_seat_would_judge(start):
    found = playouts(start, "random", 400, unseen_by="P0")
    hands = {p["hand"]["P1"] for p in found.start}
    assert len(found.start) > 100 and len(hands) > 50 and {p["hand"]["P0"] for p in found.start} == {start["hand"]["P0"]}
    end = found.game(399)
    assert list(end.score.values()) == found.scores[399].tolist() and end.history[0] == found.start[int(found.deal[399])]
    other = start.resample("P0", 12345)
    again = playouts(other, "random", 400, unseen_by="P0")
    assert {p["hand"]["P0"] for p in again.start} == {start["hand"]["P0"]}


def test_each_legal_move_on_the_same_luck_best_first(start):
    found = by_move(start, "heuristic", 200)
    assert sorted(found) == sorted(start.moves)
    wins = [p.win("P0").value for p in found.values()]
    assert wins == sorted(wins, reverse=True)
    move = next(iter(found))
    assert np.array_equal(found[move].scores, playouts(start.play(move), "heuristic", 200).scores)
    assert by_move(wb.load("omerta").start(luck=None), "random", 10) == {}


def test_playouts_stop_and_say_so(start):
    stop, seen = threading.Event(), []

    def progress(done, whole):
        seen.append((done, whole))
        stop.set()

    found = playouts(start, "random", 10_000, progress=progress, stop=stop)
    assert found.stopped and found.games == seen[0][0] < 10_000 and seen[0][1] == 10_000
    assert "stopped" in nodecharts.origin(found, "en") and "停止" in nodecharts.origin(found, "ja")


def test_a_finished_game_has_playouts_too(start):
    end = replayed(start, "random", 1, 0)
    found = playouts(end, "random", 10)
    assert end.over and (found.scores == list(end.score.values())).all()


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_charts_are_small_and_whole(start, lang):
    found, parent = playouts(start, "random", 500), playouts(start.previous, "random", 500)
    spec = nodecharts.scores(found, parent, lang).to_dict()
    rows = next(iter(spec["datasets"].values()))
    bars = [r for r in rows if r.get("value") is not None]
    assert len(bars) == sum(len(found.distribution(s)) for s in found.seats) < 200
    assert sum(r["n"] for r in bars) == 4 * 500 and any(r.get("parent") for r in rows)
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    assert ("破線" in json.dumps(spec, ensure_ascii=False)) == (lang == "ja")
    assert [p["name"] for p in spec["params"]] == [nodecharts.SELECTION]
    moves = nodecharts.moves(by_move(start, "random", 50), "P0", lang).to_dict()
    assert [r["move"] for r in next(iter(moves["datasets"].values()))] != []


# ---------------------------------------------------------------- the bench


def test_every_control_has_a_name_in_both_languages_and_stands(bench):
    for lang in ("en", "ja"):
        bench.session.speak(lang)
        for c in CONTROLS:
            state = bench.state(c)
            assert state["label"] and (c.kind != CHOICE or state["value"] is None or state["value"] in [v for _, v in state["options"]])
            assert c.kind != BUTTON or callable(getattr(bench, f"press_{c.id}"))
        assert all(bench.text(f"tab.{t}") for t in TABS)


def test_the_bar_steps_looks_and_speaks(bench):
    heard = []
    bench.listen(lambda: heard.append(1))
    bench.press("bot_move")
    bench.press("bot_move")
    assert bench.session.here.depth == 3 and heard
    bench.set("at", 1)
    assert bench.session.here.depth == 1
    bench.set("at", 3)
    bench.press("first")
    bench.press("last")
    assert bench.session.here.depth == 3
    bench.set("seat", "P2")
    bench.set("lang", "ja")
    assert (bench.session.seat, bench.session.lang) == ("P2", "ja")
    bench.set("luck", 77)
    bench.press("deal")
    assert bench.session.position.log == ["deal 77"]
    bench.press("bot_end")
    assert waited(bench).session.position.over


def test_edits_are_gathered_tried_and_kept(bench):
    p = bench.session.position
    a, b = p["hand"]["P0"].split()[0], p["hand"]["P1"].split()[0]
    bench.set("field", "hand")
    assert [x["id"] for x in bench.value_form()] == [f"hand/P{i}" for i in range(4)]
    bench.set_input("hand/P0", p["hand"]["P0"].replace(a, b))
    assert "✗" in bench.value_pending() and b in bench.value_pending() and bench.value_form()[0]["fault"]
    bench.press("keep_edit")
    assert bench.session.position == p and b in bench.message
    bench.set_input("hand/P1", p["hand"]["P1"].replace(b, a))
    assert "✓" in bench.value_pending()
    bench.press("keep_edit")
    assert b in bench.session.position["hand"]["P0"] and bench.edits == {}
    bench.press("undo_edit")
    assert bench.session.position == p
    bench.set("piece", f"card {b}")
    assert ("hand cards P3", "hand P3") in bench.options_to()
    bench.set("to", "hand P3")
    bench.press("move_piece")
    assert b in bench.session.position["hand"]["P3"] and "is 9" in bench.message


def test_numbers_rulings_and_drafts_make_branches(bench):
    bench.set("parameter", "hero_points")
    bench.set_input("=/hero_points", 4)
    bench.press("change")
    assert bench.session.draft.changes == {"hero_points": 4}
    bench.set("parameter", "base")
    assert {k for _, k in bench.value_parameter_form()[0]["options"]} == {"order", "flat"}
    bench.press("change")
    assert bench.message
    bench.set("named_draft", "proposed")
    bench.press("open_draft")
    assert bench.session.draft.name == "proposed" and not bench.session.draft.changes


def test_the_tree_is_named_listed_compared_and_pruned(bench):
    for _ in range(3):
        bench.press("bot_move")
    bench.set("name", "here")
    bench.set("comment", "why")
    assert any("“here”" in text and "✎" in text for text, _ in bench.options_node())
    bench.press("back")
    bench.session.play(next(m for m in bench.session.position.moves if m != bench.session.here.last.position.log[-1]))
    assert sum("└" in text for text, _ in bench.options_node()) == 1
    other = next(v for text, v in bench.options_other() if "└" in text)
    bench.set("other", other)
    assert bench.value_difference().startswith("• ")
    bench.press("delete")
    bench.press("undelete")
    bench.press("promote")
    bench.set("node", other)
    assert bench.session.here.id == other


def test_a_long_tree_lists_a_window_with_where_one_stands():
    s = Session(wb.load("omerta"), luck=LUCK)
    s.bot_move("random", to_end=True)
    for depth in (0, 20, s.here.depth):
        node = s.tree.line(s.tree.nodes[max(s.tree.nodes)])[depth]
        found = listed(node, "en")
        assert node.id in [i for _, i in found] and 0 in [i for _, i in found] and len(found) < 400
        assert sum(text.startswith("▶") for text, _ in found) <= 1


def test_what_follows_is_played_shown_brushed_and_opened(bench):
    bench.press("bot_move")
    bench.press("run")
    assert waited(bench).message == "" and bench.current.games == 400
    chart = bench.value_chart()
    assert chart is bench.value_chart() and "P0: wins" in bench.value_summary() and "against the position before" in bench.value_summary()
    bar = bench.options_brushed()[2][1]
    seat, score = bar.split()
    for said in ([{"seat": seat}, {"score": int(score)}], [{"seat": seat, "score": int(score)}], {"seat": [seat], "score": [int(score)]}):
        bench.values["brushed"] = ""
        bench.brushed(said)
        assert bench.values["brushed"] == bar
    for said in (None, [], {}, [{"seat": "P9", "score": 1}], [1, 2], [{"seat": seat}]):
        bench.brushed(said)
        assert bench.values["brushed"] == bar
    games = bench.options_game()
    bench.set("game", games[0][1])
    node = bench.session.here
    bench.press("open_game")
    assert bench.session.here.parent is node and bench.session.here.name
    bench.press("last")
    assert bench.session.position.over and bench.session.position.score[seat] == int(score)
    bench.session.jump(node.id)
    bench.set("unseen", "P1")
    bench.press("run")
    waited(bench)
    bench.set("game", bench.options_game()[0][1] if bench.options_game() else 0)
    bench.values["brushed"], bench.values["game"] = bench.options_brushed()[0][1], 7
    bench.press("open_game")
    assert bench.session.here.how == "poke" and bench.session.position["hand"]["P1"] == node.position["hand"]["P1"]
    bench.session.jump(node.id)
    bench.press("run_moves")
    waited(bench)
    assert len(bench.moves) == len(node.position.moves) and bench.value_chart() is not chart


def test_a_rule_that_cannot_be_compiled_is_played_on_the_slower_engine_and_said(tmp_path):
    draft = wb.load("omerta")

    def hero(p, s, seat):
        return "{}".format(seat).count("x")  # noqa: UP030, UP032 - what cannot be compiled

    b = Bench(Session(draft.replace(hero), luck=LUCK, lang="en"), autosave=False)
    b.values["games"] = 30
    b.press("run")
    waited(b)
    assert b.current is not None and b.current.engine == "plain" and "hero" in b.message and "slower engine" in b.message


def test_saving_and_opening(bench, tmp_path):
    bench.press("bot_move")
    bench.set("file", str(tmp_path / "kept" / "tree.jsonl"))
    bench.press("save")
    assert str(tmp_path / "kept") in bench.message
    lines = bench.session.lines()
    bench.press("bot_move")
    bench.press("open")
    assert bench.session.lines() == lines and session_of(tmp_path / "kept" / "tree.jsonl").lines() == lines
    bench.set("file", str(tmp_path))
    bench.press("save")
    assert "Could not write" in bench.message
    bench.set("file", str(tmp_path / "none.jsonl"))
    bench.press("open")
    assert "none.jsonl" in bench.message and bench.session.lines() == lines


def test_a_saved_game_opens_as_a_table(tmp_path, start):
    path = start.play(start.moves[0]).save(tmp_path / "game.jsonl")
    s = session_of(path)
    assert s.position.log == ["deal 3", start.moves[0]] and s.here.depth == 2

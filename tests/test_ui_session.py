"""The controller without a GUI: playing, stepping, editing, branching, keeping; and the wire to a browser."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import workbench as wb
from workbench.core.errors import DamagedFile, WorkbenchError
from workbench.ui.autosave import Autosave
from workbench.ui.session import Session
from workbench.ui.tree import Tree
from workbench.ui.treefile import is_tree, lines_of, open_tree
from workbench.ui.wire import Wire

HERE = Path(__file__).parent


@pytest.fixture
def session():
    return Session(wb.load("omerta"), luck=3, lang="en")


def words(result):
    return result.ok, result.kind


# ---------------------------------------------------------------- playing


def test_submit_answers_legal_stale_refused_unknown_malformed_and_other_seats(session):
    before = session.position
    move = before.moves[0]
    assert words(session.submit(move, session.version)) == (True, "done")
    assert session.position == before.play(move) and session.version == 1
    assert words(session.submit(session.position.moves[0], 0)) == (False, "stale")
    assert words(session.submit(session.position.moves[0], True)) == (False, "stale")
    assert words(session.submit("nonsense", 1)) == (False, "unknown")
    for bad in (None, 7, "", "x" * 201, ["A1"], {"a": 1}):
        assert words(session.submit(bad, 1)) == (False, "malformed")
    session.look("P0")
    assert words(session.submit(session.position.moves[0], session.version)) == (False, "not_yours")
    assert session.position == before.play(move)


def test_a_refused_move_names_its_rule_in_the_language_of_the_table(session):
    while session.position.phase != "play":
        session.play(session.position.moves[0])
    wrong = next(c for c in session.position["hand"]["P1"].split())
    result = session.play(wrong)
    assert (result.ok, result.kind, result.rule) == (False, "refused", "OM-P1")
    session.speak("ja")
    assert "手札にありません" in session.play(wrong).text
    assert session.view()["said"] == session.play(wrong).text


def test_two_clicks_at_once_exactly_one_is_accepted(session):
    answers = []
    version, moves = session.version, session.position.moves[:8]
    gate = threading.Barrier(8)

    def click(move):
        gate.wait()
        answers.append(session.submit(move, version))

    threads = [threading.Thread(target=click, args=(m,)) for m in moves]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(a.kind for a in answers) == ["done"] + ["stale"] * 7
    assert session.here.depth == 2


def test_stepping_back_and_forward_comes_the_same_way_and_keeps_the_trunk(session):
    session.bot_move("heuristic", to_end=True)
    end = session.here
    assert session.position.over and session.bot_move("random").kind == "over"
    session.first()
    assert session.here is session.tree.root
    session.last()
    assert session.here is end
    session.back(5)
    while len(session.position.moves) < 2:
        session.back()
    fork = session.here
    other = next(m for m in session.position.moves if fork.last.position.log[-1] != m)
    session.play(other)
    branch = session.here
    session.back()
    session.forward()
    assert session.here is branch and fork.children[0] in session.tree.line(end)
    session.play("zzz")
    assert len(fork.children) == 2 and end.id in session.tree.nodes
    session.jump(end.id)
    assert session.here is end and session.jump(10**6).kind == "unknown"


def test_bots_play_reproducibly_and_can_be_stopped(session):
    other = Session(wb.load("omerta"), luck=3)
    session.bot_move("heuristic", to_end=True)
    other.bot_move("heuristic", to_end=True)
    assert session.position == other.position
    stopped, stop = Session(wb.load("omerta"), luck=3), threading.Event()
    stopped.bot_move("random", to_end=True, stop=stop, progress=lambda n: stop.set() if n == 5 else None)
    assert not stopped.position.over and sum(n.how == "move" for n in stopped.tree.walk()) == 5
    assert stopped.bot_move("clever").kind == "unknown"


def test_choosing_luck_for_a_deal_makes_a_branch(session):
    session.play(session.position.moves[0])
    first = session.here
    assert session.deal(99).ok
    assert session.position["hand"] == wb.load("omerta").start(luck=None).play("deal 99")["hand"]
    assert first.id in session.tree.nodes and len(session.tree.root.children) == 2
    by_hand = Session(wb.load("omerta"), luck=None)
    assert by_hand.position.to_move == "chance" and by_hand.deal(5).ok and by_hand.position.log == ["deal 5"]
    assert Session(by_hand.position.poke(round=0)).deal(-1).ok is False


def test_hot_seat_hides_hands_until_the_next_one_is_ready(session):
    session.hot_seat(True)
    cards = session.position["hand"]["P0"].split()
    assert not any(c in json.dumps(session.view()["zones"]) for c in cards) and session.view()["handover"]
    assert session.submit(f"omerta {cards[0]}", session.version).kind == "not_yours"
    session.ready()
    assert session.seat == "P0" and cards[0] in json.dumps(session.view()["zones"])
    assert session.submit(f"omerta {cards[0]}", session.version).ok
    assert session.seat == "-" and not any(c in json.dumps(session.view().data) for c in cards)
    session.hot_seat(False)
    assert session.seat == "designer"


def test_listeners_hear_each_change_and_can_go(session):
    heard = []
    end = session.listen(lambda s: heard.append(s.version))
    session.play(session.position.moves[0])
    session.play("nonsense")
    end()
    session.back()
    assert heard == [1, 1]


# ---------------------------------------------------------------- editing


def test_editing_names_faults_at_the_field_and_notes_what_is_unusual(session):
    start = session.here
    gone = session.position["hand"]["P0"].split()[0]
    broken = session.poke({"hand": {"P0": "-"}})
    assert not broken.ok and {f for f, _ in broken.faults} == {"hand"} and any(gone in why for _, why in broken.faults)
    assert session.poke({"round": 99}).faults[0][0] == "round"
    assert session.poke({"turn": "P9"}).faults[0][0] == "turn"
    assert session.here is start
    card = session.position["hand"]["P1"].split()[0]
    moved = session.move_piece("card", card, "hand", "P0")
    assert moved.ok and any("is 9" in n for n in moved.notes) and card in session.position["hand"]["P0"]
    assert session.position.poked and session.view()["poked"] and session.here.how == "poke"
    assert session.move_piece("card", card, "nowhere").ok is False
    assert session.undo_poke().ok and session.here is start and not session.position.poked
    assert session.undelete().ok and session.position.poked
    session.back()
    assert session.undo_poke().kind == "error"


def test_trying_an_edit_keeps_nothing(session):
    a, b = (session.position["hand"][s].split()[0] for s in ("P1", "P2"))
    swap = {"hand": {"P1": session.position["hand"]["P1"].replace(a, b), "P2": session.position["hand"]["P2"].replace(b, a)}}
    before = len(session.tree.nodes)
    assert session.poke(swap, keep=False).ok and session.poke({"hand": {"P1": "A1"}}, keep=False).faults
    assert len(session.tree.nodes) == before and session.poke(swap).ok and len(session.tree.nodes) == before + 1


def test_other_drafts_and_numbers_are_branches(session):
    here = session.here
    assert session.under("proposed").ok and session.draft.name == "proposed" and session.here.how == "draft"
    assert session.here.parent is here
    session.back()
    assert session.vary(hero_points=5).ok and session.draft.changes == {"hero_points": 5}
    assert "2 → 5" in session.here.label("en") and "英雄" in session.here.label("ja")
    assert session.vary(hero_points=500).faults[0][0] == "hero_points"
    assert session.under("nothing").ok is False
    words_ = session.difference(here.id, session.here.id)
    assert words_ == ["points for Hero: 2 → 5"] and session.difference(here.id, here.id) == ["no difference"]


# ---------------------------------------------------------------- the tree


def test_promote_delete_and_bring_back(session):
    for _ in range(4):
        session.bot_move("random")
    trunk = session.here
    session.back(2)
    fork = session.here
    other = next(m for m in session.position.moves if m != fork.last.position.log[-1])
    session.play(other)
    branch = session.here
    session.promote()
    assert branch in session.tree.trunk() and fork.children[0] in session.tree.line(branch)
    nodes = dict(session.tree.nodes)
    session.jump(trunk.id)
    session.delete(trunk.parent.id)
    assert session.here is fork and trunk.id not in session.tree.nodes
    session.undelete()
    assert session.tree.nodes == nodes and fork.children[1] in session.tree.line(trunk)
    assert session.delete(0).ok is False
    with pytest.raises(WorkbenchError):
        Tree(session.position).undelete()


def test_a_move_made_again_is_the_same_node(session):
    move = session.position.moves[0]
    session.play(move)
    first = session.here
    session.back()
    session.play(move)
    assert session.here is first


def grown(n):
    """A tree of n nodes: long lines with branches."""
    pick, s = random.Random(1), Session(wb.load("omerta"), luck=3, lang="en")
    while len(s.tree.nodes) < n:
        if not s.position.legal:
            s.here = pick.choice(list(s.tree.nodes.values()))
            continue
        s._go(s.tree.extend(s.here, s.position.play(pick.choice(s.position.legal))))
    return s


def test_a_large_tree_saves_opens_and_steps(tmp_path):
    s = grown(5_000)
    s.name("the end", "a comment, ひとこと")
    path = s.save(tmp_path / "tree.jsonl")
    opened = open_tree(path)
    assert lines_of(opened.tree, opened.here) == s.lines() and opened.notes == ()
    assert opened.here.position == s.position and (opened.here.name, opened.here.comment) == ("the end", "a comment, ひとこと")
    assert [n.id for n in opened.tree.walk()] == [n.id for n in s.tree.walk()]
    assert len(list(opened.tree.walk())) == len(opened.tree.nodes) >= 5_000


def test_a_line_of_thousands_of_nodes_needs_no_recursion(tmp_path):
    s = Session(wb.load("omerta"), luck=3)
    node = s.tree.end
    for i in range(1_500):
        node = s.tree.add(node, node.position.poke(hands=i % 2))
    s._go(node)
    assert s.view()["depth"] == 1_501 and len(s.tree.line(node)) == 1_502
    opened = open_tree(s.save(tmp_path / "long.jsonl"))
    assert opened.here.depth == 1_501
    s.delete(s.tree.root.children[0].id)
    s.undelete()
    assert len(s.tree.nodes) == 1_502


# ---------------------------------------------------------------- keeping


def kept(tmp_path):
    s = Session(wb.load("omerta"), luck=3, lang="en")
    for _ in range(7):
        s.bot_move("heuristic")
    s.move_piece("card", s.position["hand"]["P1"].split()[0], "hand", "P0")
    s.under("proposed")
    s.bot_move("random")
    return s, s.save(tmp_path / "tree.jsonl")


def test_a_saved_tree_opens_everywhere(tmp_path, capsys):
    from workbench.cli import main

    s, path = kept(tmp_path)
    assert is_tree(path) and not is_tree(tmp_path)
    other = Session(wb.load("omerta"))
    assert other.open(path).ok and other.position == s.position and other.position.poked
    assert main(["replay", str(path), "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert str(s.position) in out and "edited" in out.lower()


@pytest.mark.parametrize("harm", ["cut", "letter", "move", "orphan", "foreign", "double", "format", "poke"])
def test_a_damaged_tree_is_refused_whole_with_line_and_reason(tmp_path, harm):
    s, path = kept(tmp_path)
    lines = path.read_text("utf-8").splitlines()
    at = 5
    if harm == "cut":
        lines = lines[:-2]
    elif harm == "letter":
        lines[at - 1] = lines[at - 1][:-1]
    elif harm == "move":
        lines[at - 1] = json.dumps({**json.loads(lines[at - 1]), "move": "omerta J8" if "J8" not in lines[at - 1] else "omerta A1"})
        lines[at - 1] = json.dumps({**json.loads(lines[at - 1]), "move": "out"})
    elif harm == "orphan":
        lines[at - 1] = json.dumps({**json.loads(lines[at - 1]), "of": 999})
    elif harm == "foreign":
        lines[0] = json.dumps({"workbench": "study"})
    elif harm == "double":
        lines[at - 1] = lines[at - 2]
    elif harm == "format":
        lines[0] = json.dumps({**json.loads(lines[0]), "format": 99})
    else:
        at = next(i for i, x in enumerate(lines, 1) if '"poke"' in x)
        doc = json.loads(lines[at - 1])
        lines[at - 1] = json.dumps({**doc, "to": doc["to"].replace("hand=", "hand=A9,")})
    path.write_text("\n".join(lines) + "\n", "utf-8")
    wb.language("en")
    with pytest.raises(DamagedFile) as e:
        open_tree(path)
    assert str(path) in str(e.value) and "Nothing was loaded" in str(e.value)
    if harm in ("letter", "move", "orphan", "double", "poke"):
        assert f":{at}:" in str(e.value)
    before = s.lines()
    assert s.open(path).kind == "damaged" and s.lines() == before


def test_a_tree_of_an_older_draft_opens_with_a_note(tmp_path):
    s, path = kept(tmp_path)
    path.write_text(path.read_text("utf-8").replace(s.tree.root.position.draft.digest, "0" * 12), "utf-8")
    wb.language("en")
    result = s.open(path)
    assert result.ok and any("another state of omerta:draft6@4" in n for n in result.notes)
    assert s.view()["said"].startswith("This game was saved")


def test_autosave_keeps_everything_and_replaces_in_one_step(tmp_path, session):
    keep = Autosave(session, tmp_path / "deep" / "auto.jsonl")
    session.play(session.position.moves[0])
    until = time.monotonic() + 20
    while keep.written == 0 and time.monotonic() < until:
        time.sleep(0.02)
    assert open_tree(keep.path).here.position == session.position
    session.bot_move("random")
    keep.close()
    assert open_tree(keep.path).here.position == session.position
    session.bot_move("random")
    assert open_tree(keep.path).here.position != session.position
    assert [p.name for p in keep.path.parent.iterdir()] == ["auto.jsonl"]


def test_autosave_says_why_it_cannot(tmp_path, session):
    (tmp_path / "file").write_text("x")
    keep = Autosave(session, tmp_path / "file" / "auto.jsonl")
    session.play(session.position.moves[0])
    keep.flush()
    assert "auto.jsonl" in keep.fault
    keep.close()


def test_a_killed_process_leaves_its_tree(tmp_path):
    code = ("import sys, time, workbench as wb\nfrom workbench.ui.session import Session\nfrom workbench.ui.autosave import Autosave\n"
            "s = Session(wb.load('omerta'), luck=3); k = Autosave(s, sys.argv[1]); s.play(s.position.moves[0])\n"
            "while not k.written: time.sleep(0.01)\nprint(s.position, flush=True); time.sleep(60)")
    path = tmp_path / "killed.jsonl"
    p = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    line = p.stdout.readline().strip()
    os.kill(p.pid, signal.SIGKILL)
    p.wait()
    assert str(open_tree(path).here.position) == line


# ---------------------------------------------------------------- the wire


@pytest.mark.parametrize("message", [
    None, [], "x", {}, {"seq": 1}, {"seq": "1", "act": "play"}, {"seq": True, "act": "play"}, {"seq": -1, "act": "back"}, {"seq": 2**60, "act": "back"},
    {"seq": 1, "act": "poke", "value": {}}, {"seq": 1, "act": ["play"]}, {"seq": 1, "act": "jump", "value": "0"}, {"seq": 1, "act": "play", "value": {"a": 1}, "version": 0},
    {"seq": 1, "act": "play", "value": "x" * 10**6, "version": 0}, {"seq": 1, "act": "play", "value": "omerta A1", "version": None}, {"seq": 1, "act": "back", "view": {}},
])
def test_what_is_no_message_changes_nothing_and_is_answered(session, message):
    wire = Wire(session)
    before, here = session.lines(), session.here
    result = wire.receive(message)
    assert not result.ok and result.text and session.view()["said"] == result.text
    assert session.lines() == before and session.here is here


def test_the_wire_counts_and_a_repeated_message_does_nothing(session):
    wire = Wire(session)
    message = {"seq": 1, "version": 0, "act": "play", "value": session.position.moves[0]}
    assert wire.receive(message).ok and session.here.depth == 2
    assert not wire.receive(message).ok and session.here.depth == 2
    assert wire.receive({"seq": 5, "act": "back", "value": 2}).ok and session.here.depth == 0
    assert wire.view()["seq"] == 5 and wire.receive({"seq": 6, "act": "forward", "value": 9}).ok and session.here.depth == 2
    assert wire.receive({"seq": 7, "act": "jump", "value": 1}).ok and session.here.id == 1
    sent = wire.view()
    assert json.loads(json.dumps(sent)) == sent and all(z["svg"].startswith("<svg") for z in sent["zones"])


def test_what_is_sent_for_a_seat_has_no_card_of_another(session):
    wire = Wire(session)
    hidden = session.position["hand"]["P1"].split()
    assert any(c in json.dumps(wire.view()) for c in hidden)  # the designer sees them: the control
    session.look("P0")
    text = json.dumps(wire.view(), ensure_ascii=False)
    assert not any(f">{c}<" in text or f'"{c}"' in text or f":{c}" in text for c in hidden)

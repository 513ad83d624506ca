"""The page that steps through a game of a table: a copy, with what was taken back, marked and thought along it."""

import gc
import json
import weakref

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("panel")

from workbench.core.draft import load  # noqa: E402
from workbench.playtest import store as stores  # noqa: E402
from workbench.playtest.designerpage import DesignerPage  # noqa: E402
from workbench.playtest.gamepage import GamePage  # noqa: E402
from workbench.playtest.told import long_thoughts, told  # noqa: E402
from workbench.ui.treefile import lines_of, open_tree, save_tree  # noqa: E402


@pytest.fixture
def played(lobby, monkeypatch):
    """A table whose people think 5 s, once 60 s, mark twice and take one step back."""
    now = [1000.0]
    monkeypatch.setattr(stores.time, "time", lambda: now[0])
    t = lobby.create(load("omerta"), luck=3)
    for s in t.state.seats:
        t.sit(s, f"Person {s}")
    t.start()
    for n in range(9):
        now[0] += 60 if n == 6 else 5
        seat, at = next(iter(t.state.asked.items()))
        assert t.submit(seat, at.moves[0], t.state.turn).ok
        if n == 5:
            t.mark("P1", "unfair", "<i>why</i>")
    t.mark("P2", "great", "")
    assert t.undo().ok
    now[0] += 5
    seat, at = next(iter(t.state.asked.items()))
    assert t.submit(seat, at.moves[-1], t.state.turn).ok
    return t


def shown(page, part):
    page.refresh()
    return page.shown[part]["items"]


def words(page, part):
    return json.dumps(shown(page, part), ensure_ascii=False)


def opened(t, number=1):
    return GamePage(t, t.state.games[number - 1])


def test_the_copy_holds_everything_and_what_counts_is_its_trunk(played):
    g = played.state.game
    before = lines_of(g.tree, g.here)
    tree, here = told(played, g)
    assert tree.nodes.keys() == g.tree.nodes.keys() and here is not g.here and here.position is g.here.position
    assert all(tree.nodes[i].position is n.position and tree.nodes[i].parent is not n.parent or n.parent is None for i, n in g.tree.nodes.items())
    line, node = tree.line(here), tree.root
    for n in line[1:]:
        assert node.children[0] is n
        node = n
    aside = [n for n in tree.walk() if n not in line]
    assert len(aside) == 1  # what was taken back
    assert [n.name for n in tree.walk() if n.name] == ["⚑", "⚑"] and "P1 [unfair] <i>why</i>" in [c for n in tree.walk() for c in n.comment.split("\n")]
    assert sum(n.comment.count(" s") for n in tree.walk()) == len(played.state.decisions) == 10
    assert lines_of(g.tree, g.here) == before  # the table's own tree has no word of it


def test_an_exported_tree_has_marks_and_thinking_times(played, tmp_path):
    tree, here = told(played, played.state.game)
    back = open_tree(save_tree(tree, here, tmp_path / "t.jsonl"))
    assert [(n.id, n.name, n.comment) for n in back.tree.walk()] == [(n.id, n.name, n.comment) for n in tree.walk()]
    assert any("60.0 s" in n.comment for n in back.tree.walk())


def test_stepping_branching_and_editing_leave_the_table_as_it_is(played):
    t, g = played, played.state.game
    before, version = lines_of(g.tree, g.here), t.state.version
    page = opened(t)
    s = page.session
    assert s.here is s.tree.root and s.last().ok and s.here.id == g.here.id  # forward follows what counts
    assert s.bot_move("random", to_end=True).ok and s.position.over
    s.first()
    s.name("mine", "my comment")
    s.forward(3)
    assert s.delete().ok and s.undelete().ok
    page.bench.table.move = {"seq": 1, "act": "play", "value": s.position.moves[-1], "version": s.version}
    assert len(s.tree.nodes) > len(g.tree.nodes)
    assert lines_of(g.tree, g.here) == before and t.state.version == version and t.state.here is g.here and not t.state.position.over
    page.close()


def test_the_place_says_what_was_marked_and_thought_there(played):
    page = opened(played)
    marked = played.state.marks[0]
    page.act(f"go {marked.node} 0", None)
    page.refresh()
    assert page.session.here.id == marked.node
    assert "P1 Person P1: This felt unfair. <i>why</i>" in words(page, "place") and "60.0 s" in words(page, "place") and f"Step {marked.depth}." in words(page, "place")
    page.session.forward()
    page.refresh()
    assert "unfair" not in words(page, "place") and "60.0 s" not in words(page, "place") and "5.0 s" in words(page, "place")
    aside = next(n for n in page.session.tree.walk() if n.id not in page.counted)
    page.session.jump(aside.id)
    page.refresh()
    assert "taken back" in words(page, "place")
    page.close()


def test_the_list_leads_to_each_mark_and_each_long_thought(played):
    page = opened(played)
    buttons = shown(page, "side")[0]["items"][0]["items"]
    told = [b["label"] for b in buttons if "⚑" in b["label"] or "60.0" in b["label"]]
    assert ["60.0" in x for x in told] == [False, True, False] and len(buttons) < len(played.state.decisions)
    for n, b in enumerate(buttons, 1):
        page.received("side", {"seq": n, "id": b["id"], "value": None})
        assert page.session.here.id == int(b["id"].split()[1])
    here = page.session.here
    for n, odd in enumerate(("go", "go x", "go 999999", "go -1", "go " + "9" * 50, "mark", "start"), 10):
        page.received("side", {"seq": n, "id": odd, "value": None})
        assert page.session.here is here and page.said["side"]
    page.picked([{"node": buttons[0]["id"].split()[1]}])  # not a number: nothing
    assert page.session.here is here
    page.picked([{"node": [int(buttons[0]["id"].split()[1])]}])
    assert page.session.here.id == int(buttons[0]["id"].split()[1])
    page.close()


def test_long_thoughts_are_far_above_the_median(played):
    thoughts = played.state.decisions
    assert [d.seconds for d in long_thoughts(thoughts)] == [15.0, 20.0, 60.0] and long_thoughts([]) == []
    assert long_thoughts([d for d in thoughts if d.seconds < 20 and d.depth > 6]) == []


def test_the_chart_shows_every_thought_and_mark(played):
    page = opened(played)
    spec = page.chart[0].object
    rows = {len(d): d for d in spec["datasets"].values()}
    assert sorted(r["seconds"] for r in rows[10])[-1] == 60.0 and {r["counts"] for r in rows[10]} == {0, 1}
    assert [r["text"] for r in rows[2]] == ["<i>why</i>", ""]
    page.close()


def test_the_page_speaks_both_languages_and_reads_and_writes_no_file(played):
    page = opened(played)
    for lang, word in (("en", "Marks and long thoughts"), ("ja", "印と長考")):
        page.session.speak(lang)
        page.refresh()
        assert word in words(page, "side") and (lang == "ja") == ("写し" in words(page, "sheet")) and page.drawn == lang
    assert page.bench.bench.autosave is None and "keep" not in page.bench._tab.options.values() and "tree" in page.bench._tab.options.values()
    page.bench._tab.options = {"x": "keep"}  # as a forged message would
    page.bench._tab.value = "keep"
    page.bench.refresh()
    assert "keep" not in page.bench._sheets and "save" not in page.bench._made
    page.close()


def test_the_designers_page_has_a_link_for_each_game_once_it_has_begun(lobby, played):
    fresh = lobby.create(load("omerta"))
    played.again(luck=4)
    links = {}
    for t in (played, fresh):
        d = DesignerPage(lobby, t, "KEY", "http://x")
        d.refresh()
        links[t.id] = [x["path"] for i in shown(d, "sheet") for x in i.get("items", []) if x["k"] == "go"]
        d.close()
    assert links == {played.id: [f"/d/KEY/{played.id}/1", f"/d/KEY/{played.id}/2"], fresh.id: []}


def test_closed_pages_are_let_go(played):
    before, made = len(played._listeners), []
    for _ in range(5):
        page = opened(played)
        page.bench.bench.stop.set()
        made.append(weakref.ref(page))
        page.close()
    del page
    import threading

    for x in threading.enumerate():
        if x.name == "workbench-warm":
            x.join(60)
    gc.collect()
    assert len(played._listeners) == before and sum(x() is not None for x in made) == 0

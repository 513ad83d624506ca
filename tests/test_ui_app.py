"""The notebook widget and the served app without a browser: what is pinned, what is refused, what is let go."""

import asyncio
import gc
import threading
import time
import urllib.request
import weakref

import pytest

import workbench as wb
from workbench.ui.session import Session

pytest.importorskip("ipywidgets")
pytest.importorskip("panel")


def test_what_is_private_in_panel_is_as_we_rely_on():
    from panel.reactive import Syncable

    from workbench.ui.app import PanelTable

    assert Syncable._debounce == 50 and PanelTable._debounce == 0  # milliseconds that Panel would wait with a click
    assert isinstance(PanelTable.__mro__[1]._linked_properties, property) and PanelTable()._linked_properties == ("move",)


def test_the_widget_takes_only_moves_and_lets_go_of_its_session():
    from workbench.ui.widget import TableWidget

    s = Session(wb.load("omerta"), luck=3)
    w = TableWidget(s)
    view = w.view
    w.set_state({"view": {"game": "forged"}, "layout": None, "_esm": "alert(1)"})
    assert w.view == view and "alert" not in w._esm
    w.set_state({"move": {"seq": 1, "version": 0, "act": "play", "value": s.position.moves[0]}})
    assert s.here.depth == 2 and w.view["seq"] == 1 and w.view["version"] == 1
    w.close()
    assert s._listeners == []
    there = weakref.ref(w)
    del w
    gc.collect()
    assert there() is None


def test_a_bench_in_a_notebook_stores_a_picture_and_closes_whole(tmp_path):
    bench = wb.play(wb.load("omerta"), luck=3, lang="ja", autosave=tmp_path / "t.jsonl")
    data, _ = bench._repr_mimebundle_()
    assert data["image/svg+xml"].startswith("<svg") and data["text/plain"].startswith("オメルタ · draft6") and "application/vnd.jupyter.widget-view+json" in data
    buttons = {b.description: b for b in bench._made.values() if hasattr(b, "click")}
    buttons["ボットで1手"].click()
    assert bench.position.log[-1].startswith("omerta") and bench.session.here.depth == 2
    bench._made["lang"].value = "en"
    assert "Bot: one move" in {b.description for b in bench._made.values() if hasattr(b, "click")}
    bench._made["seat"].value = "P2"
    assert bench._tabs.layout.display == "none"
    bench._made["seat"].value = "designer"
    bench._tabs.selected_index = 1
    assert bench._tabs.layout.display == "" and len(bench._made["form"].children) == 1
    bench._made["field"].value = "hand"
    assert [x.description for x in bench._made["form"].children] == ["P0", "P1", "P2", "P3"]
    bench.close()
    assert bench.session._listeners == [] and (tmp_path / "t.jsonl").exists()


class Running:
    """A server in a thread of this process."""

    def __init__(self, session, folder, lifetime):
        from browser.table import free_port

        from workbench.ui.serve import server

        self.port, started = free_port(), threading.Event()

        def run():
            asyncio.set_event_loop(asyncio.new_event_loop())
            self.server = server(session, folder / "table.jsonl", port=self.port, lifetime=lifetime)
            self.server.start()
            self.server.io_loop.add_callback(started.set)
            self.server.io_loop.start()

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        assert started.wait(60)
        self.url = f"http://127.0.0.1:{self.port}/"

    def stop(self):
        self.server.workbench_autosave.close()
        self.server.io_loop.add_callback(self.server.stop)
        self.server.io_loop.add_callback(self.server.io_loop.stop)
        self.thread.join(20)


PAGES = 300


def test_opened_and_closed_pages_leave_nothing_behind(tmp_path, monkeypatch):
    from workbench.ui import app

    made = []
    first = app.PanelBench.__init__

    def init(self, *args, **kwargs):
        first(self, *args, **kwargs)
        made.append(weakref.ref(self))

    monkeypatch.setattr(app.PanelBench, "__init__", init)
    session = Session(wb.load("omerta"), luck=3)
    running = Running(session, tmp_path, lifetime=300)
    try:
        before = len(session._listeners)
        for _ in range(PAGES):
            with urllib.request.urlopen(running.url) as r:
                assert b"bokeh" in r.read()
        assert len(made) == PAGES
        until = time.monotonic() + 60
        while (len(session._listeners) > before or any(x() for x in made)) and time.monotonic() < until:
            time.sleep(0.2)
            gc.collect()
        assert len(session._listeners) == before and sum(x() is not None for x in made) == 0
    finally:
        running.stop()


def test_a_page_that_cannot_be_made_shows_one_sentence_and_no_values(tmp_path, monkeypatch, capsys):
    from workbench.ui import app

    def fails(self, *args, **kwargs):
        raise ValueError("secret value")

    monkeypatch.setattr(app.PanelBench, "__init__", fails)
    running = Running(Session(wb.load("omerta")), tmp_path, lifetime=300)
    try:
        with urllib.request.urlopen(running.url) as r:
            text = r.read().decode()
        assert "secret value" not in text and "Traceback" not in text
    finally:
        running.stop()
    assert "secret value" in capsys.readouterr().err

"""Pages whose connection is lost or that slept: they come back by themselves with the true state, and a click works."""

import selectors
import socket
import threading

import pytest

pytest.importorskip("sqlalchemy")

from rawclient import Client, apart  # noqa: E402
from test_playtest_faults import Servers  # noqa: E402

from browser.playtests import NoPage, choose, opened  # noqa: E402
from browser.table import free_port, until  # noqa: E402


class Wire:
    """What lies between a browser and the server: can be cut, and mended."""

    def __init__(self, to):
        self.to, self.pairs, self.whole = to, {}, True
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.chosen = selectors.DefaultSelector()
        self.chosen.register(self.listening, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while self.chosen.get_map():
            for key, _ in self.chosen.select(0.05):
                if key.fileobj is self.listening:
                    self._joined(self.listening.accept()[0])
                elif key.fileobj in self.pairs:
                    try:
                        data = key.fileobj.recv(1 << 16)
                        self.pairs[key.fileobj].sendall(data)
                    except OSError:
                        data = b""
                    if not data:
                        self._part(key.fileobj)
            if not self.whole:
                for s in list(self.pairs):
                    self._part(s)

    def _joined(self, mine):
        if not self.whole:
            return mine.close()
        try:
            theirs = socket.create_connection(("127.0.0.1", self.to))
        except OSError:
            return mine.close()
        self.pairs |= {mine: theirs, theirs: mine}
        for s in (mine, theirs):
            self.chosen.register(s, selectors.EVENT_READ)

    def _part(self, one):
        if one not in self.pairs:
            return
        for s in (one, self.pairs.pop(one)):
            self.pairs.pop(s, None)
            self.chosen.unregister(s)
            s.close()

    def close(self):
        self.whole = False
        self.chosen.unregister(self.listening)
        self.listening.close()
        self.thread.join(10)


@pytest.fixture
def wired(tmp_path):
    """A server, and a wire to it under an address that it knows."""
    servers, port = Servers(tmp_path), free_port()
    wire = Wire(port)
    servers.start(port, origins=[f"127.0.0.1:{wire.port}"])
    yield servers, port, wire
    wire.close()
    servers.close()


@pytest.mark.parametrize("asleep", [False, True])
def test_a_page_that_was_cut_off_or_slept_comes_back_with_the_true_state_and_a_click_works(wired, watch, asleep):
    servers, port, wire = wired
    t = servers.table(("P0", "P1", "P2", "P3"))
    p = opened(watch, servers.link(wire.port, t, "P0"), viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True).page
    p.locator(".wb-moves button[data-m]").first.wait_for()
    cdp = p.context.new_cdp_session(p)
    if asleep:
        cdp.send("Page.setWebLifecycleState", {"state": "frozen"})
    wire.whole = False

    async def meanwhile():
        """The others choose; the page that is away has long been let go of."""
        others = [await Client(servers.link(port, t, s)).open() for s in ("P1", "P2", "P3")]
        for c in others:
            await c.until(lambda c=c: c.view["moves"])
        await others[0].until(lambda: "Person P0 ●" not in others[0].words)
        for c in others:
            assert (await c.play())[0] == ""
            c.close()

    apart(meanwhile())
    until(NoPage, lambda: not wire.pairs)
    wire.whole = True
    if asleep:
        cdp.send("Page.setWebLifecycleState", {"state": "active"})
    until(p, lambda: "Still choosing: P0" in why(p) and "P1" not in why(p), 60)
    choose(p)
    assert "P0" in {e.seat for e in t.store.events(t.id) if e.what == "choose"}
    until(p, lambda: "play a card" in why(p))


def why(page):
    """What the table says; "" while the page loads itself anew."""
    found = page.locator(".wb-why")
    return found.first.inner_text() if found.count() else ""

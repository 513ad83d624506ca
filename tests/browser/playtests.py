"""What the browser tests of playtests share: the server as a process, pages at its tables, and what can be asked of them."""

import re
import time

from browser.table import Served, until
from workbench.core.draft import load
from workbench.playtest.lobby import Lobby
from workbench.playtest.store import Store, file_url


class Playtests(Served):
    """``workbench serve --playtest`` as a process of its own, and a look into its database from this one."""

    def __init__(self, folder, game="omerta"):
        super().__init__(folder, "--playtest", game, "--data", str(folder))
        self.lobby = Lobby(Store(file_url(folder / "playtests.sqlite")))

    @property
    def designer(self):
        until(NoPage, lambda: "/d/" in self.log.read_text())
        return self.url.rstrip("/") + re.search(r"http://localhost:\d+(/d/\w+)", self.log.read_text())[1]

    def table(self, people=("P0", "P1"), lang="en", start=True):
        """A table where people sit at these seats and bots at the others."""
        t = self.lobby.create(load("omerta"), luck=3, lang=lang)
        for seat in t.state.seats:
            t.sit(seat, f"Person {seat}") if seat in people else t.seat_bot(seat, "random")
        if start:
            assert t.start().ok
        return t

    def link(self, t, seat):
        return f"{self.url}t/{t.id}/{self.lobby.keys[t.id, seat]}"

    def fresh(self, t):
        t.catch_up()
        return t.state


KEEP_SOCKET = """window.WebSocket = class extends WebSocket { constructor(...of) { super(...of); window.socket = this; window.sent = []; }
    send(m) { window.sent.push(m); super.send(m); } };"""
SEND = "(m) => window.socket.send(typeof m === 'string' ? m : JSON.stringify(m))"
"""Sends what a hostile visitor may send over the socket of the page."""


class NoPage:
    """What :func:`until` waits with where there is no page."""

    @staticmethod
    def wait_for_timeout(ms):
        time.sleep(ms / 1000)


SHOWN = "(least) => Number(document.querySelector('.wb')?.dataset.version ?? -1) >= least"
"""Whether the page shows this state of the game, or a later one."""


def opened(watch, url, **options):
    w = watch(**options)
    w.page.add_init_script(KEEP_SOCKET)
    w.page.goto(url)
    w.page.locator(".ws h2").first.wait_for()
    return w


def choose(page):
    """Click the first legal move, and wait until the table has taken it."""
    button = page.locator(".wb-moves button[data-m]").first
    button.wait_for()
    name = button.get_attribute("data-m")
    before = page.locator(".wb-why").inner_text(), page.locator(".wb-log li").count()
    button.click()
    until(page, lambda: (page.locator(".wb-why").inner_text(), page.locator(".wb-log li").count()) != before)
    return name

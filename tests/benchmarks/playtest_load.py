"""How many tables one server carries: raw websocket clients that click every few seconds, and how long an answer takes.

``python -m tests.benchmarks.playtest_load [tables] [seconds]``, from the project's folder. Each table has three clients at
three of the seats (a bot at the fourth); own click: until the new view is back; push: until it is at another client.
"""

from __future__ import annotations

import asyncio
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tornado.httpclient import AsyncHTTPClient

from tests.rawclient import Client
from workbench.core.draft import load
from workbench.playtest.lobby import Lobby
from workbench.playtest.store import Store, file_url

SEATS = ("P0", "P1", "P2")
PAUSE = 1.5, 4.5
"""Seconds between two clicks of one client, at least and at most."""


class Seat(Client):
    """One seat, which notes how long each click takes to come back and to reach the others."""

    def __init__(self, url: str, table: dict):
        super().__init__(url)
        self.shared, self.asked, self.busy = table, 0, 0.0

    def showed(self, place: str) -> None:
        """Note how long the last click took to get here."""
        if place != "view":
            return
        now = time.perf_counter()
        if self.busy and self.view["seq"] >= self.asked:
            self.shared["own"].append(now - self.busy)
            self.busy = 0.0
        at = self.shared["clicks"].get(self.view["version"])
        if at and at[1] is not self and self not in at[2]:
            self.shared["push"].append(now - at[0])
            at[2].add(self)

    async def click(self, until: float) -> None:
        """Click a legal move now and then, when there is one."""
        await asyncio.sleep(random.uniform(0, PAUSE[1]))
        while time.perf_counter() < until:
            moves = self.view.get("moves") or []
            if moves and not self.busy:
                self.asked, self.busy, version = self.view["seq"] + 1, time.perf_counter(), self.view["version"]
                self.shared["clicks"][version + 1] = (self.busy, self, set())
                await self.move(random.choice(moves)["name"])
            await asyncio.sleep(random.uniform(*PAUSE))


async def load_of(url: str, lobby: Lobby, tables: int, seconds: float) -> dict:
    """Let three clients a table play."""
    shared, clients = {"own": [], "push": [], "lost": 0}, []
    AsyncHTTPClient.configure(None, max_clients=20)
    for _ in range(tables):
        t = lobby.create(load("omerta"), lang="en")
        for s in t.state.seats:
            t.sit(s, f"Person {s}") if s in SEATS else t.seat_bot(s, "heuristic")
        t.start()
        mine = {**shared, "clicks": {}}
        clients += [Seat(f"{url}t/{t.id}/{lobby.keys[t.id, s]}", mine) for s in SEATS]
    await asyncio.sleep(2)
    for c in clients:
        await c.open()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(c.click(until) for c in clients))
    shared["lost"] = sum(bool(c.busy) for c in clients)
    return shared


def main(tables: int = 30, seconds: float = 40) -> None:
    """Start a server, load it, print what came of it."""
    from tests.browser.table import free_port, wait_for

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server ends too when this is stopped
    folder, port = Path(tempfile.mkdtemp()), free_port()
    process = subprocess.Popen([sys.executable, "-m", "workbench", "serve", "--playtest", "omerta", "--data", str(folder), "--port", str(port),
                                "--no-browser"], stdout=(folder / "log").open("w"), stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}/"
    wait_for(url, process)
    try:
        found = asyncio.run(load_of(url, Lobby(Store(file_url(folder / "playtests.sqlite"))), tables, seconds))
        cpu = sum(map(float, Path(f"/proc/{process.pid}/stat").read_text().split()[13:15])) / 100 if sys.platform == "linux" else 0
        memory = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())[1] if sys.platform == "linux" else 0
    finally:
        process.kill()
        process.wait()
    own, push = (sorted(1000 * x for x in found[k]) for k in ("own", "push"))
    print(f"{tables} tables, {3 * tables} clients, {seconds:.0f} s: {len(own)} clicks, {found['lost']} without an answer; "
          f"own click median {statistics.median(own):.0f} ms, 95 % {own[int(len(own) * .95)]:.0f} ms; "
          f"push median {statistics.median(push):.0f} ms, 95 % {push[int(len(push) * .95)]:.0f} ms; server {cpu:.0f} s CPU in all, {int(memory) // 1024} MB")


if __name__ == "__main__":
    main(*(int(x) for x in sys.argv[1:]))

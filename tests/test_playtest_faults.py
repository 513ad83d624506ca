"""What goes wrong around a served playtest: killed servers, databases that go away, two servers at once, clocks, slow bots."""

import asyncio
import random

import pytest

pytest.importorskip("sqlalchemy")

from browser.table import free_port  # noqa: E402
from playtest_process import Forked  # noqa: E402
from rawclient import AWAY, PATIENCE, Client, apart  # noqa: E402

from workbench.core.draft import load  # noqa: E402
from workbench.playtest.lobby import Lobby  # noqa: E402
from workbench.playtest.state import State  # noqa: E402
from workbench.playtest.store import Store, file_url  # noqa: E402


class Servers:
    """Servers on one database, and a look into it from here."""

    def __init__(self, folder, url=None):
        self.url = url or file_url(folder / "playtests.sqlite")
        self.forked = Forked(folder)
        self.lobby = Lobby(Store(self.url))

    def start(self, port, **options):
        return self.forked.start(url=self.url, port=port, **options)

    def table(self, people, luck=3, bot="random"):
        t = self.lobby.create(load("omerta"), luck=luck)
        for seat in t.state.seats:
            assert (t.sit(seat, f"Person {seat}") if seat in people else t.seat_bot(seat, bot)).ok
        assert t.start().ok
        return t

    def link(self, port, t, seat):
        return f"http://127.0.0.1:{port}/t/{t.id}/{self.lobby.keys[t.id, seat]}"

    def fresh(self, t):
        t.catch_up()
        return t.state

    def close(self):
        self.forked.stop()
        self.lobby.store.close()


@pytest.fixture
def servers(tmp_path):
    made = Servers(tmp_path)
    yield made
    made.close()


async def came(check):
    """Wait until something is so that nobody tells us of."""
    for _ in range(PATIENCE * 50):
        if check():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not come")


def played(t):
    """What the log of a table says was decided: (turn it was decided in, seat, move)."""
    st, found = State(t.state.draft, t.head["luck"]), []
    for e in t.store.events(t.id):
        if e.what in ("move", "choose"):
            found.append((st.turn, e.seat, e.data["m"]))
        st.take(e)
    return found


# ---------------------------------------------------------------- a server that is killed

KILLS = 50


class Player:
    """Somebody at a seat who plays on whatever happens, and remembers what the page has confirmed."""

    def __init__(self, servers, port, t, seat):
        self.servers, self.port, self.t, self.seat, self.rnd = servers, port, t, seat, random.Random(f"{t.id}{seat}")
        self.confirmed, self.asked, self.client, self.told = [], None, None, asyncio.Event()

    async def run(self):
        while True:
            try:
                self.client = await Client(self.servers.link(self.port, self.t, self.seat)).open()
                while True:
                    await self.client.until(lambda: self.client.view["moves"])
                    name, turn = self.rnd.choice(self.client.view["moves"])["name"], self.client.view["version"]
                    self.asked = (turn, self.seat, name)
                    said = await self.client.answered(await self.client.move(name))
                    if not said and (self.client.view["version"] > turn or not self.client.view["moves"]):
                        self.confirmed.append(self.asked)
                        self.told.set()
                    self.asked = None
            except AWAY:
                await asyncio.sleep(0.02)
            finally:
                if self.client is not None:
                    self.client.close()


def test_a_server_killed_fifty_times_loses_nothing_that_was_confirmed_and_every_table_goes_on(servers):
    port, rnd = free_port(), random.Random(1)
    people = ("P0", "P2")
    tables = [servers.table(people, luck) for luck in (3, 4, 5)]

    async def kept_killing():
        players = [Player(servers, port, t, s) for t in tables for s in people]
        at_work = [asyncio.ensure_future(p.run()) for p in players]
        in_the_middle = 0
        for n in range(KILLS + 1):
            child = await asyncio.to_thread(servers.start, port)
            before = [len(p.confirmed) for p in players]
            # every table goes on after each start; then some moves more, and down it goes while others are being made
            wanted = rnd.randrange(3, 9)

            def gone_on(before=before, wanted=wanted):
                new = [len(p.confirmed) - b for p, b in zip(players, before, strict=True)]
                return sum(new) >= wanted and all(any(new[i:i + 2]) for i in range(0, len(new), 2))

            for t in tables:
                if servers.fresh(t).position.over:
                    assert t.again(luck=100 + n).ok
            while not gone_on():
                await came(lambda: any(p.told.is_set() for p in players) or any(servers.fresh(t).position.over for t in tables))
                for p in players:
                    p.told.clear()
                for t in tables:
                    if servers.fresh(t).position.over:
                        assert t.again(luck=200 + n).ok
            if n < KILLS:
                await came(lambda: any(p.asked for p in players))
                in_the_middle += any(p.asked for p in players)
                await asyncio.to_thread(servers.forked.kill, child)
        for a in at_work:
            a.cancel()
        await asyncio.gather(*at_work, return_exceptions=True)
        return players, in_the_middle

    players, in_the_middle = apart(kept_killing())
    assert in_the_middle == KILLS
    for t in tables:
        log = played(t)
        mine = [c for p in players if p.t is t for c in p.confirmed]
        assert set(mine) <= set(log) and len({(turn, seat) for turn, seat, _ in log}) == len(log)
        assert len(mine) > KILLS
    assert any(set(played(t)) - {c for p in players for c in p.confirmed} for t in tables)  # the log is more than what we noted

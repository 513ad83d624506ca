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


# ---------------------------------------------------------------- a database that goes away


def play_and_say(servers, port, t, seats, gone, back, words):
    """Each visitor reads one clear sentence while the database is away; when it is back, the table goes on with all that was confirmed."""
    async def go():
        a, b = [await Client(servers.link(port, t, s)).open() for s in seats]
        for c in (a, b):
            await c.until(lambda c=c: c.view["moves"])
        said, first = await a.play()
        assert said == ""
        await asyncio.to_thread(gone)
        try:
            for _ in range(2):
                said = await b.answered(await b.move(b.view["moves"][0]["name"]))
                assert words in said and "Traceback" not in b.words and len(said) < 300
        finally:
            await asyncio.to_thread(back)
        said, second = "away", b.view["moves"][0]["name"]
        while said:
            said = await b.answered(await b.move(second))
        assert servers.fresh(t).chosen == dict(zip(seats, (first, second), strict=True))
        await a.until(lambda: all(s not in a.view["why"] for s in seats))
        for c in (a, b):
            c.close()

    apart(go())


def test_a_locked_database_is_said_to_each_visitor_and_the_table_goes_on(servers):
    import sqlite3

    port, t = free_port(), servers.table(("P0", "P1", "P2", "P3"))
    servers.start(port, wait=100)
    other = sqlite3.connect(servers.url.removeprefix("sqlite:///"), check_same_thread=False)
    play_and_say(servers, port, t, ("P0", "P1"), lambda: other.execute("BEGIN IMMEDIATE"), other.rollback, "locked")
    other.close()


def test_a_postgresql_that_stops_is_said_to_each_visitor_and_the_table_goes_on(tmp_path, postgres):
    servers, port = Servers(tmp_path, postgres.url), free_port()
    try:
        t = servers.table(("P0", "P1", "P2", "P3"))
        servers.start(port)
        play_and_say(servers, port, t, ("P0", "P1"), postgres.stop, postgres.start, "cannot be reached")
    finally:
        servers.close()


# ---------------------------------------------------------------- two servers on one database


def test_two_servers_on_one_postgresql_show_each_others_moves_and_of_two_clicks_one_counts(tmp_path, postgres):
    servers, ports = Servers(tmp_path, postgres.url), (free_port(), free_port())
    try:
        t = servers.table(("P0", "P1", "P2", "P3"))
        for port in ports:
            servers.start(port)

        async def go():
            a, b = [await Client(servers.link(port, t, "P0")).open() for port in ports]
            other = await Client(servers.link(ports[1], t, "P1")).open()
            for c in (a, b, other):
                await c.until(lambda c=c: c.view["moves"])
            x, y = (m["name"] for m in a.view["moves"][:2])
            seqs = await asyncio.gather(a.move(x), b.move(y))  # two clicks at once, one at each
            said = [await c.answered(seq) for c, seq in zip((a, b), seqs, strict=True)]
            assert sorted(bool(s) for s in said) == [False, True]
            assert servers.fresh(t).chosen == {"P0": (x, y)[said.index("")]}
            for c in (a, b, other):  # everybody sees it, whichever server they are at
                await c.until(lambda c=c: "P0" not in c.view["why"])
            assert (await other.play())[0] == ""
            await a.until(lambda: "P1" not in a.view["why"])
            for c in (a, b, other):
                c.close()

        apart(go())
        assert len([e for e in t.store.events(t.id) if e.what == "choose"]) == 2
    finally:
        servers.close()


# ---------------------------------------------------------------- a slow bot, and clocks that jump


def test_a_bot_that_thinks_long_keeps_no_other_table_waiting(servers, tmp_path):
    port, gate = free_port(), tmp_path / "gate"
    slow, quick = servers.table(("P0",), bot="heuristic"), servers.table(("P0", "P1", "P2", "P3"), luck=4)
    servers.start(port, gate=str(gate))

    async def go():
        waiting = await Client(servers.link(port, slow, "P0")).open()
        people = [await Client(servers.link(port, quick, s)).open() for s in quick.state.seats]
        for c in (waiting, *people):
            await c.until(lambda c=c: c.view["why"].startswith("All choose"))
        assert (await waiting.play())[0] == ""  # one's own table goes on too: only the bots' choices are to come
        for c in people:
            assert (await c.play())[0] == ""
        for _ in range(3):
            seat = next(iter(servers.fresh(quick).asked))
            assert (await people[int(seat[1])].play())[0] == ""
        assert list(servers.fresh(slow).chosen) == ["P0"]  # seven moves there, and the bot still thinks here
        gate.touch()
        await waiting.until(lambda: waiting.view["version"] > slow.state.turn)
        for c in (waiting, *people):
            c.close()

    apart(go())


def test_a_clock_that_jumps_forth_and_back_neither_stops_messages_nor_breaks_a_table(servers, monkeypatch):
    from workbench.playtest import page, store
    from workbench.playtest.table import PlayTable

    t, now = servers.table(("P0", "P1", "P2", "P3")), [1_000_000.0]
    monkeypatch.setattr(store.time, "time", lambda: now[0])
    speed, allowed = page.Speed(), 0
    for jump in (0.0, 10 * 365 * 86400.0, -5.0, 0.0):
        now[0] = 1_000_000.0 + jump
        seat, at = next(iter(t.state.asked.items()))
        assert t.submit(seat, at.moves[0], t.state.turn).ok
        allowed += sum(speed.allows() for _ in range(10))
    assert page.AT_ONCE <= allowed < 40  # as many as without a jump: the speed is measured by a clock that does not
    seconds = [d.seconds for d in t.state.decisions]
    assert min(seconds) >= 0 and len(seconds) == 4
    again = PlayTable(t.store, t.id, t.head)
    assert str(again.state.position) == str(t.state.position) and [d.seconds for d in again.state.decisions] == seconds

"""What hostile clients send over the wire: each attack changes nothing, gives nothing away, and the same client doing right succeeds."""

import asyncio
import json
import random
import re
import urllib.error
import urllib.request

import pytest

pytest.importorskip("sqlalchemy")

from browser.table import free_port  # noqa: E402
from playtest_process import memory  # noqa: E402
from rawclient import AWAY, Client, apart, token_in  # noqa: E402
from test_playtest_faults import Servers  # noqa: E402
from tornado.httpclient import HTTPClientError  # noqa: E402

from workbench.playtest.web import Site  # noqa: E402


class Served(Servers):
    """One server for all attacks."""

    def __init__(self, folder):
        super().__init__(folder)
        self.port = free_port()
        self.child = self.start(self.port)

    def at(self, t, seat):
        return Client(self.link(self.port, t, seat))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Served(tmp_path_factory.mktemp("attacked"))
    yield made
    made.close()


def hands_of(t):
    return {s: set(h.split()) for s, h in t.state.position["hand"].items()}


def cards_in(frames):
    """Cards that are shown or named in what was received."""
    return set(re.findall(r'(?:card:|omerta |>)([AICJ][1-8])\b', "".join(frames).replace('\\"', '"')))


def first(c):
    """A move that the page offers."""
    return c.view["moves"][0]["name"]


def asks(c, **message):
    """What a page sends to play, with some of it changed."""
    return c.send({"table": {"seq": c.view["seq"] + 1, "act": "play", "value": first(c), "version": c.view["version"], **message}})


ATTACKS = {
    "another seat's choice": lambda c, t: c.move(f"omerta {min(hands_of(t)['P1'])}"),
    "a move for another turn": lambda c, t: c.move(first(c), version=c.view["version"] + 1),
    "a turn of another kind": lambda c, t: c.move(first(c), version=[c.view["version"]]),
    "true for a turn": lambda c, t: c.move(first(c), version=True),
    "a seat named in the message": lambda c, t: c.move(f"omerta {min(hands_of(t)['P1'])}", seat="P1"),
    "a move that is no text": lambda c, t: c.move({"a": 1}),
    "a number that was used": lambda c, t: asks(c, seq=c.view["seq"]),
    "a number beyond all": lambda c, t: asks(c, seq=2**60),
    "a number that is none": lambda c, t: asks(c, seq="1"),
    "a number that is no number": lambda c, t: c.send('{"table": {"seq": NaN, "act": "play"}}'),
    "an act of the designer's table": lambda c, t: asks(c, act="jump", value=0),
    "the designer's controls": lambda c, t: c.ask("revoke P1"),
    "the designer's course": lambda c, t: c.ask("again"),
    "the lobby's form": lambda c, t: c.ask("create", {"draft": "draft6", "players": "4"}),
    "the lobby's import": lambda c, t: c.ask("import", {"sheet": "ruleset: omerta\ndraft: draft6\n a b c\n1 1 2 3"}, "side"),
    "a bot in another's seat": lambda c, t: c.ask("bot P1", "random"),
    "an id that is no text": lambda c, t: c.ask(["sit"], "x"),
    "an id without end": lambda c, t: c.ask("sit" * 10_000, "x"),
    "an answer to no question": lambda c, t: c.ask("answer nonsense", "x", "side"),
    "a nameless name": lambda c, t: c.ask("sit", {"name": "\u200b\u202e\x00 \u2066"}),
    "a part that only shows": lambda c, t: c.ask("sit", {"name": "forged"}, "book"),
    "a part nobody knows": lambda c, t: c.ask("sit", {"name": "forged"}, "designer"),
    "two parts at once": lambda c, t: c.send({"table": {}, "sheet": {"seq": 1, "id": "sit", "value": {"name": "forged"}}}),
    "a view of one's own": lambda c, t: c.send({"table": {"zones": [], "game": "forged"}}),
    "more than is asked": lambda c, t: asks(c, more=1),
    "less than is asked": lambda c, t: c.send({"table": {"seq": 1}}),
    "no part": lambda c, t: c.send({}),
    "a list": lambda c, t: c.send([{"table": {}}]),
    "a null": lambda c, t: c.send("null"),
    "no JSON": lambda c, t: c.send("{"),
    "nothing": lambda c, t: c.send(""),
    "brackets without end": lambda c, t: c.send("[" * 90_000),
    "a key twice": lambda c, t: c.send('{"table": {"seq": 1, "seq": 2, "act": "play", "act": "jump", "value": 0, "version": 1}}'),
    "bytes": lambda c, t: c.send(json.dumps({"table": {"seq": 1, "act": "play", "value": first(c), "version": c.view["version"]}}).encode(), binary=True),
    "letters that are none": lambda c, t: c.send(b"\xff\xfe\x00", binary=True),
    "half a letter": lambda c, t: c.move("\ud800"),
    "a protocol of others": lambda c, t: c.send({"msgid": "1", "msgtype": "PUSH-DOC"}),
    "too long a message": lambda c, t: c.move("x" * 200_000),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_over_the_wire_changes_nothing_and_gives_nothing_away(server, attack):
    t = server.table(("P0", "P1", "P2", "P3"))
    before, hands = server.fresh(t).version, hands_of(t)

    async def attacked():
        bad, other = await server.at(t, "P0").open(), await server.at(t, "P1").open()
        for c in (bad, other):  # the server has heard that the table was started
            await c.until(lambda c=c: c.view["moves"])
        bad.keep = True
        shown = other.view
        try:
            await ATTACKS[attack](bad, t)
            await bad.through()  # a server may also hang up
        except AWAY:
            pass
        assert server.fresh(t).version == before and other.view == shown and "forged" not in other.words
        named = {min(hands["P1"])}  # the attacker names it, so an answer may
        assert cards_in(bad.frames) <= hands["P0"] | named, cards_in(bad.frames) - hands["P0"]
        # the control: the same seat, doing it right, is heard; and the other's page sees it
        again = await server.at(t, "P0").open()
        assert cards_in([again.words]) == hands["P0"]
        said, name = await again.play()
        assert said == "" and server.fresh(t).chosen == {"P0": name}
        await other.until(lambda: other.view != shown)
        assert (await other.play())[0] == ""
        for c in (bad, other, again):
            c.close()

    apart(attacked())


def test_spectators_revoked_links_and_names_of_all_kinds_over_the_wire(server):
    t = server.table(("P0", "P1", "P2", "P3"))
    hostile = "</script><b onclick=alert(1)>\u202egnp\u200b"

    async def tried():
        looker, p0 = await server.at(t, "-").open(), await server.at(t, "P0").open()
        before = server.fresh(t).version
        for id in ("sit", "undo", "mark great", "send", "start", "end"):
            assert "looking on" in await looker.answered(await looker.ask(id, {"name": "x"}), "sheet")
        assert "looking on" in await looker.answered(await looker.move(p0.view["moves"][0]["name"]))
        assert server.fresh(t).version == before and cards_in([looker.words]) == set()
        # a name is data: cut, without letters that nobody sees, and the same text for everybody
        assert await p0.answered(await p0.ask("sit", {"name": hostile}), "sheet") == ""
        assert server.fresh(t).seats["P0"].kind == "person" and t.name("P0") == "</script><b onclick=alert(1)>gnp"
        await looker.until(lambda: "</script><b onclick=alert(1)>gnp" in json.loads(json.dumps(looker.view["seats"]))[0]["label"])
        assert (await p0.play())[0] == ""
        # the link is taken back: the page that stands open shows and does nothing any more
        p1, gone = await server.at(t, "P1").open(), server.at(t, "P1")
        move = p1.view["moves"][0]["name"]
        server.lobby.revoke(t, "P1")
        await p1.until(lambda: "opens nothing" in p1.words and not p1.view.get("zones"))
        await p1.send({"table": {"seq": 50, "act": "play", "value": move, "version": t.state.turn}})
        await p1.through()
        for token in (None, p1.token):  # neither the page nor what it connected with opens anything
            with pytest.raises(AWAY):
                await gone.open(token)
        assert gone.shown == {}
        server.lobby.new_link(t, "P1")
        assert "P1" not in server.fresh(t).chosen
        back = await server.at(t, "P1").open()
        assert (await back.play(move))[0] == "" and "P1" in server.fresh(t).chosen
        for c in (looker, p0, p1, back):
            c.close()

    apart(tried())


def test_other_hosts_origins_tokens_methods_and_paths_open_nothing(server):
    t = server.table(("P0", "P1", "P2", "P3"))
    other = server.table(("P0", "P1", "P2", "P3"))

    async def tried():
        c, path = server.at(t, "P0"), f"/t/{t.id}/{server.lobby.keys[t.id, 'P0']}"
        forged = Site(find=None, hosts=frozenset(), secret="guess", title="").token(path)
        token = token_in(await c.page())
        for bad in (lambda: c.open(token, origin="http://evil.example"), lambda: c.open(token, origin="http://evil.example", Host="evil.example"),
                    lambda: c.open(token, origin="null"), lambda: c.open(token, origin=""), lambda: c.open(token, protocol="bokeh"), lambda: c.open(forged), lambda: c.open(token[:-4] + "AAAA"), lambda: c.open("x")):
            with pytest.raises(Exception) as e:
                await asyncio.wait_for(bad(), 5)
            assert isinstance(e.value, (*AWAY, KeyError)), e.value
        for host in ("evil.example", f"evil.example:{server.port}", f"127.0.0.1.evil.example:{server.port}"):
            with pytest.raises(HTTPClientError, match="403"):  # a name that somebody has pointed at this machine
                await c.page(Host=host)
            with pytest.raises(HTTPClientError, match="403"):
                await c.open(token, origin=f"http://{host}", Host=host)
        assert "token" in await c.page(Host=f"localhost:{server.port}")
        # a token opens its own page: at another table's address it is still that page, and that seat's hand
        elsewhere = await Client(server.link(server.port, other, "P1")).open(token)
        assert cards_in([elsewhere.words]) == hands_of(t)["P0"]
        elsewhere.close()
        good = await server.at(t, "P0").open()  # the control
        assert (await good.play())[0] == ""

    apart(tried())
    base = f"http://127.0.0.1:{server.port}"
    for path in ("/", "/d/guess", f"/d/guess/{t.id}", f"/t/{t.id}/guess", f"/t/{other.id}/{server.lobby.keys[t.id, 'P0']}", "/t/../secret.key",
                 "/static/../../secret.key", "/static/%2e%2e/%2e%2e/secret.key", "/code/../secret.key", "/code/%2e%2e/secret.key", "/code/serve.py", "/live", "/secret.key", "/playtests.sqlite", "/t", "/d", "/liveness"):
        for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
            try:
                with urllib.request.urlopen(urllib.request.Request(base + path, method=method)) as r:
                    body = r.read().decode("utf-8", "replace")
            except urllib.error.HTTPError as e:
                body = e.read().decode("utf-8", "replace")
            assert "Traceback" not in body and (server.forked.folder / "secret.key").read_text() not in body and "SQLite" not in body, (path, method)
    assert server.lobby.keys[t.id, "P0"] not in server.forked.log.read_text()


# ---------------------------------------------------------------- thousands of messages that mean nothing

MANY = 8_000


def nonsense(rnd):
    """One message: most are JSON of the right form with wrong contents, some of another form, some no JSON at all."""
    def value(depth=0):
        kind = rnd.randrange(8 if depth < 4 else 6)
        return [None, True, rnd.randrange(-2**70, 2**70), rnd.random(), "".join(map(chr, rnd.choices(range(1, 0x2fff), k=rnd.randrange(20)))), "play",
                [value(depth + 1) for _ in range(rnd.randrange(4))] if kind == 6 else 0,
                {str(n): value(depth + 1) for n in range(rnd.randrange(4))} if kind == 7 else 0][kind]

    part, how = rnd.choice(("table", "sheet", "side", "book", "x")), rnd.random()
    if how < 0.55:
        return json.dumps({part: {k: value() for k in rnd.sample(["seq", "act", "value", "version", "id", "x"], rnd.randrange(7))}})
    if how < 0.75:
        return json.dumps({part: value()})
    if how < 0.9:
        return json.dumps(value())
    if how < 0.995:
        whole = json.dumps({part: {"seq": 1, "value": value()}})
        return rnd.choice((whole[: rnd.randrange(len(whole))], rnd.randbytes(rnd.randrange(200)), "[" * 5_000, "\x00", '{"a":' * 3_000))
    return "[" * 100_001  # too long: the server hangs up


def test_thousands_of_meaningless_messages_change_nothing_while_another_table_plays_on(server):
    t, busy = server.table(("P0", "P1", "P2", "P3")), server.table(("P0", "P1", "P2", "P3"), luck=5)
    rnd, before, hands = random.Random(7), server.fresh(t).version, hands_of(t)

    async def play_on(players):
        done = 0
        while True:
            for p in players:
                if p.view.get("moves"):
                    assert (await p.play())[0] == ""
                    done += 1
                    counted[0] = done
            await asyncio.sleep(0.05)

    counted, sizes = [0], []

    async def flooded():
        players = [await server.at(busy, s).open() for s in busy.state.seats]
        playing = asyncio.ensure_future(play_on(players))
        sent, connected, c, received = 0, 0, None, []
        while sent < MANY:  # only those count after which the connection still stood
            try:
                if c is None or c.ws is None or c.ws.protocol.stream.closed():
                    if c is not None:
                        received += c.frames
                        c.close()
                    c, connected = await server.at(t, "P0").open(), connected + 1
                    c.keep = True
                for _ in range(20):
                    message = nonsense(rnd)
                    await c.send(message, binary=isinstance(message, bytes))
                await c.through()
                sent += 20
                if sent % (MANY // 4) == 0:
                    sizes.append(memory(server.child))
                    if server.fresh(busy).position.over:
                        assert busy.again(luck=sent).ok
            except AWAY:
                c.ws = None
            except AttributeError:  # the listener has just heard that the connection is gone
                pass
        assert not playing.done(), playing
        played = counted[0]
        await players[0].until(lambda: counted[0] > played or server.fresh(busy).position.over)  # it is still being played
        playing.cancel()
        # the control: a right message is taken, by the same seat on a page of its own
        good = await server.at(t, "P0").open()
        assert (await good.play())[0] == ""
        return connected, received + c.frames

    connected, received = apart(flooded())
    assert 3 < connected < MANY / 20  # most were heard by a page that stood
    assert server.fresh(t).version == before + 1 and set(t.state.chosen) == {"P0"}
    assert counted[0] > 20 and cards_in(received) <= hands["P0"] and received
    assert sizes[-1] - sizes[0] < 80, sizes

"""What hostile clients send over the wire: each attack changes nothing, gives nothing away, and the same client doing right succeeds."""

import asyncio
import json
import random
import re
import urllib.error
import urllib.request

import pytest

pytest.importorskip("sqlalchemy")

from browser.table import forged_token, free_port  # noqa: E402
from playtest_process import memory  # noqa: E402
from rawclient import AWAY, Client, apart  # noqa: E402
from test_playtest_faults import Servers  # noqa: E402
from tornado.httpclient import HTTPClientError  # noqa: E402


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


def ws_of(client, **content):
    return client.send("PATCH-DOC", content)


def some_model(client, place="view"):
    return {"id": client.models[place]}


def document(client):
    """A document of the attacker's own, to stand in the place of the page's."""
    mine = [{"type": "object", "name": "Div", "id": "evil", "attributes": {"text": "<img src=x onerror=alert(1)>"}}]
    return {"doc": {"version": "3.9.0", "title": "mine", "roots": mine, "defs": [], "callbacks": {"type": "map", "entries": []}}}


async def patch_everything(c):
    for o in c.all_models:
        for attr, new in (("state", '{"items": []}'), ("view", "{}"), ("esm", "export default {render() {}}"), ("text", "forged"), ("name", "x"),
                          ("tags", ["x"]), ("children", []), ("disabled", True), ("nonsense", 1), ("data", {"a": 1}), ("_id", "x")):
            await c.set(o["id"], attr, new)


ATTACKS = {
    "another seat's choice": lambda c, t: c.move(f"omerta {min(hands_of(t)['P1'])}"),
    "a move for another turn": lambda c, t: c.move(c.view["moves"][0]["name"], version=c.view["version"] + 1),
    "a turn of another kind": lambda c, t: c.move(c.view["moves"][0]["name"], version=[c.view["version"]]),
    "true for a turn": lambda c, t: c.move(c.view["moves"][0]["name"], version=True),
    "a seat named in the message": lambda c, t: c.move(f"omerta {min(hands_of(t)['P1'])}", seat="P1"),
    "a move that is no text": lambda c, t: c.move({"type": "map", "entries": [["a", 1]]}),
    "a number that was used": lambda c, t: c.set(c.models["view"], "move", {"seq": c.view.get("seq", 0), "act": "play",
                                                                            "value": c.view["moves"][0]["name"], "version": c.view["version"]}),
    "a number beyond all": lambda c, t: c.set(c.models["view"], "move", {"seq": 2**60, "act": "play", "value": c.view["moves"][0]["name"]}),
    "a number that is none": lambda c, t: c.set(c.models["view"], "move", {"seq": "1", "act": "play", "value": c.view["moves"][0]["name"]}),
    "an act of the designer's table": lambda c, t: c.set(c.models["view"], "move", {"seq": 1, "act": "jump", "value": 0}),
    "the designer's controls": lambda c, t: c.ask("revoke P1"),
    "the designer's undo": lambda c, t: c.ask("again"),
    "a bot in another's seat": lambda c, t: c.ask("bot P1", "random"),
    "an id that is no text": lambda c, t: c.ask(["sit"], "x"),
    "an answer to no question": lambda c, t: c.ask("answer nonsense", "x", "side"),
    "a nameless name": lambda c, t: c.ask("sit", {"type": "map", "entries": [["name", "\u200b\u202e\x00 \u2066"]]}),
    "every property of every model": lambda c, t: patch_everything(c),
    "a model that is not there": lambda c, t: c.set("p999999", "state", "x"),
    "an event nobody knows": lambda c, t: c.event({"type": "event", "name": "no_such_event", "values": {"type": "map", "entries": []}}),
    "an event of another kind": lambda c, t: c.event({"type": "event", "name": "button_click", "values": {"type": "map", "entries": [["model", some_model(c)]]}}),
    "an event that is none": lambda c, t: c.event("nonsense"),
    "a message of its own kind": lambda c, t: ws_of(c, events=[{"kind": "MessageSent", "msg_type": "mine", "msg_data": {"a": 1}}]),
    "a change of another kind": lambda c, t: ws_of(c, events=[{"kind": "NoSuchKind", "model": some_model(c), "attr": "move", "new": 1}]),
    "roots taken away": lambda c, t: ws_of(c, events=[{"kind": "RootRemoved", "model": some_model(c)}]),
    "a root of its own": lambda c, t: ws_of(c, events=[{"kind": "RootAdded", "model": document(c)["doc"]["roots"][0]}]),
    "another title": lambda c, t: ws_of(c, events=[{"kind": "TitleChanged", "title": "<script>"}]),
    "a document in its place": lambda c, t: c.send("PUSH-DOC", document(c)),
    "a document that is none": lambda c, t: c.send("PUSH-DOC", {"doc": 7}),
    "a request for the server": lambda c, t: c.send("SERVER-INFO-REQ", {}),
    "an answer nobody asked for": lambda c, t: c.send("PULL-DOC-REPLY", document(c)),
    "a kind of message nobody knows": lambda c, t: c.send("NO-SUCH-KIND", {}),
    "a model's class by name": lambda c, t: c.set(c.models["view"], "move", {"type": "object", "name": "CustomJS", "id": "x", "attributes": {"code": "1"}}),
    "too long a message": lambda c, t: c.set(c.models["view"], "move", {"seq": 9, "act": "play", "value": "x" * 1_100_000}),
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
            assert "looking on" in await looker.answered(await looker.ask(id, {"type": "map", "entries": [["name", "x"]]}), "sheet")
        assert "looking on" in await looker.answered(await looker.move(p0.view["moves"][0]["name"]))
        assert server.fresh(t).version == before and cards_in([looker.words]) == set()
        # a name is data: cut, without letters that nobody sees, and the same text for everybody
        assert await p0.answered(await p0.ask("sit", {"type": "map", "entries": [["name", hostile]]}), "sheet") == ""
        assert server.fresh(t).seats["P0"].kind == "person" and t.name("P0") == "</script><b onclick=alert(1)>gnp"
        await looker.until(lambda: "</script><b onclick=alert(1)>gnp" in json.loads(json.dumps(looker.view["seats"]))[0]["label"])
        assert (await p0.play())[0] == ""
        # the link is taken back: the page that stands open shows and does nothing any more
        p1, gone = await server.at(t, "P1").open(), server.at(t, "P1")
        move = p1.view["moves"][0]["name"]
        server.lobby.revoke(t, "P1")
        await p1.until(lambda: "opens nothing" in p1.words and not p1.view.get("zones"))
        await p1.set(p1.models["view"], "move", {"seq": 50, "act": "play", "value": move, "version": t.state.turn})
        with pytest.raises(TimeoutError):  # a page of one sentence: it has no table and no controls
            await asyncio.wait_for(gone.open(), 3)
        assert gone.models == {}
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
        c = server.at(t, "P0")
        token = re.search(r'"token":"([^"]+)"', await c.page())[1]
        for bad in (lambda: c.open(token, origin="http://evil.example"), lambda: c.open(token, origin="http://evil.example", Host="evil.example"),
                    lambda: c.open(token, origin="null"), lambda: c.open(forged_token()), lambda: c.open(token[:-4] + "AAAA"), lambda: c.open("x")):
            with pytest.raises(Exception) as e:
                await asyncio.wait_for(bad(), 5)
            assert isinstance(e.value, (*AWAY, KeyError)), e.value
        for host in ("evil.example", f"evil.example:{server.port}", f"127.0.0.1.evil.example:{server.port}"):
            with pytest.raises(HTTPClientError, match="403"):  # a name that somebody has pointed at this machine
                await c.page(Host=host)
            with pytest.raises(HTTPClientError, match="403"):
                await c.open(token, origin=f"http://{host}", Host=host)
        assert "token" in await c.page(Host=f"localhost:{server.port}")
        # a token opens its own page's session: at another table's address it is still that page, and that seat's hand
        elsewhere = Client(server.link(server.port, other, "P1"))
        try:
            await asyncio.wait_for(elsewhere.open(token), 5)
            assert cards_in([elsewhere.words]) <= hands_of(t)["P0"]
        except AWAY:
            pass
        good = await server.at(t, "P0").open()  # the control
        assert (await good.play())[0] == ""

    apart(tried())
    base = f"http://127.0.0.1:{server.port}"
    for path in ("/", "/d/guess", f"/d/guess/{t.id}", f"/t/{t.id}/guess", f"/t/{other.id}/{server.lobby.keys[t.id, 'P0']}", "/t/../secret.key",
                 "/static/../../secret.key", "/static/%2e%2e/%2e%2e/secret.key", "/secret.key", "/playtests.sqlite", "/t", "/d", "/liveness"):
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


def nonsense(rnd, c):
    """What is written to the socket: some whole messages of Bokeh's protocol, some fragments, some bytes."""
    def value(depth=0):
        kind = rnd.randrange(9 if depth < 4 else 6)
        return [None, True, rnd.randrange(-2**70, 2**70), rnd.random(), "".join(map(chr, rnd.choices(range(1, 0x2fff), k=rnd.randrange(20)))), "play",
                [value(depth + 1) for _ in range(rnd.randrange(4))] if kind == 6 else 0,
                {str(n): value(depth + 1) for n in range(rnd.randrange(4))} if kind == 7 else 0,
                {"type": rnd.choice(("map", "object", "set", "ndarray", "bytes", "slice", "x")), "entries": [], "id": "x", "name": "y"}][kind]

    whole = json.dumps({"msgid": "1", "msgtype": "PATCH-DOC"}), "{}"
    model = rnd.choice([*c.models.values(), "p0"])
    change = {"kind": "ModelChanged", "model": {"id": model}, "attr": rnd.choice(("move", "ask", "state", "view")), "new": value()}
    how = rnd.random()
    if how < 0.7:  # whole and wrong
        keys = rnd.sample(["seq", "act", "value", "version", "id", "x"], rnd.randrange(7))
        change["new"] = {"type": "map", "entries": [[k, value()] for k in keys]}
        return [*whole, json.dumps({"events": [change]})]
    if how < 0.994:
        return [*whole, json.dumps({"events": rnd.choice(([change], [value()], value()))})]
    if how < 0.996:
        return [*whole, json.dumps(value())]
    if how < 0.998:
        return [json.dumps({"msgid": "1", "msgtype": rnd.choice(("PUSH-DOC", "PATCH-DOC", "ACK", "OK"))}), "{}", json.dumps({"doc": value()})]
    return [rnd.choice((rnd.randbytes(rnd.randrange(200)), whole[0][: rnd.randrange(40)], "[" * rnd.choice((10, 100_000)), "\x00", json.dumps(value())))]


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
                    for part in nonsense(rnd, c):
                        await c.ws.write_message(part, binary=isinstance(part, bytes))
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

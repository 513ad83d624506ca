"""A playtest's table without pages: its life, secret choices at once, undo, marks, and what each seat may see of it."""

import json
import random
import shutil
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from workbench.core.draft import load  # noqa: E402
from workbench.core.errors import WorkbenchError  # noqa: E402
from workbench.playtest.lobby import Lobby  # noqa: E402
from workbench.playtest.seatview import table_view  # noqa: E402
from workbench.playtest.store import Store, file_url  # noqa: E402
from workbench.playtest.table import PlayTable  # noqa: E402
from workbench.playtest.together import together  # noqa: E402

HERE = Path(__file__).parent
GAMES = {"omerta": "omerta", "nyanbar-one": "nyanbar-one", "bids": HERE / "rulesets" / "bids", "zoo": HERE / "rulesets" / "zoo"}


@pytest.fixture
def url(tmp_path):
    return file_url(tmp_path / "p.sqlite")


@pytest.fixture
def lobby(url):
    made = Lobby(Store(url))
    yield made
    made.store.close()


def seated(lobby, game="omerta", people=None, luck=3, lang="en"):
    t = lobby.create(load(GAMES[game]), luck=luck, lang=lang)
    for n, seat in enumerate(t.state.seats):
        if people is None or seat in people:
            assert t.sit(seat, f"Person {n}").ok
        else:
            assert t.seat_bot(seat, "random").ok
    assert t.start().ok
    return t


def again(t):
    """The same table, replayed from its log."""
    return PlayTable(t.store, t.id, dict((i, h) for i, _, h in t.store.tables())[t.id])


def first_moves(t, n=1):
    for _ in range(n):
        seat, at = next(iter(t.state.asked.items()))
        assert t.submit(seat, at.draft.ruleset.moves.name(at.legal[0]), t.state.turn).ok


@pytest.mark.parametrize("game", GAMES)
def test_any_game_is_played_to_its_end_by_people_and_bots_and_comes_back_from_its_log(lobby, game):
    t = seated(lobby, game, people={"P0"})
    for _ in range(5000):
        if t.state.position.over:
            break
        if not t.bot_move():
            first_moves(t)
    assert t.state.position.over
    other = again(t)
    assert str(other.state.position) == str(t.state.position) and other.state.version == t.state.version
    assert other.name("P0") == "Person 0" and other.state.turn == t.state.turn
    assert t.submit("P0", "x", t.state.turn).kind == "over" and not t.bot_move()
    assert t.again(luck=4).ok and t.state.game.number == 2 and not t.state.position.over


def test_what_is_chosen_at_the_same_time_follows_from_the_rules():
    omerta = load("omerta").start(luck=3)
    assert list(together(omerta)) == ["P0", "P1", "P2", "P3"]
    assert together(omerta)["P2"].legal == [omerta.draft.ruleset.moves.parse(c, "omerta") for c in omerta["hand"]["P2"].split()]
    played = omerta.play(*(together(omerta)[s].moves[0] for s in ("P0", "P1", "P2", "P3")))
    assert played.phase == "play" and together(played) == {}  # open cards: one after another
    bids = load(GAMES["bids"]).start(luck=2)
    assert list(together(bids)) == list(bids.draft.seat_names)


def test_secret_choices_are_made_in_any_order_and_applied_in_the_order_of_seats(lobby):
    t = seated(lobby)
    turn, moves = t.state.turn, {s: p.moves[-1] for s, p in t.state.asked.items()}
    for seat in ("P3", "P1", "P0"):
        assert t.submit(seat, moves[seat], turn).ok
        assert t.submit(seat, moves[seat], turn).kind == "stale"
        card = moves[seat].split()[1]
        for other in ("P2", "-", seat):  # nobody else learns it; the seat's own page is the control
            shown = json.dumps(table_view(t, other, "en"), ensure_ascii=False)
            assert any(x in shown for x in (f"card:{card}", f">{card}<", f"omerta {card}")) == (other == seat)
    assert list(again(t).state.chosen) == ["P3", "P1", "P0"]
    assert t.state.turn == turn and list(t.state.asked) == ["P2"] and t.state.position.phase == "omerta"
    assert "P2" in table_view(t, "P0", "en")["why"] and table_view(t, "P0", "en")["moves"] == []
    assert t.submit("P2", moves["P2"], turn).ok
    assert t.state.position.phase == "play"
    assert [d["move"] for d in table_view(t, "P0", "en")["log"] if d["move"].startswith("omerta")] == [moves["P0"], "omerta", "omerta", "omerta"]
    assert {s: f"omerta {t.state.position['omerta'][s]}" for s in moves} == moves


def test_a_refusal_says_its_rule_and_writes_nothing(lobby, url):
    for lang, words in (("en", "hand cards"), ("ja", "手札")):
        t = seated(lobby, lang=lang)
        before = t.state.version
        wrong = next(c for c in ("A1", "I1", "C1", "J1") if c not in t.state.position["hand"]["P0"])
        r = t.submit("P0", f"omerta {wrong}", t.state.turn)
        assert r.kind == "refused" and r.rule == "OM-S4" and words in r.text
        assert t.submit("P0", "no such move", t.state.turn).kind == "unknown"
        assert t.submit("-", "omerta A1", t.state.turn).kind == "not_yours"
        assert t.submit("P0", "omerta A1", t.state.turn - 1).kind == "stale"
        assert t.submit("P0", "omerta A1", True).kind == "stale"
        for odd in (None, 7, "", "x" * 201, ["omerta"]):
            assert t.submit("P0", odd, t.state.turn).kind == "malformed"
        assert t.state.version == before and len(t.store.events(t.id)) == before


@pytest.mark.parametrize("processes", [False, True])
def test_of_two_clicks_at_once_exactly_one_counts(lobby, url, processes):
    t = seated(lobby)
    first_moves(t, 4)
    tables = [t, Lobby(Store(url)).tables[t.id]] if processes else [t, t]
    for _ in range(8):
        (seat, at), turn = next(iter(t.state.asked.items())), t.state.turn
        ready = threading.Barrier(2)

        def click(table, seat=seat, move=at.moves[0], turn=turn, ready=ready):
            ready.wait()
            return table.submit(seat, move, turn)

        with ThreadPoolExecutor(2) as pool:
            results = [f.result() for f in [pool.submit(click, x) for x in tables]]
        assert sorted(r.ok for r in results) == [False, True]
        assert {r.kind for r in results} == {"done", "stale"}
        for x in tables:
            x.catch_up()
        assert str(tables[0].state.position) == str(tables[1].state.position)


def test_undo_needs_everybody_else_and_leaves_what_was_played_as_a_branch(lobby):
    t = seated(lobby, people={"P0", "P1", "P2"})
    while t.state.position.phase != "play" or t.state.position["played"] == {s: "-" for s in t.state.seats}:
        if not t.bot_move():
            first_moves(t)
    depth, position = t.state.here.depth, str(t.state.position)
    assert t.ask_undo("P0").ok and t.state.ask.by == "P0"
    assert t.answer_undo("P1", True).ok and t.state.here.depth == depth
    assert t.answer_undo("P2", False).ok and t.state.ask is None and str(t.state.position) == position
    t.ask_undo("P0")
    t.answer_undo("P2", True)
    t.answer_undo("P1", True)
    assert t.state.here.depth < depth and t.state.ask is None
    assert any(str(n.position) == position for n in t.state.game.tree.walk())  # still there, as a branch
    assert t.ask_undo("P3").kind == "not_now"  # a bot asks for nothing
    while t.undo().ok:
        pass
    assert t.state.position.phase == "omerta" and str(again(t).state.position) == str(t.state.position)


def test_a_move_while_somebody_asks_ends_the_question(lobby):
    t = seated(lobby)
    first_moves(t, 5)
    t.ask_undo("P0")
    first_moves(t)
    assert t.state.ask is None and t.answer_undo("P1", True).kind == "stale"


def test_seats_go_from_bot_to_person_and_back_in_the_middle(lobby):
    t = seated(lobby, people={"P0"})
    assert t.submit("P1", t.state.asked["P1"].moves[0], t.state.turn).kind == "not_yours"
    assert t.sit("P1", "Late").ok
    assert t.submit("P1", t.state.asked["P1"].moves[0], t.state.turn).ok
    assert t.seat_bot("P0", "heuristic").ok and t.name("P0") == ""
    while t.bot_move():
        pass
    assert t.state.position.phase == "play"
    who = {d.seat: d.kind for d in t.state.decisions[:4]}
    assert who == {"P0": "bot", "P1": "person", "P2": "bot", "P3": "bot"}
    assert t.seat_bot("P0", "no such bot").kind == "unknown"


def test_a_bot_plays_by_what_its_seat_may_see(lobby):
    """Its choice stays the same whatever lies hidden from it."""
    t = seated(lobby, people=set())
    while t.state.position.phase != "play":
        assert t.bot_move()
    from workbench.ui.session import bot_code

    p, changed = t.state.position, 0
    for luck in range(30):
        other = p.resample(p.to_move, luck)
        other.luck, changed = p.luck, changed + (str(other) != str(p))
        assert bot_code(other, "heuristic", 9) == bot_code(p, "heuristic", 9)
    assert changed > 20


def test_pause_end_and_start_are_asked_for_in_order(lobby):
    t = lobby.create(load("omerta"), luck=3)
    assert "P0, P1, P2, P3" in t.start().text and t.again().kind == "not_now"
    for s in t.state.seats:
        t.sit(s, s)
    assert t.submit("P0", "omerta A1", t.state.turn).kind == "not_now"
    assert t.resume().kind == "not_now" and t.start().ok and t.start().kind == "not_now"
    turn = t.state.turn
    assert t.pause().ok and t.submit("P0", t.state.round["P0"].moves[0], t.state.turn).kind == "not_now"
    assert t.resume().ok and t.submit("P0", t.state.asked["P0"].moves[0], turn).kind == "stale"
    assert t.end().ok and t.state.asked == {} and t.end().kind == "not_now" and t.again().ok and t.state.asked


def test_marks_answers_and_thinking_times_are_tied_to_the_position(lobby):
    t = seated(lobby)
    first_moves(t, 5)
    assert t.mark("P1", "unfair", "<b>why</b>\x00 \u202eme").ok and t.mark("P1", "nonsense", "").kind == "malformed"
    first_moves(t)
    m = again(t).state.marks[0]
    assert (m.seat, m.kind, m.text, m.game) == ("P1", "unfair", "<b>why</b> me", 1)
    assert t.state.game.tree.nodes[m.node].depth == m.depth == t.state.here.depth - 1
    known = ("fun", "change")
    for typed in ("a", "a long", "a long answer"):
        assert t.answer("P2", "change", typed, known).ok
    assert t.answer("P2", "hacked", "x", known).kind == "malformed"
    version = t.state.version
    assert t.answer("P2", "change", "a long answer", known).ok and t.state.version == version  # nothing new, nothing written
    assert t.send("P2").ok and again(t).state.answers[1, "P2", "change"] == "a long answer" and (1, "P2") in again(t).state.sent
    assert len(t.state.decisions) == 6 and all(d.seconds >= 0 for d in t.state.decisions)
    assert len(t.answer("P2", "change", "x" * 10_000, known).text) == 0 and len(t.state.answers[1, "P2", "change"]) == 4000


def test_a_clock_that_jumps_back_neither_loses_a_move_nor_makes_time_negative(lobby, monkeypatch):
    from workbench.playtest import store

    t = seated(lobby)
    monkeypatch.setattr(store.time, "time", lambda: 1000.0)
    first_moves(t, 5)
    assert all(d.seconds == 0 for d in t.state.decisions) and str(again(t).state.position) == str(t.state.position)


def test_a_database_that_refuses_is_said_and_nothing_has_changed(lobby, url):
    import sqlite3

    t = seated(lobby)
    with lobby.store.engine.connect() as c:
        c.exec_driver_sql("PRAGMA busy_timeout=50")
    other = sqlite3.connect(url.removeprefix("sqlite:///"))
    other.execute("BEGIN IMMEDIATE")
    before, turn, move = str(t.state.position), t.state.turn, t.state.asked["P0"].moves[0]
    r = t.submit("P0", move, turn)
    assert r.kind == "error" and "locked" in r.text and str(t.state.position) == before and t.state.chosen == {}
    other.rollback()
    other.close()
    assert t.submit("P0", move, turn).ok


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_seat_is_shown_what_it_may_know_and_nothing_else(lobby, game, lang):
    """Two tables that differ only in what a seat cannot see look the same to it, in every word of the page."""
    t = seated(lobby, game, lang=lang)
    differed = 0
    for n in range(40):
        if t.state.position.over:
            break
        for seat in (*t.state.seats, "-"):
            node, p = t.state.here, t.state.position
            mine = json.dumps(table_view(t, seat, lang), ensure_ascii=False)
            other = p.resample(None if seat == "-" else seat, n)
            if "derive" in p.draft.plain._namespace:
                p.draft.plain.cite.take()
            all_before = json.dumps(table_view(t, "designer", lang), ensure_ascii=False)
            chain, was = (p.previous, p.code, p._events), t.state.round
            swapped = type(p)(p.draft, other.data, previous=chain[0], code=chain[1], luck=p.luck, turned=p.turned, chances=p.chances, events=chain[2])
            node.position, entries = swapped, dict(node.entries)
            t.state.round = together(swapped)
            assert json.dumps(table_view(t, seat, lang), ensure_ascii=False) == mine, (seat, n)
            differed += json.dumps(table_view(t, "designer", lang), ensure_ascii=False) != all_before
            node.position, t.state.round = p, was
            node.entries.clear()
            node.entries.update(entries)
        first_moves(t)
    assert differed > 5 or game in ("bids", "zoo")  # the control: the designer's page does change


def test_before_the_start_nobody_sees_a_hand(lobby):
    t = lobby.create(load("omerta"), luck=3)
    mine = t.state.position["hand"]["P0"].split()
    assert not any(f"card:{c}" in json.dumps(table_view(t, "P0", "en")) for c in mine)
    for s in t.state.seats:
        t.sit(s, s)
    t.start()
    assert all(f"card:{c}" in json.dumps(table_view(t, "P0", "en")) for c in mine)


def test_links_open_their_seat_until_they_are_revoked(lobby, url):
    t = lobby.create(load("omerta"), luck=3)
    key = lobby.keys[t.id, "P0"]
    assert lobby.enter(t.id, key) == (t, "P0") and lobby.enter(t.id, lobby.keys[t.id, "-"]) == (t, "-")
    assert lobby.enter("other", key) is None and lobby.enter(t.id, key + "x") is None
    new = lobby.new_link(t, "P0")
    assert lobby.enter(t.id, key) is None and lobby.enter(t.id, new) == (t, "P0")
    lobby.revoke(t, "P0")
    assert lobby.enter(t.id, new) is None
    later = Lobby(Store(url))
    assert later.keys == {} and later.enter(t.id, lobby.keys[t.id, "P1"])[1] == "P1"


def test_a_link_to_a_table_whose_rules_broke_meanwhile_opens_nothing_and_the_lobby_says_why(lobby, url, tmp_path):
    folder = tmp_path / "bids"
    shutil.copytree(GAMES["bids"], folder)
    other, told = Lobby(Store(url)), []
    t, whole = lobby.create(load(folder)), lobby.create(load("omerta"))
    key, fine = lobby.keys[t.id, "P0"], lobby.keys[whole.id, "P0"]
    good = (folder / "rules.py").read_text("utf-8")
    (folder / "rules.py").write_text("def broken(:\n", "utf-8")
    other.listen(lambda: told.append(1))
    assert other.enter(t.id, key) is None and "rules.py:1" in other.faults[t.id] and told
    assert other.enter(t.id, key) is None and other.enter(whole.id, fine)[1] == "P0"
    (folder / "rules.py").write_text(good, "utf-8")
    assert Lobby(Store(url)).enter(t.id, key)[1] == "P0"
    other.store.close()


def test_a_table_has_the_name_that_the_designer_gave_it(lobby, url):
    t = lobby.create(load("omerta"), title=" <b>Friday\x00\u202e</b>\n evening " + "x" * 100)
    assert t.state.title == ("<b>Friday</b> evening " + "x" * 100)[:60] and t.label == f"{t.state.title} · {t.id}"
    assert Lobby(Store(url)).tables[t.id].state.title == t.state.title
    plain = lobby.create(load("omerta"), title=" \u200b ")
    assert plain.state.title == "" and plain.label == plain.id and not any(e.what == "title" for e in plain.store.events(plain.id))


def test_a_server_sees_the_tables_and_moves_of_another_on_the_same_database(lobby, url):
    other = Lobby(Store(url))
    t = seated(lobby)
    told = []
    other.catch_up()
    other.tables[t.id].listen(lambda: told.append(1))
    first_moves(t, 5)
    other.catch_up()
    assert told and str(other.tables[t.id].state.position) == str(t.state.position)


def test_a_listener_that_fails_is_let_go_and_the_others_hear(lobby):
    t, heard = lobby.create(load("omerta"), luck=3), []
    t.listen(lambda: 1 / 0)
    t.listen(lambda: heard.append(1))
    t.sit("P0", "A")
    t.sit("P1", "B")
    assert len(heard) == 2 and len(t._listeners) == 1


def test_too_many_tables_and_bad_luck_are_refused(url):
    lobby = Lobby(Store(url), most=2)
    with pytest.raises(WorkbenchError, match="luck"):
        lobby.create(load("omerta"), luck=-1)
    lobby.create(load("omerta"))
    lobby.create(load("omerta"))
    with pytest.raises(WorkbenchError, match="2 tables already"):
        lobby.create(load("omerta"))


PLAYER = """
import sys
from workbench.playtest.lobby import Lobby
from workbench.playtest.store import Store
t = Lobby(Store(sys.argv[1])).tables[sys.argv[2]]
while not t.state.position.over:
    seat, at = next(iter(t.state.asked.items()))
    if t.submit(seat, at.moves[0], t.state.turn).ok:
        print(t.state.version, flush=True)
"""


def test_a_server_killed_in_the_middle_goes_on_with_every_confirmed_move(lobby, url):
    t, confirmed = seated(lobby), 0
    for _ in range(3):
        p = subprocess.Popen([sys.executable, "-c", PLAYER, url, t.id], cwd=HERE.parent, stdout=subprocess.PIPE, text=True)
        said = [p.stdout.readline() for _ in range(5)]
        p.kill()
        said += p.stdout.read().split("\n")
        p.wait()
        p.stdout.close()
        confirmed = max(int(x) for x in said if x.strip())
        other = again(t)
        assert other.state.version >= confirmed and not other.note
        t = other
    assert confirmed > 15
    first_moves(t)



def concerned(p, move):
    """Whose word a move needs, looked up in the position: the maid's player, or the one a promise is offered to."""
    word, _, what = move.partition(" ")
    return what if word == "promise" else next(s for s, maids in p["maids"].items() if what in maids.split())


def asks_alone(t, seat, words):
    """Only this seat is asked, whatever the others try; its page alone shows the answers."""
    assert list(t.state.asked) == [seat]
    before, turn = t.state.version, t.state.turn
    for other in (*t.state.seats, "-"):
        offered = {m["name"] for m in table_view(t, other, "en")["moves"]}
        assert offered == (words if other == seat else set())
        for word in words if other != seat else ():
            assert t.submit(other, word, turn).kind == "not_yours"
    assert t.state.version == before


def test_consent_is_asked_of_the_one_concerned_and_of_nobody_else_and_can_be_refused(lobby):
    t = lobby.create(load("maid-mafia", players=3, promises=1), luck=2)
    for s in t.state.seats:
        t.sit(s, s)
    t.start()
    rnd, seen = random.Random(4), Counter()

    def say(seat, word):
        assert t.submit(seat, word, t.state.turn).ok
        return t.state.position

    while not t.state.position.over and len(seen) < 3:
        at, seat = t.state.position, t.state.position.to_move
        asking = [m for m in at.moves if m.split()[0] in ("join", "promise") and concerned(at, m) != seat and seen[m.split()[0]] < 2]
        move = rnd.choice(asking or at.moves)
        if at.phase == "help":  # who stands there and is in the fight on neither side
            others = [s for s in t.state.seats if s != seat]
            asks_alone(t, seat, {"decline", *(f"help {s}" for s in others)})
            assert say(seat, "decline")["side"] == at["side"] and t.undo().ok
            assert say(seat, f"help {others[0]}")["side"] != at["side"]
            seen["help"] += 1
            continue
        say(seat, move)
        if asking:
            who, (word, _, what) = concerned(at, move), move.partition(" ")
            for answer in ("refuse", "agree"):  # the first is taken back
                assert t.state.position.phase == "consent"
                asks_alone(t, who, {"agree", "refuse"})
                now, agreed = say(who, answer), answer == "agree"
                assert (what in now["group"].split()) == agreed if word == "join" else (now.phase == "gift") == agreed
                assert agreed or t.undo().ok
            seen[word] += 1
    assert set(seen) == {"join", "promise", "help"}

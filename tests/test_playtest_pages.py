"""The pages of a playtest without a browser: messages, what is let go, secrets, the form, the rulebook, export and erasing."""

import asyncio
import csv
import gc
import json
import logging
import shutil
import threading
import time
import weakref

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("tornado")

from rawclient import Client, apart, merged  # noqa: E402
from tornado.httpclient import HTTPClientError  # noqa: E402
from tornado.ioloop import IOLoop  # noqa: E402

from workbench.cli import main  # noqa: E402
from workbench.core.draft import load  # noqa: E402
from workbench.core.errors import RulesetError, WorkbenchError  # noqa: E402
from workbench.core.ruleset import home, load_ruleset  # noqa: E402
from workbench.playtest import serve as serving  # noqa: E402
from workbench.playtest.designerpage import DesignerPage, LobbyPage, qr  # noqa: E402
from workbench.playtest.export import export, frames  # noqa: E402
from workbench.playtest.form import questions  # noqa: E402
from workbench.playtest.lobby import Lobby  # noqa: E402
from workbench.playtest.page import AT_ONCE, HELD  # noqa: E402
from workbench.playtest.rulebook import rulebook  # noqa: E402
from workbench.playtest.seatpage import SeatPage  # noqa: E402
from workbench.playtest.store import Store, StoreError, file_url  # noqa: E402
from workbench.playtest.texts import clean  # noqa: E402
from workbench.ui.open import session_of  # noqa: E402


def playing(lobby, people=("P0", "P1", "P2", "P3"), lang="en"):
    t = lobby.create(load("omerta"), luck=3, lang=lang)
    for s in t.state.seats:
        t.sit(s, f"Person {s}") if s in people else t.seat_bot(s, "random")
    assert t.start().ok
    return t


def page_of(lobby, t, seat):
    made = SeatPage(lobby, t, seat, lobby.keys[t.id, seat], questions())
    made.refresh()
    return made


def shown(page, where="sheet"):
    page.refresh()
    return page.shown.get(where)


def walk(items):
    for i in items:
        yield i
        yield from walk(i.get("items", []))


def test_what_has_changed_brings_a_browser_up_to_date(lobby):
    t = playing(lobby, people=("P0", "P1"))
    page, known = SeatPage(lobby, t, "P0", lobby.keys[t.id, "P0"], questions()), {}

    def take(text):  # as page.js does
        for part, news in json.loads(text or "{}").items():
            known[part] = merged(known.get(part, {}), news)

    while not t.state.position.over:
        take(page.refresh())
        assert known == json.loads(json.dumps(page.shown))
        if t.state.here.depth == 20:
            page.received("sheet", {"seq": 1, "id": "lang", "value": "ja"})
        seat, at = next(iter(t.state.asked.items()))
        assert t.bot_move() if seat in ("P2", "P3") else t.submit(seat, at.moves[-1], t.state.turn).ok
    take(page.refresh())
    assert page.refresh() == "" and known["table"]["lang"] == "ja" and t.state.here.depth > 20
    t.mark("P1", "great", "x" * 300)
    assert len(page.refresh()) < 100 < len(json.dumps(page.shown["table"])) // 100  # only what changed goes out
    page.close()


def test_a_tables_name_stands_in_the_lobby_on_its_page_and_over_every_seat(lobby):
    page, name = LobbyPage(lobby, load_ruleset("omerta"), "k"), "<b>Friday</b>"
    page.received("sheet", {"seq": 1, "id": "create", "value": {"draft": "draft6", "players": "4", "luck": "", "table_lang": "ja", "title": name}})
    t = next(iter(lobby.tables.values()))
    assert t.state.title == name and name in page.said["sheet"]
    pages = [page, DesignerPage(lobby, t, "k", "http://x"), page_of(lobby, t, "P0"), page_of(lobby, t, "-")]
    for p in pages:
        p.refresh()
        assert any(name in (i.get("text") or i.get("label") or "") for i in walk(shown(p)["items"]))
        p.close()
    unnamed = page_of(lobby, lobby.create(load("omerta")), "P0")
    assert shown(unnamed)["items"][0]["text"] == "Your seat: P0"
    unnamed.close()



def test_every_text_of_every_page_stands_in_both_languages(lobby):
    t = playing(lobby)
    t.ask_undo("P0")
    for lang in ("en", "ja"):
        words = set()
        for page in (page_of(lobby, t, "P0"), page_of(lobby, t, "-"), LobbyPage(lobby, load_ruleset("omerta"), "k"), DesignerPage(lobby, t, "k", "http://x")):
            page.lang = lang
            words |= {i.get("text") or i.get("label") or "" for i in walk([*page.sheet_items(), *page.side_items(), *(page.book_items() or ())])}
            page.close()
        japanese = {w for w in words if any("\u3040" <= c <= "\u9fff" for c in w) and w != "日本語"}
        assert (len(japanese) > 40) == (lang == "ja")


def test_malformed_messages_by_the_thousand_change_nothing_and_are_answered(lobby):
    import random

    t = playing(lobby)
    page, rnd = page_of(lobby, t, "P0"), random.Random(5)
    page.speed.allows = lambda: True  # how fast they may come is another question
    before = len(t.store.events(t.id))
    odd = [None, True, -1, 2**60, 1.5, "", "x" * 5000, [], {}, ["play"], {"seq": 1}, "omerta A9", "play", float("nan"), "\x00", {"a": {"b": []}}]
    for n in range(2_000):
        message = {k: rnd.choice([*odd, n]) for k in rnd.sample(["seq", "act", "value", "version", "id", "x"], rnd.randrange(7))}
        page.received(rnd.choice(["sheet", "side", "table"]), rnd.choice([message, message, rnd.choice(odd)]))
    assert len(t.store.events(t.id)) == before
    for where in page.seqs:
        page.seqs[where] = 0
    page.received("table", {"seq": 1, "act": "play", "value": t.state.asked["P0"].moves[0], "version": t.state.turn})
    assert "P0" in t.state.chosen and page.said["table"] == ""
    page.received("table", {"seq": 2, "act": "play", "value": "omerta A1", "version": t.state.turn})
    assert "chosen already" in shown(page, "table")["said"]
    page.received("table", {"seq": 2, "act": "play", "value": "omerta A1", "version": t.state.turn})  # the same number again
    assert "no move" in page.said["table"]
    page.close()


def test_a_page_that_sends_too_fast_is_held_back_and_lives_on(lobby):
    t = playing(lobby)
    page = page_of(lobby, t, "P0")
    for n in range(1, 200):
        page.received("side", {"seq": n, "id": "mark great", "value": {"mark_text": str(n)}})
    assert "Too fast" in page.said["side"] and 0 < len(t.state.marks) < 100
    page.speed.at -= 60
    page.received("side", {"seq": 300, "id": "mark great", "value": {}})
    assert "Marked" in page.said["side"]
    page.close()


def test_a_flood_is_drawn_a_few_times_however_large_it_is(lobby):
    t, wakes, at_once = playing(lobby), [], 0
    page = page_of(lobby, t, "P0")
    page.connect(wakes.append)
    for n in range(1, 500):  # as the socket does it
        if page.received("table", {"seq": n, "act": "play", "value": "omerta A1", "version": -1}):
            at_once += 1
            page.refresh()
    assert AT_ONCE <= at_once < 100 and wakes.count(HELD) <= at_once
    page.refresh()
    assert shown(page, "table")["seq"] == 499  # in the end all of it is answered
    page.close()


def test_a_refusal_is_shown_with_its_rule_and_a_spectator_can_do_nothing(lobby):
    t = playing(lobby)
    page, looker = page_of(lobby, t, "P0"), page_of(lobby, t, "-")
    card = t.state.position["hand"]["P1"].split()[0]
    page.received("table", {"seq": 1, "act": "play", "value": f"omerta {card}", "version": t.state.turn})
    assert page.said["table"].endswith("[OM-S4]") and "hand cards" in page.said["table"]
    page.received("sheet", {"seq": 1, "id": "lang", "value": "ja"})  # this page alone speaks Japanese now
    page.received("table", {"seq": 2, "act": "play", "value": f"omerta {card}", "version": t.state.turn})
    assert "手札" in page.said["table"] and t.lang == "en"
    version = t.state.version
    for n, id in enumerate(("sit", "undo", "undo_yes", "mark great", "answer fun", "send", "start", "again"), 1):
        looker.received("sheet", {"seq": n, "id": id, "value": {"name": "x"}})
        assert "looking on" in looker.said["sheet"]
    looker.received("table", {"seq": 1, "act": "play", "value": "omerta A1", "version": t.state.turn})
    assert "looking on" in looker.said["table"] and t.state.version == version
    for p in (page, looker):
        p.close()


def test_a_page_whose_link_was_revoked_shows_and_takes_nothing(lobby):
    t = playing(lobby)
    page = page_of(lobby, t, "P0")
    assert shown(page, "table")["zones"]
    move = t.state.asked["P0"].moves[0]
    lobby.store.revoke(t.id, "P0")  # as another process would: this one has not heard of it
    page.received("table", {"seq": 1, "act": "play", "value": move, "version": t.state.turn})
    assert t.state.chosen == {} and "opens nothing" in json.dumps(shown(page)) and list(page.shown) == ["sheet"]
    page.close()


def test_an_error_inside_shows_no_value_to_the_visitor_and_none_in_the_log(lobby, monkeypatch, capsys):
    t = playing(lobby)
    page, hand = page_of(lobby, t, "P0"), "secret value"

    def fails(*args):
        raise ValueError(hand)

    monkeypatch.setattr(t, "submit", fails)
    page.received("table", {"seq": 1, "act": "play", "value": "x", "version": 0})
    assert "went wrong" in page.said["table"]
    err = capsys.readouterr().err
    assert "secret value" not in err and "ValueError" in err and "test_playtest_pages" in err
    page.close()


def test_closed_pages_are_let_go(lobby):
    t = playing(lobby)
    before, made = len(t._listeners), []
    for _ in range(20):
        page = page_of(lobby, t, "P0")
        made.append(weakref.ref(page))
        page.close()
    del page
    gc.collect()
    assert len(t._listeners) == before and not t.connected("P0")
    assert sum(x() is not None for x in made) == 0


def test_names_and_texts_are_data(lobby):
    t = playing(lobby)
    hostile = "</script><b onclick=x>\u202e\x07" + "a" * 100
    assert t.sit("P0", hostile).ok
    assert t.name("P0") == ("</script><b onclick=x>" + "a" * 100)[:40]
    assert t.sit("P0", " \u200b\n ").kind == "malformed" and t.name("P0").startswith("</script>")
    assert clean("a\nb\tc", 10) == "a b c" and clean("a\nb", 10, lines=True) == "a\nb" and clean(7, 10) == "" and len(clean("x" * 10**6, 50)) == 50


def test_the_secret_is_made_once_kept_from_others_and_the_designers_link_stays(tmp_path):
    first = serving.secret(tmp_path)
    assert serving.secret(tmp_path) == first and (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600
    assert serving.designer_key(first) == serving.designer_key(first) != serving.designer_key(first + "x")
    (tmp_path / "secret.key").chmod(0o644)
    with pytest.raises(WorkbenchError, match="0600"):
        serving.secret(tmp_path)
    (tmp_path / "secret.key").chmod(0o600)
    (tmp_path / "secret.key").write_text("short")
    with pytest.raises(WorkbenchError, match="cut"):
        serving.secret(tmp_path)


def test_logs_hold_no_links(caplog):
    before = logging.getLogRecordFactory()
    try:
        serving.veil_logs()
        logging.getLogger("tornado.access").warning("403 GET /t/%s/%s/ws (127.0.0.1)", "0a1b2c", "Key-123_x")
        logging.getLogger("any").warning("at http://h:1/d/abcdef0123/0a1b2c failed")
    finally:
        logging.setLogRecordFactory(before)
    assert "Key-123" not in caplog.text and "abcdef0123" not in caplog.text and "403 GET /t/0a1b2c/…" in caplog.text


def test_the_form_is_the_designers_to_change(tmp_path):
    assert {q.id for q in questions(tmp_path)} >= {"alone", "fun", "length"}
    (tmp_path / "form.toml").write_text('[[question]]\nid = "a"\nkind = "text"\nen = "A?"\nja = "あ？"\n', "utf-8")
    assert [q.text["ja"] for q in questions(tmp_path)] == ["あ？"]
    for bad in ('[[question]]\nid = "a"\nkind = "stars"\nen = "A"\nja = "A"\n', '[[question]]\nid = "a"\nkind = "text"\nen = "A"\n', "question = 7", "[["):
        (tmp_path / "form.toml").write_text(bad, "utf-8")
        with pytest.raises(RulesetError, match="form.toml"):
            questions(tmp_path)


@pytest.mark.parametrize("game", ["omerta", "nyanbar-one"])
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_rulebook_holds_every_rule_and_marks_what_the_draft_changes(game, lang):
    d = load(game)
    book = rulebook(d, lang)
    assert [i["rule"] for i in book if i["k"] == "rule"] == list(d.ruleset.text[lang]) and not any(i.get("changed") for i in book)
    name, p = next((n, p) for n, p in d.ruleset.parameters.entries.items() if p.rule in d.ruleset.text[lang] and isinstance(p.default, int) and p.default < p.hi)
    changed = rulebook(d.vary(**{name: p.default + 1}), lang)
    assert [i["rule"] for i in changed if i.get("changed")] == [p.rule] and f"{p.default} → {p.default + 1}" in changed[0]["text"]


def test_the_rulebook_marks_rules_whose_code_a_draft_replaces(tmp_path):
    folder = tmp_path / "omerta"
    shutil.copytree(home("rulesets") / "omerta", folder)
    (folder / "bold.py").write_text("def hero(p, s, seat):\n    return 3 if s.leader == seat else 0\n", "utf-8")
    (folder / "cite.py").write_text('from workbench.core.vocabulary import cite, rule\n\nO1 = rule("OM-O1")\n\n\ndef hero(p, s, seat):\n'
                                    "    cite(O1, seat, 3)\n    return 3\n", "utf-8")
    with (folder / "drafts.toml").open("a", encoding="utf-8") as f:
        for name in ("bold", "cite"):
            f.write(f'\n[drafts.{name}]\nbase = "draft6"\nrules = "{name}.py"\ntitle = {{en = "{name}", ja = "{name}"}}\n')

    def book(name, **changes):
        items = rulebook(load(folder, name, **changes), "en")
        return [i["rule"] for i in items if i.get("changed")], [i["text"] for i in items if i["k"] == "text"]

    assert book("draft6") == ([], [])
    assert book("bold")[0] == ["OM-O6"] and "hero" in book("bold")[1][0]
    assert book("cite")[0] == ["OM-O1", "OM-O6"]  # what it cites now, and what it cited
    assert book("bold", peace_per_player=2)[0] == ["OM-O1", "OM-O6"]
    text = (folder / "drafts.toml").read_text("utf-8")
    (folder / "drafts.toml").write_text(text.replace('default = "draft6"', 'default = "bold"'), "utf-8")
    assert book("bold") == ([], []) and book("draft6")[0] == ["OM-O6"]  # beside the usual draft, whatever it replaces


def test_a_qr_code_is_a_drawing():
    assert qr("http://localhost:1/t/a/b").startswith("<svg") and qr("http://x/1") != qr("http://x/2")


def test_everything_is_exported_and_a_game_opens_at_the_designers_table(lobby, tmp_path):
    t = playing(lobby)
    for _ in range(8):
        seat, at = next(iter(t.state.asked.items()))
        t.submit(seat, at.moves[0], t.state.turn)
    t.mark("P0", "unfair", "=1+1 why")
    t.undo()
    t.answer("P1", "fun", "5", ("fun",))
    names = [f.name for f in export(lobby.store, tmp_path / "out", names=True)]
    assert set(names) == {"decisions.csv", "marks.csv", "answers.csv", "games.csv", "playtests.json", f"table-{t.id}-game1.jsonl"}
    with (tmp_path / "out" / "marks.csv").open(encoding="utf-8-sig") as f:
        assert [(r["person"], r["text"]) for r in csv.DictReader(f)] == [("Person P0", "'=1+1 why")]
    doc = json.loads((tmp_path / "out" / "playtests.json").read_text("utf-8"))
    assert len(doc["decisions"]) == 8 and doc["marks"][0]["text"] == "=1+1 why" and doc["answers"][0]["text"] == "5"
    assert [r["kind"] for r in doc["games"]] == ["person"] * 4 and doc["faults"] == {}
    session = session_of(tmp_path / "out" / f"table-{t.id}-game1.jsonl")
    assert session.here.depth == t.state.here.depth
    comments = [n.comment for n in session.tree.walk() if n.comment]
    assert [c for c in comments if "[" in c] == ["P0 [unfair] =1+1 why"] and len(list(session.tree.walk())) > session.here.depth + 1  # what was taken back is a branch
    assert sum(c.count(" s") for c in comments) == 8 and [n.name for n in session.tree.walk() if n.name] == ["⚑"]  # each decision with its thinking time
    made = frames(lobby.store)
    assert made["decisions"].height == 8 and made["marks"]["person"].dtype.is_integer() and made["games"]["luck"][0] == "3"
    assert frames(Store("sqlite://"))["marks"].height == 0


def test_the_commands_back_up_export_and_erase(lobby, tmp_path, capsys):
    t = playing(lobby)
    t.mark("P0", "great", "my words")
    data = ["--data", str(tmp_path)]
    assert main(["playtest", "backup", str(tmp_path / "copy.sqlite"), *data]) == 0
    assert main(["playtest", "backup", str(tmp_path / "copy.sqlite"), *data]) == 2
    assert main(["playtest", "export", str(tmp_path / "out"), *data]) == 0
    assert "Person P0" not in (tmp_path / "out" / "playtests.json").read_text("utf-8")  # by number, unless names are asked for
    assert main(["playtest", "erase-person", "person p0", *data]) == 0
    out = capsys.readouterr()
    assert "1 people called" in out.out and "there already" in out.err
    later = Lobby(Store(file_url(tmp_path / "playtests.sqlite"))).tables[t.id]
    assert later.name("P0") == "" and later.name("P1") == "Person P1" and later.state.marks[0].text == "" and later.state.version == t.state.version
    assert Lobby(Store(file_url(tmp_path / "copy.sqlite"))).tables[t.id].name("P0") == "Person P0"
    assert main(["playtest", "export", "x", "--data", str(tmp_path / "none")]) == 2
    assert main(["serve", "omerta", "--data", str(tmp_path)]) == 2 and main(["serve", "--playtest", "omerta", "--players", "3"]) == 2
    for password in (["--database", "postgresql+psycopg://u:Geheim@nowhere.invalid/x"],):
        assert main(["playtest", "export", "x", "--data", str(tmp_path), *password]) == 2
    assert "Geheim" not in "".join(capsys.readouterr())


PAGES = 300


@pytest.fixture
def running(lobby, tmp_path):
    """A server in a thread of its own, and its port."""
    from browser.table import free_port

    port, started, found = free_port(), threading.Event(), {}

    def run():
        asyncio.set_event_loop(asyncio.new_event_loop())
        found["server"], found["loop"] = serving.Served(lobby, load_ruleset("omerta"), tmp_path, port=port), IOLoop.current()
        found["loop"].add_callback(started.set)
        found["server"].run()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(60)
    yield port
    found["loop"].add_callback(found["server"].stop)
    thread.join(20)


def test_opened_and_closed_pages_leave_nothing_behind(lobby, running, monkeypatch):
    t, made, first = playing(lobby), [], SeatPage.__init__
    before = len(t._listeners)

    def init(self, *args):
        first(self, *args)
        made.append(weakref.ref(self))

    monkeypatch.setattr(SeatPage, "__init__", init)
    url = f"http://127.0.0.1:{running}/t/{t.id}/{lobby.keys[t.id, 'P0']}"

    async def visit():
        for _ in range(PAGES):
            visitor = await Client(url).open()
            assert visitor.view["zones"]
            visitor.close()

    apart(visit())
    assert len(made) == PAGES
    until = time.monotonic() + 60
    while (len(t._listeners) > before or any(x() for x in made)) and time.monotonic() < until:
        time.sleep(0.2)
        gc.collect()
    assert len(t._listeners) == before and sum(x() is not None for x in made) == 0 and not t.connected("P0")


def test_a_database_that_is_away_is_said_on_the_page_which_asks_again(lobby, running, monkeypatch):
    t = playing(lobby)
    c = Client(f"http://127.0.0.1:{running}/t/{t.id}/{lobby.keys[t.id, 'P0']}")

    def away(*args):
        raise StoreError("The database <is> away.")

    async def tried():
        with monkeypatch.context() as m:
            m.setattr(lobby.store, "seat_of", away)
            with pytest.raises(HTTPClientError, match="503") as e:
                await c.page()
            said = e.value.response.body.decode()
            assert "The database &lt;is&gt; away." in said and 'http-equiv="refresh"' in said and "Traceback" not in said
        assert (await (await c.open()).play())[0] == ""  # the control: it is back
        c.close()

    apart(tried())


def test_links_name_an_address_that_others_can_open(lobby, tmp_path):
    made = serving.Served(lobby, load_ruleset("omerta"), tmp_path, port=0, origins=("192.0.2.7:5006",))
    try:
        assert made.base("http://localhost:5006") == made.base("http://127.0.0.1:5006") == "http://192.0.2.7:5006"
        assert made.base("https://play.example.org") == "https://play.example.org"
        made.outside = ""
        assert made.base("http://localhost:5006") == "http://localhost:5006"
        page = made.find(f"{made.path}/{playing(lobby).id}", "https://play.example.org")[1]()
        assert {i["url"].split("/t/")[0] for i in walk(shown(page)["items"]) if i["k"] == "link"} == {"https://play.example.org"}
        page.close()
    finally:
        made.server.stop()
    assert serving.addresses("10.1.2.3") == ["10.1.2.3"] and all(x.count(".") == 3 and not x.startswith("127.") for x in serving.addresses("0.0.0.0"))


def test_an_error_of_the_core_is_said_in_the_language_of_the_page(lobby):
    page = LobbyPage(lobby, load_ruleset("omerta"), "k")
    for n, lang in enumerate(("en", "ja"), 1):
        page.received("sheet", {"seq": 2 * n, "id": "lang", "value": lang})
        page.received("sheet", {"seq": 2 * n + 1, "id": "create", "value": {"draft": "nonsense", "players": "4"}})
        assert any("\u3040" <= c <= "\u9fff" for c in page.said["sheet"]) == (lang == "ja") and "nonsense" in page.said["sheet"]
    page.close()

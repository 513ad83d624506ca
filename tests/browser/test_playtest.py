"""Playtests in real browsers: people at their seats, the designer, and what a hostile visitor can do."""

import json
import re

import pytest

pytest.importorskip("sqlalchemy")

from rawclient import Client, apart, token_in  # noqa: E402
from tornado.httpclient import HTTPClientError  # noqa: E402

from browser.playtests import SEND, SHOWN, Playtests, choose, opened  # noqa: E402
from browser.table import until  # noqa: E402
from browser.test_panel import CARDS, shown_cards, words_in  # noqa: E402
from workbench.core.draft import load  # noqa: E402
from workbench.playtest.web import Site  # noqa: E402


def test_the_designer_opens_a_table_and_two_people_play_at_it(server, watch):
    d = opened(watch, server.designer)
    d.page.get_by_role("button", name="Open", exact=True).click()
    link = d.page.get_by_role("link", name="Table").first
    link.wait_for()
    t = opened(watch, server.url.rstrip("/") + link.get_attribute("href"))
    links = [x.input_value() for x in t.page.locator("input[readonly]").all()]
    assert len(set(links)) == 5
    t.page.get_by_role("button", name="Start", exact=True).click()
    until(t.page, lambda: "Nobody sits at" in t.page.locator(".said").first.inner_text())
    who = t.page.locator("select").filter(has=t.page.locator("option", has_text="heuristic"))
    for n in (2, 3):
        who.nth(n).select_option("heuristic")
    hostile = "<img src=x onerror=alert(1)>"
    seats = []
    for url, name in ((links[0], "愛子"), (links[1], hostile)):
        s = opened(watch, url)
        s.page.get_by_label("Name").fill(name)
        s.page.get_by_label("Name").press("Enter")
        s.page.get_by_text("Mark this moment").wait_for()
        seats.append(s)
    spectator = opened(watch, links[4])
    t.page.get_by_text("connected").nth(1).wait_for()
    t.page.get_by_role("button", name="Start", exact=True).click()
    for s in seats[::-1]:  # in any order: all choose at the same time
        s.page.get_by_text("It is your turn.").wait_for()
        assert choose(s.page).startswith("omerta")
    for w in (t, *seats):  # else a page that has not heard yet still offers what was chosen
        until(w.page, lambda w=w: "play a card" in w.page.locator(".wb-why").inner_text())
    played = 0
    while played < 4:
        s = next((s for s in seats if s.page.locator(".wb-moves button[data-m]").count()), None)
        if s is None:
            t.page.wait_for_timeout(100)
            continue
        name, played = choose(s.page), played + 1
        for other in (t, spectator):
            until(other.page, lambda other=other, name=name: name in other.page.locator(".wb-log").inner_text())
    for page in (t.page, seats[0].page, spectator.page):
        assert hostile in page.locator(".wb-seats").inner_text() and page.locator("img").count() == 0
    assert spectator.page.locator(".wb-moves button[data-m]").count() == 0
    for w in (d, t, *seats, spectator):
        w.clean()


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_phone_shows_everything_and_plays(server, watch, lang):
    t = server.table(lang=lang)
    w = opened(watch, server.link(t, "P0"), viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    p = w.page
    p.locator(".wb-moves button[data-m]").first.wait_for()
    assert ("オメルタ" in p.locator(".wb-head").inner_text()) == (lang == "ja")
    for x in p.locator("summary").all():
        x.click()
    p.wait_for_timeout(300)
    wide = p.evaluate("""() => { const out = []; const look = (root) => { for (const e of root.querySelectorAll('*')) { if (e.shadowRoot) look(e.shadowRoot);
        const r = e.getBoundingClientRect(); if (r.width && !e.closest('.wb-live') && (r.right > 391 || r.left < -1)) out.push([e.tagName, e.className, r.right]); } };
        look(document); return [out, document.documentElement.scrollWidth, document.querySelectorAll('*').length]; }""")
    assert wide[0] == [] and wide[1] <= 390 and wide[2] > 10
    own = p.locator(".wb-seat").first
    assert "P0" in own.inner_text()  # one's own hand comes first
    p.locator(".wb-seat .wb-t.can").first.tap()
    until(p, lambda: server.fresh(t).chosen.get("P0"))
    w.clean()


def test_the_keyboard_alone_takes_a_seat_and_plays(server, watch):
    t = server.lobby.create(load("omerta"), luck=3, lang="en")
    for seat in ("P1", "P2", "P3"):
        t.seat_bot(seat, "random")
    p = opened(watch, server.link(t, "P0")).page
    focused = """() => { let a = document.activeElement; while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement;
        return a ? (a.dataset.field ?? a.dataset.m ?? a.textContent) : ''; }"""

    def tab_to(wanted):
        for _ in range(60):
            p.keyboard.press("Tab")
            if wanted(p.evaluate(focused)):
                return
        raise AssertionError("not reached by the keyboard")

    tab_to(lambda x: x == "name")
    p.keyboard.type("Keys")
    p.keyboard.press("Enter")
    until(p, lambda: server.fresh(t).persons == ["P0"])
    assert t.start().ok
    for _ in range(3):
        until(p, lambda: "P0" in server.fresh(t).asked)
        p.wait_for_function(SHOWN, arg=t.state.turn)
        p.get_by_text("It is your turn.").wait_for()
        before = server.fresh(t).version
        tab_to(lambda x: bool(re.fullmatch(r"(omerta )?[AICJ][1-8]|out", x)))
        p.keyboard.press("Enter")
        until(p, lambda before=before: server.fresh(t).version > before)


def test_no_card_of_another_seat_is_in_any_frame_page_or_log(server, watch):
    t = server.table()
    hands = {s: set(h.split()) for s, h in t.state.position["hand"].items()}
    pages = {s: opened(watch, server.link(t, s)) for s in ("P0", "P1", "-")}
    for s in ("P0", "P1"):
        pages[s].page.locator(".wb-moves button[data-m]").first.wait_for()
        choose(pages[s].page)
    until(pages["-"].page, lambda: server.fresh(t).position.phase == "play" and "play a card" in pages["-"].page.locator(".wb-why").inner_text())
    pages["-"].page.wait_for_timeout(800)
    omertas = {s: server.fresh(t).position["omerta"][s] for s in hands}
    played = {c for v in server.fresh(t).position["played"].values() for c in v.split()} - {"-"}
    for seat, w in pages.items():
        w.page.reload()
        w.page.locator(".wb-seat").first.wait_for()
        w.page.wait_for_timeout(500)
        seen = shown_cards(words_in(w.frames) + w.page.content())
        own = hands.get(seat, set())
        assert seen <= own | played, (seat, seen - own - played)
        assert own <= seen  # the control: what there is to see is found in the same way
        assert not any(f"omerta {c}" in words_in(w.frames) for s, c in omertas.items() if s != seat)
    d = opened(watch, f"{server.designer}/{t.id}")
    d.page.wait_for_timeout(500)
    assert set().union(*hands.values()) <= shown_cards(words_in(d.frames)) and len(CARDS) == 32
    log = server.log.read_text()
    assert server.lobby.keys[t.id, "P0"] not in log and shown_cards(log) == set()


def test_marks_answers_and_undo_reach_everybody_and_survive_a_reload(server, watch):
    t = server.table()
    a, b = (opened(watch, server.link(t, s)).page for s in ("P0", "P1"))
    d = opened(watch, f"{server.designer}/{t.id}").page
    for p in (a, b):
        p.locator(".wb-moves button[data-m]").first.wait_for()
        choose(p)
    until(a, lambda: "play a card" in a.locator(".wb-why").inner_text())
    a.get_by_label("A line about it").fill("why <i>this</i>?")
    a.get_by_role("button", name="This felt unfair").click()
    d.get_by_text("This felt unfair. why <i>this</i>?").wait_for()
    assert a.get_by_label("A line about it").input_value() == ""
    a.get_by_text("Questions after the game").click()
    a.get_by_label("What would you change").fill("half an ans")
    a.get_by_role("radio").nth(2).check()
    until(a, lambda: len(server.fresh(t).answers) == 2)
    a.reload()
    a.get_by_text("Questions after the game").click()
    until(a, lambda: a.get_by_label("What would you change").input_value() == "half an ans")
    assert a.get_by_role("radio").nth(2).is_checked()
    a.get_by_role("button", name="Ask to take back").click()
    b.get_by_text("Person P0 asks to take back").wait_for()
    b.get_by_role("button", name="Agree").click()
    until(a, lambda: "All choose at the same time" in a.locator(".wb-why").inner_text())


RINGS = """window.rings = 0; window.AudioContext = class { constructor() { window.rings += 1; this.currentTime = 0; this.destination = {}; }
  createOscillator() { return {frequency: {}, connect: (x) => x, start() {}, stop() {}}; } createGain() { return {gain: {}, connect: (x) => x}; } close() {} };"""


def test_the_sound_is_made_when_the_turn_comes_and_only_where_it_is_on(server, watch):
    t = server.table(people=("P0", "P1", "P2", "P3"), start=False)
    watched = {s: watch() for s in ("P0", "P1")}
    pages = {s: w.page for s, w in watched.items()}
    for s, p in pages.items():
        p.add_init_script(RINGS)
        p.goto(server.link(t, s))
        p.get_by_text("Sound at my turn").wait_for(state="attached")
    box = pages["P1"].get_by_role("checkbox")
    pages["P1"].get_by_text("Name, language, sound").click()
    assert box.is_checked()
    box.uncheck()
    pages["P1"].reload()
    pages["P1"].get_by_text("Name, language, sound").click()
    box.wait_for()
    assert not box.is_checked() and pages["P1"].evaluate("localStorage.getItem('wb-sound')") == "off"

    def rings():
        return [p.evaluate("window.rings") for p in pages.values()]

    def goes_on(seat):
        """Play for a seat, and wait until both pages say who is asked now."""
        assert t.submit(seat, server.fresh(t).asked[seat].moves[0], t.state.turn).ok
        for p in pages.values():
            until(p, lambda p=p: re.findall(r"▶ (P\d)", p.locator(".ws p.small").first.inner_text()) == list(t.state.asked))

    assert rings() == [0, 0]
    assert t.start().ok
    for p in pages.values():
        p.get_by_text("It is your turn.").wait_for()
    assert rings() == [1, 0]  # on at the one, off at the other, and both were asked
    for s in ("P1", "P2", "P3", "P0"):  # what others choose rings nothing
        goes_on(s)
    assert t.state.position.phase == "play" and list(t.state.asked) == ["P0"]
    until(pages["P0"], lambda: rings() == [2, 0])  # the last choice brought the turn
    goes_on("P0")
    while list(t.state.asked) != ["P0"]:
        before = rings()
        assert before == [2, 0]
        goes_on(next(iter(t.state.asked)))
    assert rings() == [3, 0]
    pages["P0"].reload()  # what stood there before is no news
    pages["P0"].get_by_text("It is your turn.").wait_for()
    assert rings()[0] == 0 and pages["P0"].get_by_role("checkbox", include_hidden=True).is_checked() is True
    pages["P1"].get_by_role("checkbox").check()
    pages["P1"].reload()
    pages["P1"].get_by_text("Sound at my turn").wait_for(state="attached")
    goes_on("P0")
    while list(t.state.asked) != ["P1"]:
        goes_on(next(iter(t.state.asked)))
    assert rings() == [0, 1]
    for w in watched.values():
        w.clean()


def test_a_score_sheet_is_imported_in_the_lobby_and_shown(server, watch):
    d = opened(watch, server.designer)
    d.page.get_by_text("Import a game played on paper").click()
    area = d.page.get_by_label("Score sheet")
    begun = area.input_value()
    assert begun.startswith("ruleset: omerta\ndraft: draft6\n")
    hostile = "<img src=x onerror=alert(1)>"
    sheet = f"{begun}\tAki\t{hostile}\tChi\n1\t3\t0\t1\ntotal\t3\t9\t1\n"
    area.fill(sheet)
    d.page.get_by_role("button", name="Import").click()
    d.page.get_by_text("Line 9: The total of").wait_for()
    assert area.input_value() == sheet  # nothing that was typed is lost
    sent = [m for m in map(json.loads, d.page.evaluate("window.sent")) if m]
    assert [m["side"]["id"] for m in sent] == ["import"]  # the field was not sent by itself
    area.fill(sheet.replace("9", "0"))
    d.page.get_by_role("button", name="Import").click()
    d.page.get_by_text("Imported as table").wait_for()
    d.page.get_by_text("Played on paper ·").wait_for()
    link = d.page.locator("section").filter(has_text="Played on paper ·").get_by_role("link")
    one = opened(watch, server.url.rstrip("/") + link.get_attribute("href"))
    one.page.get_by_text("on paper").first.wait_for()
    assert hostile in one.page.locator(".ws").first.inner_text()
    assert one.page.get_by_role("button").count() == 0 and one.page.locator(".wb-seat, img, input[readonly]").count() == 0
    for w in (d, one):
        w.clean()


def test_a_new_link_closes_the_pages_of_the_old_one(server, watch):
    t = server.table()
    old = server.link(t, "P0")
    p, other = opened(watch, old).page, opened(watch, server.link(t, "P1")).page
    p.locator(".wb-moves button[data-m]").first.wait_for()
    d = opened(watch, f"{server.designer}/{t.id}").page
    d.get_by_text("Seats and links").click()
    d.get_by_role("button", name="New link").first.click()
    p.get_by_text("This link opens nothing").wait_for()
    assert p.locator(".wb-seat").count() == 0 and other.locator(".wb-seat").count() == 4
    d.locator("input[readonly]").first.wait_for()
    new = d.locator("input[readonly]").first.input_value()
    assert new.split("/")[-1] != old.split("/")[-1]
    again = watch().page
    for url, text in ((old, "This link opens nothing"), (new, "Your seat: P0"), (f"{server.url}d/guess", "This link opens nothing"),
                      (f"{server.url}d/guess/{t.id}", "This link opens nothing"), (server.url, "This link opens nothing")):
        again.goto(url)
        again.get_by_text(text).first.wait_for()
        assert (again.locator(".wb-seat").count() == 4) == (url == new)


def test_of_two_tabs_that_click_at_once_exactly_one_counts(server, watch):
    t = server.table(people=("P0",))
    a, b = (opened(watch, server.link(t, "P0")).page for _ in range(2))
    for p in (a, b):
        p.locator(".wb-moves button[data-m]").first.wait_for()
    st = server.fresh(t)
    before, version = len([x for x in t.store.events(t.id) if x.seat == "P0"]), st.turn
    moves = st.asked["P0"].moves[:2]
    for p, m in zip((a, b), moves, strict=True):
        p.evaluate(f"() => setTimeout(() => ({SEND})({{table: {{seq: 1, act: 'play', value: '{m}', version: {version}}}}}), 500)")
    until(a, lambda: len([x for x in t.store.events(t.id) if x.seat == "P0"]) > before)
    words = [p.locator(".wb-said") for p in (a, b)]
    until(a, lambda: any(w.inner_text().strip() for w in words))
    mine = [x for x in t.store.events(t.id) if x.seat == "P0" and x.what == "choose"]
    assert len(mine) == 1 and mine[0].data["m"] in moves
    assert sorted(bool(w.inner_text().strip()) for w in words) == [False, True]


def test_odd_messages_are_answered_change_nothing_and_the_table_lives(server, watch):
    t = server.table(people=("P0", "P1"))
    w = opened(watch, server.link(t, "P1"))
    p = w.page
    p.locator(".wb-moves button[data-m]").first.wait_for()
    before = server.fresh(t).version
    card = sorted(server.fresh(t).position["hand"]["P0"].split())[0]
    turn = server.fresh(t).turn
    odd = [{"table": {"seq": 10, "act": "play", "value": f"omerta {card}", "version": turn}}, {"table": {"x": 1}},
           {"table": {"seq": 11, "act": "play", "value": 7, "version": 0}}, {"table": {"seq": 2**60, "act": "play"}},
           {"table": {"seq": 12, "act": "play", "value": "x" * 50_000, "version": turn}}, {"table": {"seq": 13, "act": "jump", "value": 0}},
           {"side": {"seq": 10, "id": "mark nonsense", "value": {"mark_text": 7}}}, {"side": {"seq": 11, "id": ["x"], "value": None}},
           {"side": {"seq": 12, "id": "answer hacked", "value": "x"}}, {"sheet": {"seq": 13, "id": "undo", "value": {"a": [1] * 1000}}},
           {"sheet": {"seq": 14, "id": "again"}}, {"sheet": {"seq": 15, "id": "bot P0", "value": "random"}}, {"sheet": {"seq": 16, "id": "revoke P0"}},
           {"book": {"seq": 1, "id": "x"}}, {"table": {}, "sheet": {}}, "not JSON", "[" * 40_000, "NaN", "", "null", '{"table": {"seq": 1e999}}']
    for m in odd:
        p.evaluate(SEND, m)
        p.wait_for_timeout(150)  # as fast as a page may send
    assert server.fresh(t).version == before
    p.evaluate(SEND, {"side": {"seq": 50, "id": "mark great", "value": {}}})  # the control: what is well formed arrives in the same way
    until(p, lambda: server.fresh(t).marks)
    other = opened(watch, server.link(t, "P1")).page
    assert "forged" not in other.content()
    p.reload()
    other.locator(".wb-moves button[data-m]").first.wait_for()
    choose(other)
    assert "P1" in server.fresh(t).chosen


def test_too_many_messages_are_held_back(server, watch):
    t = server.table()
    w = opened(watch, server.link(t, "P0"))
    w.page.locator(".wb-moves button[data-m]").first.wait_for()
    n = len(t.store.events(t.id))
    w.page.evaluate(f"""async () => {{ for (let i = 1; i < 120; i++) {{ ({SEND})({{side: {{seq: i, id: 'mark great', value: {{mark_text: 'm' + i}}}}}});
        await new Promise((r) => setTimeout(r, 5)); }} }}""")
    until(w.page, lambda: w.page.locator(".said", has_text="Too fast").count())
    written = len(t.store.events(t.id)) - n
    assert 5 < written < 100

    def lives_on():
        w.page.wait_for_timeout(500)
        w.page.locator(".wb-moves button[data-m]").first.click()
        w.page.wait_for_timeout(500)
        return "P0" in server.fresh(t).chosen

    until(w.page, lives_on)


def test_wrong_origins_foreign_names_and_forged_tokens_are_refused(server):
    t = server.table()
    url = server.link(t, "P0")

    async def tried():
        made = await Client(url).open()  # the control: the page's own token, name and origin
        assert made.view["zones"]
        made.close()
        token, other = made.token, token_in(await Client(server.link(t, "P1")).page())
        for options in ({"origin": "http://evil.example"}, {"origin": ""}, {"Host": "evil.example"}, {"Host": f"evil.example:{server.port}"}, {"protocol": "bokeh"}):
            with pytest.raises(HTTPClientError, match="403"):
                await Client(url).open(token, **options)
        forged = Site(find=None, hosts=frozenset(), secret="guess", title="").token(url.replace(server.url, "/"))
        for bad in (forged, token[:-6] + "AAAAAA", token[:-40] + other[-40:], "x", "A" * 5000):
            with pytest.raises(HTTPClientError, match="403"):
                await Client(url).open(bad)
        with pytest.raises(HTTPClientError, match="403"):
            await Client(url).page(Host="evil.example")

    apart(tried())
    assert server.lobby.keys[t.id, "P0"] not in server.log.read_text()


def test_a_killed_server_goes_on_where_it_stood(tmp_path, watch):
    server = Playtests(tmp_path)
    try:
        t = server.table(people=("P0", "P1", "P2", "P3"))
        pages = {s: opened(watch, server.link(t, s)).page for s in ("P0", "P1")}
        for s in ("P2", "P3"):
            t.submit(s, t.state.asked[s].moves[0], t.state.turn)
        for _ in range(2):
            for p in pages.values():
                if p.locator(".wb-moves button[data-m]").count():
                    choose(p)
            before, line = server.fresh(t).version, str(server.fresh(t).position)
            for p in pages.values():
                until(p, lambda p=p: p.locator(".wb-log li").count() == server.fresh(t).here.depth + 1)
            shown = {s: p.locator(".wb-log").inner_text() for s, p in pages.items()}
            for p in pages.values():
                p.evaluate("window.before = true")
            server.stop(kill=True)
            server.start()
            for s, p in pages.items():
                p.wait_for_function("() => window.before === undefined", timeout=60_000)  # it has loaded itself anew
                p.locator(".wb-seat").first.wait_for()
                until(p, lambda p=p, was=shown[s]: p.locator(".wb-log").inner_text() == was)
            assert server.fresh(t).version == before and str(server.fresh(t).position) == line
        for _ in range(4):
            turn = next(iter(server.fresh(t).asked))
            if turn in pages:
                pages[turn].locator(".wb-moves button[data-m]").first.wait_for()
                choose(pages[turn])
                return
            t.submit(turn, t.state.asked[turn].moves[0], t.state.turn)
        raise AssertionError("nobody's turn")
    finally:
        server.stop()
        server.lobby.store.close()

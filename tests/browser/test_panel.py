"""The served table in a real browser, and what a hostile client can do to it."""

import json

import pytest

from browser.table import CLIPPED, CONTRAST, FOCUS, depth, first_message, forged_token, played, ready, token_of, until, whole_game

CARDS = [f"{s}{n}" for s in "AICJ" for n in range(1, 9)]


def opened(served, watch, query="", **options):
    w = watch(**options)
    w.page.goto(served.url + query)
    ready(w.page)
    return w


def test_a_click_plays_and_nothing_leaves_the_machine(served, watch):
    w = opened(served, watch)
    p = w.page
    card = p.locator(".wb-seat.turn .wb-t.can").first
    name = card.get_attribute("data-t").split(":")[1]
    played(p, card.click)
    assert name in p.locator(".wb-log li.here").inner_text()
    p.locator(".wb-log li.here [data-rule]").first.click()
    assert len(p.locator(".wb-rule").inner_text()) > 20
    p.wait_for_timeout(1000)  # the controls have followed: nothing is on its way to what is removed now
    p.evaluate("Bokeh.documents.forEach((d) => d.clear())")
    p.wait_for_timeout(300)
    assert p.locator(".wb").count() == 0
    w.clean()


def test_the_same_move_twice_gives_two_messages(served, watch):
    p = opened(served, watch).page
    for _ in range(2):
        move = p.locator(".wb-moves button[data-m]").first
        played(p, move.click)
        played(p, lambda: p.get_by_role("button", name="Back", exact=False).first.click(), by=-1)
    assert depth(p) == 1


def test_keyboard_alone_plays_to_the_end_of_a_hand_and_focus_survives(served, watch):
    w = opened(served, watch)
    p = w.page
    for _ in range(60):  # from the bar into the table
        p.keyboard.press("Tab")
        if p.evaluate(FOCUS)[2]:
            break
    moves = 0
    while moves < 14:
        where = p.evaluate(FOCUS)
        assert where[2], "the focus has left the table"
        if where[1].startswith(("card:", "m ")):
            played(p, lambda key=("Enter", "Space")[moves % 2]: p.keyboard.press(key))
            moves += 1
        else:
            p.keyboard.press("Tab")
    at = depth(p)
    for _ in range(5):
        played(p, lambda: p.keyboard.press("ArrowLeft"), by=-1)
    assert depth(p) == at - 5 and p.evaluate(FOCUS)[2]
    w.clean()


def test_holding_a_key_steps_through_a_whole_game(served, watch):
    p = opened(served, watch).page
    end = whole_game(p)
    for _ in range(end + 5):
        p.keyboard.press("ArrowRight", delay=0)
    until(p, lambda: depth(p) == end)


@pytest.mark.parametrize("wide", [390, 768, 1280])
@pytest.mark.parametrize("lang", ["English", "日本語"])
def test_nothing_is_clipped_or_scrolls_sideways(served, watch, wide, lang):
    p = opened(served, watch, viewport={"width": wide, "height": 844}, is_mobile=wide < 500, has_touch=wide < 500).page
    p.locator("select").filter(has=p.locator("option", has_text="日本語")).select_option(lang)
    until(p, lambda: ("オメルタ" in p.locator(".wb-head").inner_text()) == (lang == "日本語"))
    for _ in range(9):
        played(p, lambda: p.locator(".wb-moves button[data-m]").first.click())
    clipped, over = p.evaluate(CLIPPED)
    assert clipped == [] and over <= 0
    assert p.evaluate("innerWidth") == wide


@pytest.mark.parametrize("theme", ["default", "dark"])
def test_both_themes_are_readable(served, watch, theme):
    p = opened(served, watch, f"?theme={theme}").page

    def readable():  # once the theme has been loaded
        worst, n = p.evaluate(CONTRAST)
        return n > 20 and worst >= 4.5

    until(p, readable)
    assert (p.evaluate("getComputedStyle(document.documentElement).backgroundColor") in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")) == (theme == "default")


def test_japanese_is_really_drawn(served, watch):
    w = opened(served, watch)
    p = w.page
    p.get_by_label("Language").select_option("日本語")
    until(p, lambda: "オメルタ" in p.locator(".wb-head").inner_text())
    assert "手札" in p.locator(".wb-seat h3").first.inner_text()
    until(p, lambda: p.get_by_role("button", name="ボットで1手").count() == 1 and p.get_by_text("編集", exact=True).count() >= 1)
    cdp = p.context.new_cdp_session(p)
    cdp.send("DOM.enable")
    cdp.send("CSS.enable")
    fonts = cdp.send("CSS.getPlatformFontsForNode", {"nodeId": first_heading(cdp.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"])})["fonts"]
    assert any("CJK" in f["familyName"] or "JP" in f["familyName"] for f in fonts)
    w.clean()


def first_heading(node):
    """The id of the first h3 below a node, shadow roots included."""
    if node["nodeName"] == "H3":
        return node["nodeId"]
    found = (first_heading(n) for n in [*node.get("children", []), *node.get("shadowRoots", [])])
    return next((x for x in found if x is not None), None)


def test_a_chart_stands_is_brushed_and_opens_a_game(served, watch):
    w = opened(served, watch)
    p = w.page
    p.get_by_text("Ahead", exact=True).click()
    p.get_by_role("button", name="What follows?").click()
    p.locator(".vega-embed canvas, .vega-embed svg").first.wait_for(timeout=40_000)
    until(p, lambda: "10,000 games" in p.content() or p.get_by_text("P0: wins").count() > 0)
    bars = p.locator("select").filter(has=p.locator("option", has_text="score 0"))
    until(p, lambda: bars.count() == 1)
    before = bars.input_value()
    p.locator(".vega-embed canvas, .vega-embed svg").first.scroll_into_view_if_needed()
    box = p.locator(".vega-embed canvas, .vega-embed svg").first.bounding_box()
    for y in range(100, 180, 8):  # a bar of the first seat, wherever it stands
        p.mouse.click(box["x"] + 90, box["y"] + y)
        p.wait_for_timeout(250)
        if bars.input_value() != before:
            break
    assert bars.input_value() != before
    p.get_by_role("button", name="Open at the table").click()
    until(p, lambda: depth(p) == 2)
    assert "game" in p.locator(".wb-head").inner_text()
    w.clean()


# ---------------------------------------------------------------- secrets and hostile clients


def words_in(frames):
    """Everything that came over the websocket, decoded: text frames as JSON so that escapes cannot hide a word."""
    found = []

    def walk(v):
        if isinstance(v, dict):
            for k, x in v.items():
                found.append(str(k))
                walk(x)
        elif isinstance(v, list):
            for x in v:
                walk(x)
        else:
            found.append(str(v))

    for f in frames:
        if isinstance(f, bytes):
            found.append(f.decode("utf-8", "replace"))
        else:
            try:
                walk(json.loads(f))
            except ValueError:
                found.append(f)
    return "\n".join(found)


def shown_cards(text):
    return {c for c in CARDS if f">{c}<" in text or f"card:{c}" in text or f"omerta {c}" in text}


def test_no_card_of_another_seat_comes_over_the_wire(served, watch):
    w = opened(served, watch)
    p = w.page
    for _ in range(4):
        played(p, lambda: p.locator(".wb-moves button[data-m]").first.click())
    everything = shown_cards(words_in(w.frames))
    assert everything == set(CARDS)  # the designer sees all: so what is looked for below would be found
    p.get_by_label("Look as").select_option("P0")
    until(p, lambda: p.locator(".wb-seat").nth(1).get_by_text("?", exact=True).count() > 0)
    mine = shown_cards(p.locator(".wb-seat").nth(0).inner_html())
    p.wait_for_timeout(500)
    other = opened(served, watch)  # a fresh page, and everything it is sent
    other.page.wait_for_timeout(500)
    for _ in range(2):
        other.page.locator(".wb").first.focus()
        other.page.keyboard.press("ArrowLeft")
        other.page.wait_for_timeout(300)
    seen = shown_cards(words_in(other.frames) + other.page.content())
    assert len(mine) == 8 and seen <= mine | shown_cards(other.page.locator(".wb-log").inner_html()) and "手" not in seen


def test_a_patch_of_anything_but_move_changes_nothing(served, watch):
    w = opened(served, watch)
    p = w.page
    n = p.evaluate("""() => { let n = 0; for (const d of Bokeh.documents) for (const m of d._all_models.values())
        if (m.attributes.view !== undefined && m.attributes.move !== undefined) { m.setv({view: JSON.stringify({...JSON.parse(m.attributes.view), game: 'forged'})}); n += 1; }
        return n; }""")
    assert n >= 1
    p.wait_for_timeout(500)
    again = opened(served, watch).page
    assert "forged" not in again.content() and again.locator(".wb-seat").count() == 4
    played(again, lambda: again.locator(".wb-moves button[data-m]").first.click())


def test_odd_messages_get_an_answer_and_the_table_lives(served, watch):
    w = opened(served, watch)
    p = w.page
    send = """(m) => { for (const d of Bokeh.documents) for (const x of d._all_models.values())
        if (x.attributes.view !== undefined && x.attributes.move !== undefined) x.setv({move: m}); }"""
    for odd in ({"seq": 10, "act": "play", "value": "omerta A9", "version": 0}, {"seq": 11, "act": "play", "value": 7, "version": 0}, {"x": 1},
                {"seq": 12, "act": "play", "value": "x" * 100_000, "version": 0}, {"seq": 13, "act": "play", "value": "omerta A1", "version": 99}):
        p.evaluate(send, odd)
        p.wait_for_timeout(200)
        until(p, lambda: p.locator(".wb-said").inner_text().strip())
    assert depth(p) == 1
    played(p, lambda: p.locator(".wb-moves button[data-m]").first.click())


def test_wrong_origins_and_forged_tokens_are_refused(served):
    real, own = token_of(served.url), served.url.rstrip("/")
    assert first_message(served.url, own, real) is not None  # the control: the page's own token and origin
    with pytest.raises(Exception, match="403"):
        first_message(served.url, "http://evil.example", real)
    try:
        assert first_message(served.url, own, forged_token()) is None
    except Exception as e:  # noqa: BLE001 - refused before or after the handshake
        assert "403" in str(e) or "401" in str(e)


def test_a_restarted_server_ends_with_the_true_state_and_a_click_that_works(served, watch):
    w = opened(served, watch)
    p = w.page
    for _ in range(3):
        played(p, lambda: p.locator(".wb-moves button[data-m]").first.click())
    at = depth(p)
    p.wait_for_timeout(1000)  # the file is written behind
    served.stop(kill=True)
    served.start()
    p.wait_for_event("load", timeout=60_000)  # by itself
    ready(p)
    assert depth(p) == at
    played(p, lambda: p.locator(".wb-moves button[data-m]").first.click())


SOCKETS = """() => { window.sockets = []; window.away = false; const Real = WebSocket;
  window.WebSocket = class extends Real { constructor(...a) { super(window.away ? 'ws://127.0.0.1:9/' : a[0], ...a.slice(1)); window.sockets.push(this); } }; }"""
"""Keeps a page's sockets, so that they can be dropped; while ``away`` no new one of this page finds the server."""


def test_a_dropped_socket_ends_with_the_true_state_and_a_click_that_works(served, watch):
    w = watch()
    p = w.page
    p.add_init_script(f"({SOCKETS})()")
    p.goto(served.url)
    ready(p)
    p.evaluate("window.away = true; window.sockets.forEach((s) => s.close())")
    other = opened(served, watch).page
    played(other, lambda: other.locator(".wb-moves button[data-m]").first.click())
    p.evaluate("window.away = false")
    p.wait_for_function("window.away === false", timeout=60_000)  # it has loaded itself anew
    ready(p)
    until(p, lambda: depth(p) == depth(other))
    played(p, lambda: p.locator(".wb-moves button[data-m]").first.click())
    until(other, lambda: depth(other) == depth(p))


def test_an_expired_session_ends_with_the_true_state_and_a_click_that_works(tmp_path, watch):
    from test_ui_app import Running

    import workbench as wb
    from workbench.ui.session import Session

    session = Session(wb.load("omerta"), luck=3, lang="en")
    running = Running(session, tmp_path, lifetime=500)
    try:
        p = watch().page
        p.add_init_script(f"({SOCKETS})()")
        p.goto(running.url)
        ready(p)
        p.evaluate("window.away = true; window.sockets.forEach((s) => s.close())")
        until(p, lambda: session._listeners == [] or len(session._listeners) == 1)  # only the autosave still listens: the page is forgotten
        session.play(session.position.moves[0])
        p.wait_for_event("load", timeout=60_000)  # by itself
        ready(p)
        assert depth(p) == session.here.depth
        played(p, lambda: p.locator(".wb-moves button[data-m]").first.click())
        assert session.here.depth == depth(p)
    finally:
        running.stop()


def test_a_click_is_answered_while_many_games_run_and_what_was_played_is_kept(served, watch):
    p = opened(served, watch).page
    p.get_by_text("Ahead", exact=True).click()
    games = p.get_by_label("Games")
    games.fill("1000000")
    games.press("Enter")
    p.get_by_role("button", name="What follows?").click()
    stop = p.get_by_role("button", name="Stop", exact=True)
    stop.wait_for()
    played(p, lambda: p.locator(".wb-moves button[data-m]").first.click())
    assert stop.is_visible()  # the games still run, and the click has been answered
    stop.click()
    p.locator(".vega-embed canvas, .vega-embed svg").first.wait_for(timeout=40_000)
    until(p, lambda: p.get_by_text("P0: wins").count() > 0 and not stop.is_visible())


def test_two_tabs_show_one_table(served, watch):
    a, b = opened(served, watch).page, opened(served, watch).page
    played(a, lambda: a.locator(".wb-moves button[data-m]").first.click())
    until(b, lambda: depth(b) == depth(a))

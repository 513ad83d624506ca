"""What a designer does with what was played, in a real browser: stepping through a game, people beside a simulation."""

import pytest

pytest.importorskip("sqlalchemy")

from browser.playtests import opened  # noqa: E402
from browser.table import CONTRAST, depth, until  # noqa: E402


def finished(server, people=("P0", "P1")):
    """A table with a game that was played to its end, marked once and taken back once."""
    t = server.table(people=people)
    while not t.state.position.over:
        if t.state.here.depth > 9 and not t.state.marks:
            assert t.mark("P0", "unfair", "<img src=x onerror=alert(1)>").ok and t.undo().ok
        if not t.bot_move():
            seat, at = next(iter(t.state.asked.items()))
            assert t.submit(seat, at.moves[0], t.state.turn).ok
    return t


def test_the_designer_steps_through_a_game_and_tries_things_out(server, watch):
    t = finished(server)
    opened(watch, server.designer).page.get_by_role("link", name=f"Table {t.id}").wait_for()
    d = opened(watch, f"{server.designer}/{t.id}")
    path = d.page.get_by_role("link", name="Step through game 1").get_attribute("href")
    w = opened(watch, server.url.rstrip("/") + path + "?theme=dark")
    p = w.page
    p.locator(".wb-seat").first.wait_for()
    p.get_by_role("button", name="⚑").first.click()
    mark = t.state.marks[0]
    until(p, lambda: depth(p) == mark.depth)
    p.get_by_text("P0 Person P0: This felt unfair. <img src=x").first.wait_for()
    bar = p.locator("svg.marks path[aria-label^='step: 1;']").first
    bar.dispatch_event("click")
    until(p, lambda: depth(p) == 1)
    p.get_by_role("button", name="⚑").first.click()
    until(p, lambda: depth(p) == mark.depth)
    p.get_by_role("button", name="Bot: one move").click()
    until(p, lambda: depth(p) == mark.depth + 1)
    assert p.locator("img").count() == 0 and server.fresh(t).here.depth == t.state.game.here.depth and t.state.position.over
    worst, n = p.evaluate(CONTRAST)
    assert n > 20 and worst >= 4.5
    p.set_viewport_size({"width": 390, "height": 844})
    until(p, lambda: p.evaluate("document.documentElement.scrollWidth") <= 390)
    again = watch().page
    for url in (server.url.rstrip("/") + path.replace("/d/", "/d/x"), server.url.rstrip("/") + path + "7", f"{server.designer}/none/1"):
        again.goto(url)
        again.get_by_text("This link opens nothing").first.wait_for()
    w.clean()


def test_the_lobby_shows_people_beside_a_simulation(server, watch):
    t = finished(server)
    w = opened(watch, server.designer, viewport={"width": 390, "height": 844})
    p = w.page
    p.get_by_role("link", name=f"Table {t.id}").wait_for()
    assert p.locator(".ws .chart svg").count() == 0
    p.get_by_text("People beside a simulation").click()
    p.get_by_role("button", name="Simulate").click()
    p.get_by_text("nothing can be said about how people differ").wait_for(timeout=120_000)
    p.locator(".ws .chart svg").wait_for()
    assert "heuristic" in p.locator(".ws .chart svg").text_content()
    p.locator("select").filter(has=p.locator("option", has_text="日本語")).first.select_option("ja")
    until(p, lambda: "席ごとの勝率" in p.locator(".ws .chart svg").text_content())
    until(p, lambda: p.evaluate("document.documentElement.scrollWidth") <= 390)
    w.clean()

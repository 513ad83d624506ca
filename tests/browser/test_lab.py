"""The table in JupyterLab, in a real browser."""

import json

from browser.table import CLIPPED, CONTRAST, FOCUS, PlaywrightTimeout, depth, played, ready, until

PLAY = 'import workbench as wb\nt = wb.play(wb.load("omerta"), luck=3, lang="en", autosave=False)\nt'


def opened(lab, watch, source=PLAY, **options):
    w = watch(viewport={"width": 1400, "height": 1000}, **options)
    url, path = lab(source)
    w.page.goto(url)
    cell = w.page.locator(".jp-Notebook .jp-Cell").first
    cell.wait_for()
    w.page.get_by_text("| Idle").first.wait_for()
    for _ in range(3):  # a key that came before the kernel was there is lost
        cell.locator(".cm-content").click()
        w.page.keyboard.press("Control+Enter")
        try:
            w.page.locator(".wb-seat").first.wait_for(timeout=20_000)
            break
        except PlaywrightTimeout:
            pass
    ready(w.page)
    return w, path


def test_play_step_and_close_without_errors_or_outside_requests(lab, watch):
    w, _ = opened(lab, watch, [PLAY, "t.close()"])
    p = w.page
    card = p.locator(".wb-seat.turn .wb-t.can").first
    name = card.get_attribute("data-t").split(":")[1]
    played(p, card.click)
    assert name in p.locator(".wb-log li.here").inner_text()
    move = p.locator(".wb-moves button[data-m]").first
    label = move.get_attribute("data-m")
    played(p, move.click)
    played(p, lambda: p.get_by_role("button", name="◀ Back").click(), by=-1)
    played(p, lambda: p.locator(f".wb-moves button[data-m='{label}']").click())  # the same move again is a message again
    p.locator(".jp-Notebook .jp-Cell").nth(1).locator(".cm-content").click()
    p.keyboard.press("Control+Enter")
    until(p, lambda: p.locator(".wb-seat").count() == 0)
    w.clean()


def test_keys_on_a_card_play_and_do_not_edit_the_notebook(lab, watch):
    w, _ = opened(lab, watch)
    p = w.page
    cells = p.locator(".jp-Notebook .jp-Cell").count()
    p.locator(".wb-seat.turn .wb-t.can").first.focus()
    for key in ("a", "b", "m", "d", "d", "x"):
        p.keyboard.press(key)
    p.wait_for_timeout(300)
    assert p.locator(".jp-Notebook .jp-Cell").count() == cells and p.evaluate(FOCUS)[2]
    played(p, lambda: p.keyboard.press("Enter"))
    assert p.evaluate(FOCUS)[2]
    played(p, lambda: p.keyboard.press("ArrowLeft"), by=-1)
    w.clean()


def test_a_chart_without_a_network_is_brushed_and_opens_a_game(lab, watch):
    w, _ = opened(lab, watch)
    p = w.page
    p.get_by_text("Ahead", exact=True).click()
    p.get_by_role("button", name="What follows?").click()
    canvas = p.locator(".jp-OutputArea canvas, .jp-OutputArea svg.marks").first
    canvas.wait_for(timeout=40_000)
    bars = p.locator("select").filter(has=p.locator("option", has_text="score 0"))
    until(p, lambda: bars.count() == 1)
    before = bars.input_value()
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    for y in range(100, 180, 8):
        p.mouse.click(box["x"] + 90, box["y"] + y)
        p.wait_for_timeout(300)
        if bars.input_value() != before:
            break
    assert bars.input_value() != before
    p.get_by_role("button", name="Open at the table").click()
    until(p, lambda: depth(p) == 2)
    w.clean()


def test_dark_theme_is_readable_and_nothing_is_clipped(lab, watch):
    w, _ = opened(lab, watch)
    p = w.page
    p.get_by_role("menuitem", name="Settings").click()
    p.get_by_text("Theme", exact=True).first.hover()
    p.get_by_text("JupyterLab Dark", exact=True).click()
    until(p, lambda: p.evaluate("document.body.dataset.jpThemeLight") == "false")
    worst, n = p.evaluate(CONTRAST)
    assert n > 20 and worst >= 4.5
    assert p.evaluate(CLIPPED)[0] == []
    p.get_by_role("menuitem", name="Settings").click()
    p.get_by_text("Theme", exact=True).first.hover()
    p.get_by_text("JupyterLab Light", exact=True).click()
    until(p, lambda: p.evaluate("document.body.dataset.jpThemeLight") == "true")
    assert p.evaluate(CONTRAST)[0] >= 4.5


def test_the_stored_notebook_keeps_a_picture_and_a_text(lab, watch):
    w, path = opened(lab, watch)
    p = w.page
    p.keyboard.press("Control+s")
    until(p, lambda: '"image/svg+xml"' in path.read_text("utf-8"))
    data = json.loads(path.read_text("utf-8"))["cells"][0]["outputs"][0]["data"]
    assert "".join(data["image/svg+xml"]).startswith("<svg") and "Omerta · draft6" in "".join(data["text/plain"])

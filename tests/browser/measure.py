"""The figures of the table in a real browser: ``python -m pytest tests/browser/measure.py -s`` (not collected by itself)."""

import statistics
import time
from pathlib import Path

from browser.table import Served, Watched, depth, ready, until, whole_game

CLICKS = """async (n) => { const roots = []; const find = (r) => { for (const e of r.querySelectorAll('*')) { if (e.classList?.contains('wb')) roots.push(e);
    if (e.shadowRoot) find(e.shadowRoot); } }; find(document); const root = roots[0], times = [];
  for (let i = 0; i < n; i++) { await new Promise((ok) => setTimeout(ok, 250));
    let b = root.querySelector('.wb-moves button[data-m]'); if (!b) break; const t = performance.now();
    await new Promise((ok) => { const o = new MutationObserver(() => { if (root.querySelector('.wb-seats')) { o.disconnect(); ok(); } });
      o.observe(root, {childList: true}); b.click(); });
    await new Promise(requestAnimationFrame); times.push(performance.now() - t); }
  return times; }"""


def said(what, times):
    print(f"\n{what}: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms, n = {len(times)}")


def test_panel(served, watch):
    p = watch().page
    began = time.perf_counter()
    p.goto(served.url)
    ready(p)
    print(f"\nPanel: page open in {time.perf_counter() - began:.2f} s")
    p.wait_for_timeout(4000)
    said("Panel: click to redrawn", p.evaluate(CLICKS, 50))
    p.get_by_role("button", name="Bot: to the end").click()
    until(p, lambda: "The game is over" in p.locator(".wb-why").inner_text())
    p.get_by_text("Ahead", exact=True).click()
    for i in range(1):
        p.get_by_role("button", name="◀ Back").click()
        p.wait_for_timeout(1500)
        node = "After: " + " ".join(p.locator(".wb-log li.here b, .wb-log li.here small").all_inner_texts()[:2])
        began = time.perf_counter()
        p.get_by_role("button", name="What follows?").click()
        until(p, lambda node=node: p.get_by_text(node).count() > 0)
        print(f"Panel: 10,000 playouts and the parent's, chart standing, run {i + 1}: {time.perf_counter() - began:.2f} s")
        p.wait_for_timeout(500)


def test_a_large_table(tmp_path, watch):
    """The most that is drawn: the game with the largest table that comes with the project."""
    made = Served(tmp_path, "nyanbar-one", "--luck", "3")
    try:
        p = watch().page
        p.goto(made.url)
        ready(p)
        p.wait_for_timeout(4000)
        said("Panel, Nyan-bar One: click to redrawn", p.evaluate(CLICKS, 50))
    finally:
        made.stop()


def test_a_held_key(served, watch):
    p = watch().page
    p.goto(served.url)
    ready(p)
    end = whole_game(p)
    p.wait_for_timeout(1000)
    began, pressed = time.perf_counter(), 0
    while pressed < 200:
        p.keyboard.press("ArrowRight" if pressed // end % 2 == 0 else "ArrowLeft")
        pressed += 1
        time.sleep(max(0.0, began + pressed * 0.033 - time.perf_counter()))
    target, held = end - abs(200 % (2 * end) - end), time.perf_counter() - began
    began = time.perf_counter()
    until(p, lambda: depth(p) == target)
    print(f"\nPanel: 200 steps by a held key in {held:.1f} s; the table stands right {1000 * (time.perf_counter() - began):.0f} ms after the last")


def test_panel_memory(served, chromium):
    def resident():
        return next(int(x.split()[1]) for x in Path(f"/proc/{served.process.pid}/status").read_text().splitlines() if x.startswith("VmRSS")) / 1024

    marks = []
    for part in range(3):
        for _ in range(50 if part else 5):
            w = Watched(chromium)
            w.page.goto(served.url)
            ready(w.page)
            w.page.close()
        time.sleep(30)  # a closed page is kept for a moment
        marks.append(resident())
    print("\nPanel: resident MB after 5, 55 and 105 opened and closed pages:", *(f"{m:.0f}" for m in marks))


def test_lab(lab, watch):
    from browser.test_lab import opened

    w, _ = opened(lab, watch)
    w.page.wait_for_timeout(4000)
    said("Lab: click to redrawn", w.page.evaluate(CLICKS, 50))

"""Makes the README's picture of a playtest: ``python -m tests.browser.pictures``, from the project's folder.

One table as a laptop shows it in English and as a phone shows it in Japanese, beside each other.
"""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser.playtests import Playtests  # noqa: E402
from browser.table import ARGS, CHROMIUM, ROOT, sync_playwright  # noqa: E402
from workbench.core.draft import load  # noqa: E402
from workbench.ui.session import bot_code  # noqa: E402

OUT = ROOT / "notebooks" / "images" / "playtest.png"
NAMES, STEPS, LUCK = ("Aiko", "Ben", "千代", "Dora"), 17, 7


def main() -> None:
    """Play some steps, look, and put both looks side by side."""
    server = Playtests(Path(tempfile.mkdtemp()))
    try:
        t = server.lobby.create(load("omerta"), luck=LUCK, lang="en", title="Friday evening")
        for seat, name in zip(t.state.seats, NAMES, strict=True):
            t.sit(seat, name)
        t.start()
        for _ in range(STEPS):
            seat, at = next(iter(t.state.asked.items()))
            t.submit(seat, at.draft.ruleset.moves.name(bot_code(at, "heuristic", t.state.here.depth)), t.state.turn)
        asked = next(iter(t.state.asked))
        with sync_playwright() as p:
            browser = p.chromium.launch(executable_path=CHROMIUM, args=ARGS)
            looks = [look(browser, server.link(t, asked), 1000, 800), look(browser, server.link(t, "P1" if asked != "P1" else "P2"), 390, 800, "ja")]
            page = browser.new_page(viewport={"width": 1000 + 390 + 60, "height": 840})
            page.set_content("<body style='margin:20px;display:flex;gap:20px;background:#e9e9e4'>" + "".join(
                f"<img style='border-radius:8px;border:1px solid #bbb' src='data:image/png;base64,{base64.b64encode(x).decode()}'>" for x in looks))
            page.wait_for_timeout(300)
            OUT.write_bytes(page.screenshot())
            browser.close()
    finally:
        server.stop()
    print(f"{OUT.relative_to(ROOT)}: {os.stat(OUT).st_size // 1024} KB")


def look(browser, url: str, width: int, height: int, lang: str = "en") -> bytes:
    """A seat's page of this size."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(url)
    page.locator(".wb-seat").first.wait_for()
    if lang != "en":
        page.get_by_text("Name, language, sound").click()
        page.locator("select").select_option(lang)
        page.get_by_text("名前・言語・音").click()
    page.wait_for_timeout(500)
    picture = page.screenshot()
    page.close()
    return picture


if __name__ == "__main__":
    main()

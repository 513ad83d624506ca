"""What the browser tests share: a server and a page that are watched, and what can be asked of a table on a page."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    from playwright.sync_api import TimeoutError as PlaywrightTimeout, sync_playwright
except ImportError:  # the tests are skipped then
    sync_playwright, PlaywrightTimeout = None, TimeoutError

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
NEEDS = "browser tests need: apt-get install chromium fonts-noto-cjk; pip install -e '.[test]'"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(url, process, seconds=60):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert process.poll() is None, f"the server of {url} has ended"
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(url)


class Served:
    """``workbench serve`` as a process of its own, that can be restarted."""

    def __init__(self, folder, *options):
        self.folder, self.options, self.port = Path(folder), options, free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.log = self.folder / "log.txt"
        self.start()

    def start(self):
        env = {**os.environ, "WORKBENCH_SAVES": str(self.folder), "WORKBENCH_LANG": "en", "PYTHONPATH": str(ROOT)}
        with self.log.open("a") as log:
            self.process = subprocess.Popen([sys.executable, "-m", "workbench", "serve", *self.options, "--no-browser", "--port", str(self.port)],
                                            cwd=self.folder, env=env, stdout=log, stderr=subprocess.STDOUT)
        wait_for(self.url, self.process)

    def stop(self, kill=False):
        (self.process.kill if kill else self.process.terminate)()
        self.process.wait()


class Watched:
    """A page whose errors, outside requests and websocket frames are kept."""

    def __init__(self, browser, **options):
        self.page = browser.new_page(**options)
        self.page.set_default_timeout(30_000)
        self.errors, self.outside, self.frames = [], [], []
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("request", lambda r: None if r.url.startswith(("http://127.0.0.1", "data:", "blob:")) else self.outside.append(r.url))
        self.page.on("websocket", lambda ws: ws.on("framereceived", lambda f: self.frames.append(f)))

    def clean(self):
        assert self.outside == [] and self.errors == []


# ---------------------------------------------------------------- what tests ask of a table, in Lab or in Panel


def ready(page):
    """Wait until the table stands."""
    page.locator(".wb-seat").first.wait_for(timeout=40_000)


def depth(page):
    """The number of the log's line one stands at."""
    return int(page.locator(".wb-log li.here button[data-jump]").inner_text())


def until(page, check, seconds=30):
    """Wait until ``check()`` is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if check():
            return
        page.wait_for_timeout(30)
    raise AssertionError(f"not within {seconds} s")


def played(page, act, by=1):
    """Do something, and wait until the table stands that many steps further."""
    before = depth(page)
    act()
    until(page, lambda: depth(page) >= before + by if by > 0 else depth(page) <= before + by)


def whole_game(page):
    """Let a bot play to the end and go back to the start, the focus on the table; how many steps the game has."""
    page.get_by_role("button", name="Bot: to the end").click()
    until(page, lambda: "The game is over" in page.locator(".wb-why").inner_text())
    end = depth(page)
    page.locator(".wb").first.focus()
    page.keyboard.press("Home")
    until(page, lambda: depth(page) == 0)
    return end


# ---------------------------------------------------------------- what a hostile client can try without a page


def token_of(url):
    """The session token that a page was given."""
    with urllib.request.urlopen(url) as r:
        return re.search(r'"token":"([^"]+)"', r.read().decode())[1]


def forged_token():
    """A token signed with a guessed key."""
    from bokeh.util.token import generate_jwt_token, generate_session_id

    return generate_jwt_token(generate_session_id(secret_key="guess", signed=True), secret_key="guess", signed=True)


def first_message(url, origin, token):
    """What the websocket of a page says first to who comes with this origin and token."""
    from tornado.httpclient import HTTPRequest
    from tornado.websocket import websocket_connect

    async def connect():
        request = HTTPRequest(url.rstrip("/").replace("http", "ws") + "/ws", headers={"Origin": origin, "Sec-WebSocket-Protocol": f"bokeh, {token}"})
        ws = await websocket_connect(request, subprotocols=["bokeh", token])
        first = await asyncio.wait_for(ws.read_message(), 5)
        ws.close()
        return first

    with ThreadPoolExecutor(1) as pool:  # Playwright has a loop of its own in this thread
        return pool.submit(asyncio.run, connect()).result()


FOCUS = """() => { let a = document.activeElement; while (a && a.shadowRoot && a.shadowRoot.activeElement) a = a.shadowRoot.activeElement;
  return a ? [a.tagName.toLowerCase(), a.dataset.t ?? a.dataset.k ?? '', Boolean(a.closest('.wb'))] : null; }"""

CLIPPED = """() => { const out = []; const wide = document.documentElement.clientWidth;
  const look = (root) => { for (const e of root.querySelectorAll('*')) { if (e.shadowRoot) look(e.shadowRoot);
    if (!e.closest('.wb') || e.closest('.wb-live')) continue; const r = e.getBoundingClientRect();
    if (r.width && (r.right > wide + 1 || r.left < -1)) out.push([e.tagName, e.className.baseVal ?? e.className, r.left, r.right]); } };
  look(document); return [out, document.documentElement.scrollWidth - wide]; }"""

CONTRAST = """() => { const rgb = (c) => { const s = document.createElement('canvas').getContext('2d'); s.fillStyle = '#000'; s.fillStyle = c;
    const h = s.fillStyle; return h[0] === '#' ? [1, 3, 5].map((i) => parseInt(h.slice(i, i + 2), 16)) : h.match(/[\\d.]+/g).slice(0, 3).map(Number); };
  const lum = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const back = (e) => { for (let n = e; n; n = n.parentElement ?? n.getRootNode().host) { const c = getComputedStyle(n).backgroundColor; if (!/rgba\\(.*, 0\\)|transparent/.test(c)) return rgb(c); } return [255, 255, 255]; };
  const out = []; const look = (root) => { for (const e of root.querySelectorAll('.wb-why, .wb h3, .wb-log li, .wb-head, text.wb-i')) {
      const c = getComputedStyle(e); const a = lum(rgb(e.tagName === 'text' ? c.fill : c.color)), b = lum(back(e.closest('svg')?.parentElement ?? e));
      out.push((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)); }
    for (const e of root.querySelectorAll('*')) if (e.shadowRoot) look(e.shadowRoot); };
  look(document); return [Math.min(...out), out.length]; }"""

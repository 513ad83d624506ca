"""A page of a playtest without a browser: speaks with the server's websocket directly, well or badly."""

import asyncio
import json
import re
import threading
import time
from contextlib import suppress

from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketClosedError, websocket_connect

PATIENCE = 60
"""Seconds after which something that does not come is missing; nothing is expected to take as long."""
AWAY = (OSError, WebSocketClosedError, HTTPClientError, ConnectionError, TypeError, TimeoutError)
"""What a client meets when its server goes away under it."""


class Client:
    """One page: what its parts show, and the numbers of the messages that it has sent."""

    def __init__(self, url):
        self.url, self.seqs, self.shown = url, {}, {}
        self.frames, self.keep, self.ws, self.listening, self.news = [], False, None, None, None

    @property
    def view(self):
        """The table as it was last shown."""
        return self.shown.get("table", {})

    @property
    def words(self):
        """Everything that the page says."""
        return json.dumps(self.shown, ensure_ascii=False)

    # ------------------------------------------------------------ connecting

    async def page(self, **headers):
        """The page as a browser loads it first."""
        return (await AsyncHTTPClient().fetch(self.url, request_timeout=PATIENCE, headers=headers)).body.decode()

    async def open(self, token=None, origin=None, protocol="workbench", **headers):
        """Load the page, connect, and take what it shows first; returns itself."""
        self.news = asyncio.Event()
        self.token = token or token_in(await self.page())
        base = re.match(r"https?://[^/]+", self.url)[0]
        headers = {**({"Origin": origin or base} if origin != "" else {}), **headers}
        request = HTTPRequest(base.replace("http", "ws", 1) + "/live", headers=headers, request_timeout=PATIENCE)
        self.ws = await websocket_connect(request, subprotocols=[protocol, self.token], max_message_size=50_000_000)
        self.ws.protocol.stream.set_nodelay(True)  # as browsers do
        self.listening = asyncio.ensure_future(self._listen())
        await self.until(lambda: "sheet" in self.shown)
        return self

    def close(self):
        """Leave, as a closed tab does."""
        if self.listening is not None:
            self.listening.cancel()
        if self.ws is not None:
            self.ws.close()

    # ------------------------------------------------------------ sending

    async def send(self, message, binary=False):
        """Anything at all."""
        await self.ws.write_message(message if isinstance(message, (str, bytes)) else json.dumps(message), binary=binary)

    async def move(self, value, version=None, **more):
        """Ask for a move; returns the number of the message."""
        seq = self._next("table")
        await self.send({"table": {"seq": seq, "act": "play", "value": value, "version": self.view.get("version") if version is None else version, **more}})
        return seq

    async def ask(self, id, value=None, place="sheet"):
        """Use a control; returns the number of the message."""
        seq = self._next(place)
        await self.send({place: {"seq": seq, "id": id, "value": value}})
        return seq

    def _next(self, place):
        self.seqs[place] = max(self.seqs.get(place, 0), self.shown.get(place, {}).get("seq", 0)) + 1
        return self.seqs[place]

    # ------------------------------------------------------------ hearing

    async def _listen(self):
        try:
            while (message := await self.ws.read_message()) is not None:
                if self.keep:
                    self.frames.append(message)
                for part, news in json.loads(message).items():
                    old = self.shown.get(part, {})
                    if news is None:
                        self.shown.pop(part, None)
                    elif isinstance(news, dict):
                        self.shown[part] = merged(old, news)
                    else:
                        self.shown[part] = news
                    self.showed(part)
                self.news.set()
        except AWAY:
            pass
        finally:
            self.ws = None
            self.news.set()

    def showed(self, part):
        """Called when a part was shown anew."""

    async def until(self, check, seconds=PATIENCE):
        """Wait for what comes until ``check()`` is true.

        Raises:
            TypeError: the connection is gone (as reading from it says). TimeoutError: it did not come.
        """
        end = time.monotonic() + seconds
        while not check():
            if self.ws is None or self.ws.protocol.stream.closed():
                raise TypeError("the connection is gone")
            if time.monotonic() > end:
                raise TimeoutError
            self.news.clear()
            with suppress(TimeoutError):  # Tornado does not always tell a reader that the connection is gone
                await asyncio.wait_for(self.news.wait(), 0.3)

    async def through(self):
        """Wait until everything that was sent so far has been read."""
        self.shown.pop("pong", None)
        await self.send({"ping": 0})
        await self.until(lambda: "pong" in self.shown)

    async def answered(self, seq, place="table"):
        """Wait for the answer to a message; what it says ("": done)."""
        await self.until(lambda: self.shown.get(place, {}).get("seq", 0) >= seq)
        return self.shown[place]["said"]

    async def play(self, name=None):
        """Play a legal move (or the first) and wait for the answer; ("", name) when it was taken."""
        await self.until(lambda: self.view["moves"])
        name = name or self.view["moves"][0]["name"]
        return await self.answered(await self.move(name)), name


def merged(old, news):
    """A part as it stands after what changed, as page.js does it."""
    return {**old, **{k: [old[k][x] if isinstance(x, int) else x for x in v] if isinstance(v, list) else v for k, v in news.items()}}


def token_in(page):
    """What a page connects with."""
    return re.search(r'"token": "([^"]+)"', page)[1]


def apart(work):
    """Run a coroutine in a thread with a loop of its own (the browsers' driver has one in the main thread); what it returns."""
    found = {}

    def run():
        try:
            found["result"] = asyncio.run(work)
        except BaseException as e:  # noqa: BLE001 - it is raised where it was waited for
            found["error"] = e

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if "error" in found:
        raise found["error"]
    return found["result"]

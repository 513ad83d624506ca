"""A browser's end of a playtest page without a browser: loads the page, connects, keeps what its parts show."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect


class Visitor:
    """One open page."""

    def __init__(self, ws):
        self.ws, self.parts, self.frames, self.seq = ws, {}, [], {}

    @classmethod
    async def at(cls, url, **options):
        """Open a page, and take the first of what it shows."""
        made = cls(await connect(url, token_in(await fetch(url)), **options))
        await made.take()
        return made

    async def take(self):
        """What has changed, once; False when the server has closed."""
        message = await self.ws.read_message()
        if message is None:
            return False
        self.frames.append(message)
        for part, news in json.loads(message).items():
            old = self.parts.get(part, {})
            if news is None:
                self.parts.pop(part, None)
            else:
                self.parts[part] = {**old, **{k: [old[k][x] if isinstance(x, int) else x for x in v] if isinstance(v, list) else v for k, v in news.items()}}
        return True

    async def until(self, check, seconds=30):
        """Take what comes until ``check(parts)`` holds."""
        async def wait():
            while not check(self.parts):
                assert await self.take(), "the server has closed"
        await asyncio.wait_for(wait(), seconds)

    async def ask(self, part, **message):
        """Send one message of a part, numbered as a page does."""
        self.seq[part] = self.seq.get(part, 0) + 1
        await self.ws.write_message(json.dumps({part: {"seq": self.seq[part], **message}}))
        return self.seq[part]

    async def play(self, move):
        """Play a move at the table as it was last seen, and wait for the answer."""
        seq = await self.ask("table", act="play", value=move, version=self.parts["table"]["version"])
        await self.until(lambda parts: parts["table"]["seq"] >= seq)

    def close(self):
        """Leave."""
        self.ws.close()


async def fetch(url, **headers):
    """A page's text."""
    return (await AsyncHTTPClient().fetch(HTTPRequest(url, headers=headers, request_timeout=120))).body.decode()


def token_in(page):
    """What a page connects with."""
    return re.search(r'"token": "([^"]+)"', page)[1]


async def connect(url, token, *, origin="", host="", protocol="workbench"):
    """The websocket of a page."""
    own = "/".join(url.split("/")[:3])
    headers = {"Origin": origin or own, **({"Host": host} if host else {})}
    ws = await websocket_connect(HTTPRequest(own.replace("http", "ws", 1) + "/live", headers=headers), subprotocols=[protocol, token])
    ws.protocol.stream.set_nodelay(True)  # as browsers do
    return ws


def run(coroutine):
    """Run it to its end, also where Playwright has a loop of its own in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()

"""A page of a playtest without a browser: speaks with the server's websocket directly, well or badly."""

import asyncio
import json
import re
import threading
import time
from collections import Counter
from contextlib import suppress

from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketClosedError, websocket_connect

PATIENCE = 60
"""Seconds after which something that does not come is missing; nothing is expected to take as long."""
AWAY = (OSError, WebSocketClosedError, HTTPClientError, ConnectionError, TypeError, TimeoutError)
"""What a client meets when its server goes away under it."""


class Client:
    """One seat's page: knows its models, the last view of the table and the last state of the sheets."""

    def __init__(self, url):
        self.url, self.seqs, self.models = url, {"move": 0, "ask": 0}, {}
        self.shown = {"view": {}, "sheet": {}, "side": {}}
        self.frames, self.keep, self.ws, self.listening = [], False, None, None
        self.news, self.heard = None, Counter()

    @property
    def view(self):
        """The table as it was last sent."""
        return self.shown["view"]

    @property
    def words(self):
        """Everything that the page says."""
        return json.dumps(self.shown, ensure_ascii=False)

    # ------------------------------------------------------------ connecting

    async def page(self, **headers):
        """The page as a browser loads it first."""
        return (await AsyncHTTPClient().fetch(self.url, request_timeout=PATIENCE, headers=headers)).body.decode()

    async def open(self, token=None, origin=None, **headers):
        """Load the page, connect, and take the document; returns itself."""
        self.news = asyncio.Event()
        token = token or re.search(r'"token":"([^"]+)"', await self.page())[1]
        base = re.match(r"https?://[^/]+", self.url)[0]
        request = HTTPRequest(self.url.rstrip("/").replace("http", "ws", 1) + "/ws", headers={"Origin": origin or base, **headers}, request_timeout=PATIENCE)
        self.ws = await websocket_connect(request, subprotocols=["bokeh", token], max_message_size=50_000_000)
        self.token = token
        self.ws.protocol.stream.set_nodelay(True)  # as browsers do
        await self.message()  # ACK
        await self.send("PULL-DOC-REQ", {})
        while not self.models:
            kind, content = await self.message()
            if kind == "PULL-DOC-REPLY":
                self._take(content)
        # as a browser says once the page stands
        await self.event({"type": "event", "name": "document_ready", "values": {"type": "map", "entries": []}})
        self.listening = asyncio.ensure_future(self._listen())
        return self

    def _take(self, content):
        self.all_models = list(objects(content))
        for o in self.all_models:
            for attr, place in (("view", "view"), ("state", "side" if "sheet" in self.models else "sheet")):
                if str(o["attributes"].get(attr, ""))[:1] == "{":
                    self.models[place], self.shown[place] = o["id"], json.loads(o["attributes"][attr])

    def close(self):
        """Leave, as a closed tab does."""
        if self.listening is not None:
            self.listening.cancel()
        if self.ws is not None:
            self.ws.close()

    # ------------------------------------------------------------ sending

    async def send(self, kind, content):
        """One message of Bokeh's protocol."""
        for part in ({"msgid": str(time.monotonic_ns()), "msgtype": kind}, {}, content):
            await self.ws.write_message(json.dumps(part))

    async def patch(self, *events):
        """Changes to the document that is shared with the server."""
        await self.send("PATCH-DOC", {"events": list(events)})

    async def event(self, data):
        """An event of the page."""
        await self.patch({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": data})

    async def set(self, model, attr, new):
        """Write into a model that is shared with the server."""
        if isinstance(new, dict):
            new = {"type": "map", "entries": [[k, v] for k, v in new.items()]}
        await self.patch({"kind": "ModelChanged", "model": {"id": model}, "attr": attr, "new": new})

    async def move(self, value, version=None, **more):
        """Ask for a move; returns the number of the message."""
        self.seqs["move"] = seq = max(self.seqs["move"], self.view.get("seq", 0)) + 1
        await self.set(self.models["view"], "move", {"seq": seq, "act": "play", "value": value,
                                                    "version": self.view.get("version") if version is None else version, **more})
        return seq

    async def ask(self, id, value=None, place="sheet"):
        """Use a control of a sheet; returns the number of the message."""
        self.seqs["ask"] = seq = max(self.seqs["ask"], self.shown[place].get("seq", 0)) + 1
        await self.set(self.models[place], "ask", {"seq": seq, "id": id, "value": value})
        return seq

    # ------------------------------------------------------------ hearing

    async def message(self):
        """The next message, whole."""
        header = json.loads(await self.ws.read_message())
        await self.ws.read_message()
        content = json.loads(await self.ws.read_message())
        for _ in range(header.get("num_buffers", 0)):
            await self.ws.read_message(), await self.ws.read_message()
        if self.keep:
            self.frames.append(json.dumps([header, content], ensure_ascii=False))
        return header["msgtype"], content

    async def _listen(self):
        places = {(id, "view" if place == "view" else "state"): place for place, id in self.models.items()}
        try:
            while True:
                kind, content = await self.message()
                self.heard[kind] += 1
                if kind == "PATCH-DOC":
                    for e in content.get("events", ()):
                        place = places.get((e.get("model", {}).get("id"), e.get("attr")))
                        if place:
                            self.shown[place] = json.loads(e["new"])
                            self.showed(place)
                self.news.set()
        except AWAY:
            pass
        finally:
            self.ws = None
            self.news.set()

    def showed(self, place):
        """Called when "view", "sheet" or "side" was sent anew."""

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

    async def answered(self, seq, place="view"):
        """Wait for the answer to a message; what it says ("": done)."""
        await self.until(lambda: self.shown[place].get("seq", 0) >= seq)
        return self.shown[place]["said"]

    async def through(self):
        """Wait until the server has gone through everything that was sent."""
        n = self.heard["SERVER-INFO-REPLY"]
        await self.send("SERVER-INFO-REQ", {})
        await self.until(lambda: self.heard["SERVER-INFO-REPLY"] > n)

    async def play(self, name=None):
        """Play a legal move (or the first) and wait for the answer; ("", name) when it was taken."""
        await self.until(lambda: self.view["moves"])
        name = name or self.view["moves"][0]["name"]
        return await self.answered(await self.move(name)), name


def objects(v):
    """Every object of a document that was sent."""
    if isinstance(v, dict):
        if "id" in v and isinstance(v.get("attributes"), dict):
            yield v
        for x in v.values():
            yield from objects(x)
    elif isinstance(v, list):
        for x in v:
            yield from objects(x)


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

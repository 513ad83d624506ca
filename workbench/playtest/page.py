"""What every page of a playtest shares: one message at a time from its browser, at a bearable speed, and no traceback to it.

A page knows no server: it is given messages (:meth:`Page.received`), and asked what has changed since (:meth:`Page.refresh`).
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from workbench.core.errors import WorkbenchError
from workbench.core.language import LANGUAGES, say, speaking
from workbench.playtest.table import PlayTable
from workbench.ui.result import Result

LANGUAGE_NAMES = [("en", "English"), ("ja", "日本語")]
PARTS = ("sheet", "table", "side", "book")
"""What a page consists of, from above: controls, the table, more controls, the rulebook."""
ASKING = ("sheet", "table", "side")
A_SECOND, AT_ONCE = 8.0, 20
"""Messages that one page may send, on the average and in a row."""
HELD = 0.2
"""Seconds until one who sends faster is answered: a flood costs a few drawings a second, however large it is."""


class Speed:
    """How many messages one page may send."""

    def __init__(self) -> None:
        self.left, self.at = float(AT_ONCE), time.monotonic()

    def allows(self) -> bool:
        """Whether one more may come now."""
        now = time.monotonic()
        self.left, self.at = min(float(AT_ONCE), self.left + (now - self.at) * A_SECOND), now
        if self.left < 1:
            return False
        self.left -= 1
        return True


def complain(e: BaseException) -> None:
    """Say on the server where something failed; the message is left out, it could hold a hand or a link."""
    where = "".join(traceback.format_tb(e.__traceback__))
    print(f"{where}{type(e).__name__}", file=sys.stderr, flush=True)


class Page(ABC):
    """One browser's page; subclasses say what it shows and what its controls do."""

    lang = "en"
    pace = 0.0
    """Seconds in which several changes are shown at once."""

    def __init__(self) -> None:
        self.speed, self.seqs, self.said = Speed(), dict.fromkeys(ASKING, 0), dict.fromkeys(ASKING, "")
        self.shown: dict[str, dict] = {}
        """What each part shows."""
        self.ends: list[Callable[[], Any]] = []
        self.due = True
        self.over = False
        """The link is no longer good: nothing is shown and nothing taken."""
        self._book: dict | None = None
        self._wake: Callable[[float], Any] | None = None

    def connect(self, wake: Callable[[float], Any]) -> None:
        """From now on call ``wake(seconds)``, from any thread, when it should be asked after so long what has changed."""
        self._wake = wake

    def text(self, key: str, **values: object) -> str:
        """A sentence of the pages in this page's language."""
        return say(f"playtest.page.{key}", self.lang, **values)

    def language_choice(self) -> dict:
        """The control that switches this page's language."""
        return {"k": "choice", "id": "lang", "label": self.text("language"), "options": LANGUAGE_NAMES, "value": self.lang, "live": True}

    def malformed(self) -> Result:
        """The answer to a message that means nothing here."""
        return Result(False, "malformed", say("ui.answer.malformed", self.lang))

    # ------------------------------------------------------------ what subclasses say

    @abstractmethod
    def allowed(self) -> bool:
        """Whether the link still opens this page."""

    @abstractmethod
    def sheet_items(self) -> list[dict]:
        """The controls above the table."""

    def side_items(self) -> list[dict]:
        """The controls below it."""
        return []

    def book_items(self) -> list[dict] | None:
        """What stays the same as long as its language does."""
        return None

    def table_data(self) -> dict | None:
        """The table, drawn; None for a page without one."""
        return None

    @abstractmethod
    def act(self, id: str, value: object) -> Result | None:
        """Do what a control asks."""

    def play(self, value: object, version: object) -> Result:
        """A move at the table; a page without one has nothing to move."""
        return self.malformed()

    # ------------------------------------------------------------ messages

    def received(self, where: str, message: object) -> bool:
        """A message of the browser: answered whatever it is; whether the answer should go out at once."""
        try:
            with speaking(self.lang):
                result = self._received(where, message)
        except WorkbenchError as e:
            result = Result(False, "error", str(e))
        except Exception as e:  # noqa: BLE001 - a visitor gets one sentence, the reason stands on the server
            complain(e)
            result = Result(False, "error", say("playtest.page.failed", self.lang))
        if where not in self.seqs:
            where = "sheet"
        self.said[where] = "" if result is None or result.ok and not result.text else result.text + (f" [{result.rule}]" if result.rule else "")
        held = result is not None and result.kind == "busy"
        self.later(HELD if held else None)
        return not held

    def _received(self, where: str, message: object) -> Result | None:
        slow, bad = self.speed.allows(), self.malformed()
        if not slow:
            bad = Result(False, "busy", say("playtest.answer.busy", self.lang))
        if where not in self.seqs:
            return bad
        names = {"seq", "act", "value", "version"} if where == "table" else {"seq", "id", "value"}
        if not isinstance(message, dict) or not message.keys() <= names:
            return bad
        seq = message.get("seq")
        if not isinstance(seq, int) or isinstance(seq, bool) or not self.seqs[where] < seq < 2**53:
            return bad
        self.seqs[where] = seq
        if not slow:
            return bad
        if self.over or not self.allowed():
            self.over = True
            return None
        if where == "table":
            # keys that step through a game at the designer's own table mean nothing here
            return self.play(message.get("value"), message.get("version")) if message.get("act") == "play" else None
        id, value = message.get("id"), message.get("value")
        if id == "lang" and value in LANGUAGES:
            self.lang = str(value)
            return None
        return self.act(id, value) if isinstance(id, str) and len(id) < 100 else bad

    # ------------------------------------------------------------ showing

    def refresh(self) -> str:
        """What has changed since it was last asked, as the JSON text that brings a browser up to date; "" for nothing."""
        self.due = False
        try:
            now = self.parts()
        except Exception as e:  # noqa: BLE001 - as above
            complain(e)
            return ""
        news = {part: patch(self.shown.get(part, {}), view) if view is not None else None for part, view in now.items()
                if view != self.shown.get(part)}
        self.shown = {part: view for part, view in now.items() if view is not None}
        return json.dumps(news, ensure_ascii=False) if news else ""

    def parts(self) -> dict[str, dict | None]:
        """What each part shows now; None: nothing."""
        if self.over:
            gone = [{"k": "text", "id": "gone", "text": say("playtest.page.no_link", self.lang)}]
            return {**dict.fromkeys(PARTS), "sheet": self.sheet("sheet", gone)}
        if self._book is None or self._book["lang"] != self.lang:
            self._book = {"lang": self.lang, "items": self.book_items()}
        return {"sheet": self.sheet("sheet", self.sheet_items()), "table": self.table_data(),
                "side": self.sheet("side", self.side_items()), "book": self._book if self._book["items"] else None}

    def sheet(self, where: str, items: list[dict]) -> dict:
        """A part that consists of controls."""
        return {"lang": self.lang, "seq": self.seqs[where], "said": self.said[where], "items": items}

    def later(self, seconds: float | None = None) -> None:
        """Something has changed: let it be shown at the page's pace or after so long, once for all that changes meanwhile; from any thread."""
        if not self.due:
            self.due = True
            if self._wake is not None:
                self._wake(self.pace if seconds is None else seconds)

    def close(self) -> None:
        """The page was closed: let go of everything."""
        self._wake = None
        for end in self.ends:
            end()
        self.ends.clear()


class TablePage(Page):
    """A page that shows one table."""

    def __init__(self, table: PlayTable):
        super().__init__()
        self.at = table
        self.ends.append(table.listen(self.later))


def field(values: object, name: str) -> str:
    """One field of what a form sent, as text."""
    text = values.get(name) if isinstance(values, dict) else ""
    return text if isinstance(text, str) else ""


def patch(old: dict, new: dict) -> dict:
    """What turns one view into another: the keys that differ; of their lists, what was there already by its place in the old one.

    >>> patch({"a": 1, "log": [{"n": 1}, {"n": 2}]}, {"a": 1, "log": [{"n": 1}, {"n": 3}]})
    {'log': [0, {'n': 3}]}
    """
    return {k: _listed(old.get(k), v) if isinstance(v, list) else v for k, v in new.items() if k not in old or old[k] != v}


def _listed(old: object, new: list) -> list:
    if not isinstance(old, list):
        return new
    same = {id(x): i for i, x in enumerate(old)}  # lines of a log are made once and kept
    return [i if i < len(old) and old[i] == x else same.get(id(x), x) for i, x in enumerate(new)]

"""What every page of a playtest shares: one message at a time from its browser, at a bearable speed, and no traceback to it.

A page knows no server: it is given messages (:meth:`Page.received`), and hands out what its parts show as JSON text.
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
from workbench.core.language import LANGUAGES, say
from workbench.playtest.table import PlayTable
from workbench.ui.result import Result

LANGUAGE_NAMES = [("en", "English"), ("ja", "日本語")]
PARTS = ("sheet", "table", "side", "book")
"""What a page consists of, from above: controls, the table, more controls, the rulebook."""
ASKING = ("sheet", "table", "side")
A_SECOND, AT_ONCE = 8.0, 20
"""Messages that one page may send, on the average and in a row."""


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
        self.shown: dict[str, str] = {}
        """What each part shows, as JSON text."""
        self.ends: list[Callable[[], Any]] = []
        self.due = False
        self.over = False
        """The link is no longer good: nothing is shown and nothing taken."""
        self._book_lang = ""
        self._out: Callable[[str, str], Any] = _nowhere
        self._soon: Callable[[float, Callable[[], None]], Any] | None = None

    def connect(self, out: Callable[[str, str], Any], soon: Callable[[float, Callable[[], None]], Any]) -> None:
        """Show it from now on.

        Args:
            out: takes a part and the JSON text that it is to show. soon: runs a function after so many seconds where ``out`` may be
                called; itself called from any thread.
        """
        self._out, self._soon = out, soon
        self.refresh()

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
        """What is sent once only, as long as its language stays."""
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

    def received(self, where: str, message: object) -> None:
        """A message of the browser: answered whatever it is."""
        try:
            result = self._received(where, message)
        except WorkbenchError as e:
            result = Result(False, "error", str(e))
        except Exception as e:  # noqa: BLE001 - a visitor gets one sentence, the reason stands on the server
            complain(e)
            result = Result(False, "error", say("playtest.page.failed", self.lang))
        if where not in self.seqs:
            where = "sheet"
        if result is not None and result.kind == "busy" and self.said[where] == result.text:
            return self.later()  # said already: one who floods costs no more than one drawing at a time
        self.said[where] = "" if result is None or result.ok and not result.text else result.text + (f" [{result.rule}]" if result.rule else "")
        self.refresh()

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

    def refresh(self) -> None:
        """Show how things stand now."""
        self.due = False
        try:
            if self.over:
                self._show("sheet", self._sheet("sheet", [{"k": "text", "id": "gone", "text": say("playtest.page.no_link", self.lang)}]))
                for part in PARTS[1:]:
                    self._show(part, None)  # what was drawn goes
                return
            self._show("sheet", self._sheet("sheet", self.sheet_items()))
            self._show("table", self.table_data())
            self._show("side", self._sheet("side", self.side_items()))
            if self.lang != self._book_lang:
                self._book_lang, items = self.lang, self.book_items()
                self._show("book", None if items is None else {"lang": self.lang, "items": items})
        except Exception as e:  # noqa: BLE001 - as above
            complain(e)

    def _sheet(self, where: str, items: list[dict]) -> dict:
        return {"lang": self.lang, "seq": self.seqs[where], "said": self.said[where], "items": items}

    def _show(self, part: str, data: dict | None) -> None:
        text = json.dumps(data, ensure_ascii=False)
        if self.shown.get(part, "null") != text:
            self.shown[part] = text
            self._out(part, text)

    def later(self) -> None:
        """Show it a moment later, once for all that changed meanwhile; from any thread."""
        if not self.due and self._soon is not None:
            self.due = True
            self._soon(self.pace, self._tick)

    def _tick(self) -> None:
        if self.due:  # else it was shown meanwhile
            self.refresh()

    def close(self) -> None:
        """The page was closed: let go of everything."""
        self._out, self._soon, self.due = _nowhere, None, False
        for end in self.ends:
            end()
        self.ends.clear()


class TablePage(Page):
    """A page that shows one table."""

    def __init__(self, table: PlayTable):
        super().__init__()
        self.at = table
        self.ends.append(table.listen(self.later))

    def _received(self, where: str, message: object) -> Result | None:
        with self.at.speaking(self.lang):
            return super()._received(where, message)


def field(values: object, name: str) -> str:
    """One field of what a form sent, as text."""
    text = values.get(name) if isinstance(values, dict) else ""
    return text if isinstance(text, str) else ""


def _nowhere(part: str, text: str) -> None:
    """Nobody looks yet, or any more."""

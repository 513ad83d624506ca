"""What every page of a playtest shares: one message at a time from its browser, at a bearable speed, and no traceback to it."""

from __future__ import annotations

import json
import sys
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import AnyWidgetComponent

from workbench.core.errors import WorkbenchError
from workbench.core.language import LANGUAGES, say
from workbench.playtest.table import PlayTable
from workbench.ui.app import TEMPLATE, PanelTable, prepare
from workbench.ui.result import Result

LANGUAGE_NAMES = [("en", "English"), ("ja", "日本語")]
SHEET = (Path(__file__).parent / "sheet.js").read_text("utf-8")
A_SECOND, AT_ONCE = 8.0, 20
"""Messages that one page may send, on the average and in a row."""
HEAD = TEMPLATE.replace("<style>", '<meta name="referrer" content="no-referrer"><style>')


class PanelSheet(AnyWidgetComponent):
    """A sheet of controls in Panel; of what a browser sends only ``ask`` is taken."""

    _esm = SHEET
    _debounce = 0  # private to Panel, pinned by a test, as for the table
    state = param.String("{}")
    ask = param.Dict({})

    @property
    def _linked_properties(self) -> tuple[str, ...]:  # private to Panel, pinned by a test
        return ("ask",)


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
    """One browser session; subclasses say what it shows and what its controls do."""

    lang = "en"
    needs: tuple[str, ...] = ()
    """Panel's extensions that this page shows things with."""

    def __init__(self) -> None:
        self.doc = pn.state.curdoc
        self.speed, self.seqs, self.said = Speed(), {"sheet": 0, "side": 0, "table": 0}, {"sheet": "", "side": "", "table": ""}
        self.ends: list[Callable[[], Any]] = []
        self.due = False
        self.over = False
        """The link is no longer good: nothing is shown and nothing taken."""
        self.column: Any = None
        self.sheet = PanelSheet(sizing_mode="stretch_width", max_width=1080, min_width=0)
        self.side = PanelSheet(sizing_mode="stretch_width", max_width=1080, min_width=0)
        self.table = PanelTable(sizing_mode="stretch_width", max_width=1080, min_width=0)
        self.sheet.param.watch(lambda e: self.received("sheet", e.new), "ask")
        self.side.param.watch(lambda e: self.received("side", e.new), "ask")
        self.table.param.watch(lambda e: self.received("table", e.new), "move")

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

    def table_data(self) -> dict | None:
        """The table, drawn; None for a page without one."""
        return None

    def draw(self) -> None:
        """Bring up to date what is not a sheet: the table, if there is one."""
        data = self.table_data()
        if data is not None:
            self.table.view = json.dumps(data, ensure_ascii=False)

    def parts(self) -> list:
        """What the page shows, from top to bottom."""
        return [self.sheet, self.side] if self.table.view == "{}" else [self.sheet, self.table, self.side]

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
        if result is not None and result.kind == "busy" and self.said[where] == result.text and self.doc is not None:
            return self.later()  # said already: one who floods costs no more than one drawing a tick
        self.said[where] = "" if result is None or result.ok and not result.text else result.text + (f" [{result.rule}]" if result.rule else "")
        self.refresh()

    def _received(self, where: str, message: object) -> Result | None:
        bad = self.malformed()
        names = {"seq", "act", "value", "version"} if where == "table" else {"seq", "id", "value"}
        if not isinstance(message, dict) or not message.keys() <= names:
            return bad
        seq = message.get("seq")
        if not isinstance(seq, int) or isinstance(seq, bool) or not self.seqs[where] < seq < 2**53:
            return bad
        self.seqs[where] = seq
        if not self.speed.allows():
            return Result(False, "busy", say("playtest.answer.busy", self.lang))
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
                gone = [{"k": "text", "id": "gone", "text": say("playtest.page.no_link", self.lang)}]
                self._state(self.sheet, "sheet", gone)
                self._state(self.side, "side", [])
                self.table.view = "{}"
                if self.column is not None:
                    self.column[:] = [self.sheet]  # what was drawn goes with it
                return
            self._state(self.sheet, "sheet", self.sheet_items())
            self._state(self.side, "side", self.side_items())
            self.draw()
        except Exception as e:  # noqa: BLE001 - as above
            complain(e)

    def _state(self, sheet: PanelSheet, where: str, items: list[dict]) -> None:
        sheet.state = json.dumps({"lang": self.lang, "seq": self.seqs[where], "said": self.said[where], "items": items}, ensure_ascii=False)

    def later(self) -> None:
        """Show it at this page's next tick, once for all that changed meanwhile; from any thread."""
        if not self.due and self.doc is not None and self.doc.session_context is not None:
            self.due = True
            self.doc.add_next_tick_callback(self._tick)

    def _tick(self) -> None:
        if self.due:  # else it was shown meanwhile
            self.refresh()

    def close(self) -> None:
        """The page was closed: let go of everything."""
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


def sentence(key: str, lang: str | None = None) -> Any:
    """A page of one sentence."""
    pn.state.curdoc.template = HEAD
    return pn.pane.HTML(f"<p>{escape(say(key, lang))}</p>")


def guarded(make: Callable[[dict[str, str]], Page | None]) -> Callable[[], Any]:
    """What the server calls for a visitor: the page, or one sentence; never a traceback."""
    def shown() -> Any:
        try:
            page = make(dict(pn.state.route_params or {}))
            if page is None:
                return sentence("playtest.page.no_link")
            page.refresh()
        except Exception as e:  # noqa: BLE001 - Panel would show the traceback, with values, to the visitor
            complain(e)
            return sentence("playtest.page.failed")
        pn.state.on_session_destroyed(lambda _: page.close())
        pn.extension(*page.needs)  # also without any: else it gets the scripts of all that other pages have shown
        prepare(pn.state.curdoc, HEAD)
        page.column = pn.Column(*page.parts(), sizing_mode="stretch_width", min_width=0, styles={"color": "inherit", "padding": "4px 8px"})
        return page.column
    return shown

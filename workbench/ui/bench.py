"""The bench around the table as a list of controls, without a toolkit: notebook and app lay out the same ones.

A control is a button, a choice, a number, a text, a tick, a note, a progress bar, a chart, or the inputs of a form.
``state()`` says how each stands; ``press`` and ``set`` act. What is slow runs in a thread with progress and a stop.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.ui import nodecharts
from workbench.ui.autosave import Autosave, save_folder
from workbench.ui.benchahead import Ahead
from workbench.ui.benchbar import Bar
from workbench.ui.benchforms import Forms
from workbench.ui.listeners import Listeners
from workbench.ui.playouts import Playouts, playouts
from workbench.ui.session import Result, Session
from workbench.ui.tree import Node
from workbench.ui.usual import usual

BUTTON, CHOICE, NUMBER, TEXT, AREA, TICK, NOTE, PROGRESS, CHART, FORM = (
    "button", "choice", "number", "text", "area", "tick", "note", "progress", "chart", "form")
BAR, TABS = "bar", ("tree", "edit", "draft", "ahead", "keep")

@dataclass(frozen=True)
class Control:
    """One control: its id (which names its label and what it does), kind, and where it lies (the bar or a tab)."""

    id: str
    kind: str
    place: str = BAR
    least: int = 0
    most: int = 2**48 - 1
    row: int = 0
    """Which row of the bar or tab it stands in."""


CONTROLS = (
    Control("first", BUTTON), Control("back", BUTTON), Control("forward", BUTTON), Control("last", BUTTON),
    Control("at", NUMBER, most=10**6), Control("seat", CHOICE), Control("hot", TICK), Control("lang", CHOICE),
    Control("bot", CHOICE, row=1), Control("bot_move", BUTTON, row=1), Control("bot_end", BUTTON, row=1),
    Control("luck", NUMBER, row=1), Control("deal", BUTTON, row=1), Control("stop", BUTTON, row=1), Control("progress", PROGRESS, row=1),
    Control("message", NOTE, row=2),
    Control("node", CHOICE, "tree"), Control("name", TEXT, "tree", row=1), Control("comment", AREA, "tree", row=2),
    Control("promote", BUTTON, "tree", row=3), Control("delete", BUTTON, "tree", row=3), Control("undelete", BUTTON, "tree", row=3),
    Control("other", CHOICE, "tree", row=4), Control("difference", NOTE, "tree", row=5),
    Control("piece", CHOICE, "edit"), Control("to", CHOICE, "edit"), Control("move_piece", BUTTON, "edit"),
    Control("field", CHOICE, "edit", row=1), Control("form", FORM, "edit", row=2), Control("pending", NOTE, "edit", row=3),
    Control("keep_edit", BUTTON, "edit", row=4), Control("drop_edit", BUTTON, "edit", row=4), Control("undo_edit", BUTTON, "edit", row=4),
    Control("named_draft", CHOICE, "draft"), Control("open_draft", BUTTON, "draft"),
    Control("parameter", CHOICE, "draft", row=1), Control("parameter_form", FORM, "draft", row=2), Control("about", NOTE, "draft", row=3),
    Control("change", BUTTON, "draft", row=4),
    Control("games", NUMBER, "ahead", 1, 1_000_000), Control("unseen", CHOICE, "ahead"),
    Control("run", BUTTON, "ahead", row=1), Control("run_moves", BUTTON, "ahead", row=1),
    Control("chart", CHART, "ahead", row=2), Control("summary", NOTE, "ahead", row=3),
    Control("brushed", CHOICE, "ahead", row=4), Control("game", CHOICE, "ahead", row=4), Control("open_game", BUTTON, "ahead", row=4),
    Control("file", TEXT, "keep"), Control("save", BUTTON, "keep"), Control("open", BUTTON, "keep"), Control("autosaved", NOTE, "keep", row=1),
)


class Bench(Bar, Forms, Ahead):
    """What stands around one table."""

    def __init__(self, session: Session, *, autosave: Autosave | bool | str | Path = True):
        """A bench; ``autosave``: one that others share, or whether (and where) to keep the tree."""
        self.session = session
        self.values: dict[str, Any] = {"bot": session.bots()[-1], "luck": 1, "games": 10_000, "unseen": "", "other": 0, "field": "", "piece": "",
                                       "to": "", "named_draft": "", "parameter": "", "brushed": "", "game": "",
                                       "file": str(save_folder() / f"{session.draft.ruleset.name}.jsonl")}
        self.inputs: dict[str, Any] = {}
        self.edits: dict[str, Any] = {}
        self.message = " ".join(session.notes)
        self.done = 0.0
        self.stop = Event()
        self.task: Thread | None = None
        self.ahead: dict[tuple, Playouts] = {}
        self.moves: dict[str, Playouts] = {}
        self.shown: tuple[str, Node | None] = ("", None)
        self._listeners = Listeners()
        self._kept: dict[str, tuple] = {}
        self._end = session.listen(lambda _: self._tell())
        self._own = not isinstance(autosave, Autosave)
        self.autosave: Autosave | None = None if autosave is False else Autosave(session, None if autosave is True else autosave) if self._own else autosave  # type: ignore[arg-type, assignment]

    @property
    def lang(self) -> str:
        """The language of the table."""
        return self.session.lang

    def text(self, key: str, **values: object) -> str:
        """A sentence of the bench."""
        return say(f"ui.bench.{key}", self.lang, **values)

    # ------------------------------------------------------------ for the layouts

    def listen(self, f: Callable[[], None]) -> Callable[[], None]:
        """Call ``f`` whenever something may look different; returns what ends that."""
        return self._listeners.join(f)

    def _tell(self) -> None:
        self._listeners.tell()

    def state(self, c: Control) -> dict:
        """How a control stands: label, value, options (text, value), shown, enabled."""
        found = {"label": self.text(c.id), "value": self._value(c), "shown": True, "enabled": True}
        if c.kind == CHOICE:
            options = getattr(self, f"options_{c.id}")()
            known = [v for _, v in options]
            if found["value"] not in known:
                found["value"] = self.values[c.id] = known[0] if known else None
            found |= {"options": options, "enabled": bool(options)}
        if c.id in ("stop", "progress"):
            found["shown"] = self.busy
        if c.id in ("bot_end", "run", "run_moves", "open_game"):
            found["enabled"] = not self.busy
        if c.id in ("brushed", "game", "open_game"):
            found["shown"] = bool(self.current)
        if c.id == "undelete":
            found["enabled"] = self.session.tree.can_undelete
        return found

    def _value(self, c: Control) -> object:
        own = getattr(self, f"value_{c.id}", None)
        return own() if own is not None else self.values.get(c.id, "")

    def set(self, id: str, value: object) -> None:
        """A choice, number, text or tick was changed."""
        if value == self._value(next(c for c in CONTROLS if c.id == id)):
            return
        act = getattr(self, f"set_{id}", None)
        if act is None:
            self.values[id] = value
            self._tell()
        else:
            self._answered(act(value))

    def press(self, id: str) -> None:
        """A button was pressed."""
        self._answered(getattr(self, f"press_{id}")())

    def _answered(self, result: object) -> None:
        if isinstance(result, Result):
            self.message = " ".join([result.text, *result.notes]).strip()
        self._tell()

    def close(self) -> None:
        """End what runs, write the last changes, and let go of the session."""
        self.stop.set()
        self._end()
        if self.autosave is not None and self._own:
            self.autosave.close()

    # ------------------------------------------------------------ slow work

    @property
    def busy(self) -> bool:
        """Whether something slow runs."""
        return self.task is not None and self.task.is_alive()

    def _slow(self, work: Callable[[], object]) -> None:
        """Run in a thread, one thing at a time."""
        if self.busy:
            return
        self.stop.clear()
        self.done = 0.0

        def run() -> None:
            try:
                result = work()
                self.message = result.text if isinstance(result, Result) else ""
            except WorkbenchError as e:
                self.message = str(e)
            except Exception:  # noqa: BLE001 - shown to the designer, never lost in a thread
                self.message = traceback.format_exc(limit=3)
            self.task = None
            self._tell()

        self.task = Thread(target=run, daemon=True, name="workbench-bench")
        self.task.start()
        self._tell()

    def _progress(self, done: int, whole: int) -> None:
        self.done = done / whole
        self._tell()

    def warm(self) -> None:
        """Load and compile in the background what the first chart and the first edit will need."""
        def run() -> None:
            try:
                nodecharts._altair()
                usual(self.session.draft)
                playouts(self.session.tree.root.position, self.values["bot"], 1)
            except WorkbenchError:
                pass  # said when it is asked for
        Thread(target=run, daemon=True, name="workbench-warm").start()

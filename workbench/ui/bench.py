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

from workbench.core.errors import NotCompilable, WorkbenchError
from workbench.core.language import LANGUAGES, pick, say
from workbench.ui import ENGINE, nodecharts
from workbench.ui.autosave import Autosave, save_folder
from workbench.ui.benchforms import Forms
from workbench.ui.playouts import Playouts, bins, by_move, playouts, summary
from workbench.ui.session import Result, Session
from workbench.ui.tree import Node
from workbench.ui.usual import usual
from workbench.ui.view import DESIGNER, SPECTATOR

BUTTON, CHOICE, NUMBER, TEXT, AREA, TICK, NOTE, PROGRESS, CHART, FORM = (
    "button", "choice", "number", "text", "area", "tick", "note", "progress", "chart", "form")
BAR, TABS = "bar", ("tree", "edit", "draft", "ahead", "keep")
LISTED = 120
"""Most nodes that the list of the tree shows at once."""
SLOWER = 500
"""Playouts of a draft that only the plain engine takes."""


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


class Bench(Forms):
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
        self._listeners: list[Callable[[], None]] = []
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
        self._listeners.append(f)
        return lambda: self._listeners.remove(f) if f in self._listeners else None

    def _tell(self) -> None:
        for f in list(self._listeners):
            f()

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

    # ------------------------------------------------------------ the bar

    def press_first(self) -> Result:
        return self.session.first()

    def press_back(self) -> Result:
        return self.session.back()

    def press_forward(self) -> Result:
        return self.session.forward()

    def press_last(self) -> Result:
        return self.session.last()

    def value_at(self) -> int:
        return self.session.here.depth

    def set_at(self, value: int) -> Result:
        """Any point of the line one stands on."""
        step = int(value) - self.session.here.depth
        return self.session.forward(step) if step > 0 else self.session.back(-step)

    def options_seat(self) -> list:
        names = {DESIGNER: self.text("designer"), SPECTATOR: self.text("spectator")}
        return [(names.get(s, s), s) for s in (DESIGNER, *self.session.draft.seat_names, SPECTATOR)]

    def value_seat(self) -> str:
        return self.session.seat

    def set_seat(self, value: str) -> Result:
        return self.session.look(value)

    def value_hot(self) -> bool:
        return self.session.hot

    def set_hot(self, value: bool) -> Result:
        return self.session.hot_seat(bool(value))

    def options_lang(self) -> list:
        return [({"en": "English", "ja": "日本語"}[x], x) for x in LANGUAGES]

    def value_lang(self) -> str:
        return self.session.lang

    def set_lang(self, value: str) -> Result:
        return self.session.speak(value)

    def options_bot(self) -> list:
        return [(b, b) for b in self.session.bots()]

    def press_bot_move(self) -> Result:
        return self.session.bot_move(self.values["bot"])

    def press_bot_end(self) -> None:
        self._slow(lambda: self.session.bot_move(self.values["bot"], to_end=True, stop=self.stop))

    def press_deal(self) -> Result:
        return self.session.deal(int(self.values["luck"]))

    def press_stop(self) -> None:
        self.stop.set()

    def value_progress(self) -> float:
        return self.done

    def value_message(self) -> str:
        return self.message

    # ------------------------------------------------------------ the tree

    def _listed(self) -> list[tuple[str, int]]:
        """The line one stands on with its branches, as much of it as a list can hold."""
        s = self.session
        key = (s.version, s.lang)
        if self._kept.get("listed", (None,))[0] != key:
            with s.lock:
                self._kept["listed"] = key, listed(s.here, s.lang)
        return self._kept["listed"][1]

    def options_node(self) -> list:
        return self._listed()

    def value_node(self) -> int:
        return self.session.here.id

    def set_node(self, value: int) -> Result:
        return self.session.jump(value)

    def value_name(self) -> str:
        return self.session.here.name

    def set_name(self, value: str) -> Result:
        return self.session.name(str(value)[:80])

    def value_comment(self) -> str:
        return self.session.here.comment

    def set_comment(self, value: str) -> Result:
        return self.session.name(comment=str(value)[:4000])

    def press_promote(self) -> Result:
        return self.session.promote()

    def press_delete(self) -> Result:
        return self.session.delete()

    def press_undelete(self) -> Result:
        return self.session.undelete()

    def options_other(self) -> list:
        return self._listed()

    def value_difference(self) -> str:
        a, b = self.values["other"], self.session.here.id
        if a == b or a not in self.session.tree.nodes:
            return ""
        return "\n".join(f"• {x}" for x in self.session.difference(a, b))

    # ------------------------------------------------------------ what follows

    @property
    def current(self) -> Playouts | None:
        """The playouts that are shown."""
        return self.ahead.get(self._key(self.shown[1])) if self.shown[0] == "scores" and self.shown[1] is not None else None

    def _key(self, node: Node | None) -> tuple:
        return (node and node.id, self.values["bot"], self.values["games"], self.values["unseen"])

    def options_unseen(self) -> list:
        return [(self.text("nothing_unseen"), "")] + [(self.text("unseen_by", seat=n), n) for n in self.session.draft.seat_names]

    def press_run(self) -> None:
        node = self.session.here
        self._slow(lambda: self._run_scores(node))

    def press_run_moves(self) -> None:
        node = self.session.here
        self._slow(lambda: self._run_moves(node))

    def _played(self, node: Node, engine: str = "compiled") -> Playouts:
        key = self._key(node)
        if key not in self.ahead:
            games = int(self.values["games"])
            found = playouts(node.position, self.values["bot"], games if engine == "compiled" else min(games, SLOWER), unseen_by=self.values["unseen"] or None,
                             engine=engine, progress=self._progress, stop=self.stop)
            while len(self.ahead) >= 40:
                self.ahead.pop(next(iter(self.ahead)))
            self.ahead[key] = found
        return self.ahead[key]

    def _run_scores(self, node: Node) -> Result:
        note = ""
        try:
            self._played(node)
        except NotCompilable as e:
            note = f"{e}\n{self.text('slower', games=SLOWER)}"
            self._played(node, "plain")
        if node.parent is not None and not note:
            self._played(node.parent)
        self.shown = ("scores", node)
        return Result(True, "done", note)

    def _run_moves(self, node: Node) -> Result:
        p = node.position
        if p._who < 0:
            return Result(False, "error", self.text("no_choice"))
        self.moves = by_move(p, self.values["bot"], int(self.values["games"]), unseen_by=self.values["unseen"] or None,
                             progress=self._progress, stop=self.stop)
        self.shown = ("moves", node)
        return Result(True, "done")

    def value_chart(self) -> object:
        """The chart that is asked for, or None; the same object as long as nothing changed."""
        sort, node = self.shown
        key = (sort, node and node.id, self._key(node), self.lang, id(self.moves))
        if self._kept.get("chart", (None,))[0] != key:
            self._kept["chart"] = key, self._chart()
        return self._kept["chart"][1]

    def _chart(self) -> object:
        sort, node = self.shown
        if sort == "moves" and self.moves and node is not None:
            return nodecharts.moves(self.moves, node.position.to_move, self.lang)
        if self.current is None or node is None:
            return None
        return nodecharts.scores(self.current, self.ahead.get(self._key(node.parent)), self.lang)

    def value_summary(self) -> str:
        if self.current is None:
            return ""
        node = self.shown[1]
        rows = summary(self.current, self.ahead.get(self._key(node.parent)) if node and node.parent else None)
        lines = [self.text("row", seat=r["seat"], win=f"{100 * r['win']:.1f}", low=f"{100 * r['win_low']:.1f}", high=f"{100 * r['win_high']:.1f}",
                           score=f"{r['score']:.2f}") + (self.text("row_change", d=f"{100 * r['win_change']:+.1f}") if "win_change" in r else "") for r in rows]
        return "\n".join([self.text("node_shown", node=node.label(self.lang) if node else ""), *lines])

    def brush(self, seat: str, score: int) -> None:
        """A bar was clicked."""
        if self.current is not None and seat in self.current.seats:
            self.values["brushed"], self.values["game"] = f"{seat} {int(score)}", ""
            self._tell()

    def options_brushed(self) -> list:
        p = self.current
        if p is None:
            return []
        width, low = bins([p])
        return [(self.text("bar_of", seat=s, score=v if width == 1 else f"{v}–{v + width - 1}", n=n), f"{s} {v}")
                for s in p.seats for v, _, _, _, n in p.distribution(s, width, low)]

    def options_game(self) -> list:
        p, bar = self.current, str(self.values["brushed"])
        if p is None or " " not in bar:
            return []
        seat, score = bar.rsplit(" ", 1)
        return [(self.text("game_n", n=n), n) for n in p.games_with(seat, int(score), bins([p])[0])[:200]]

    def press_open_game(self) -> Result:
        """Open a game behind a bar as a branch, at its first move."""
        p, n, node = self.current, self.values["game"], self.shown[1]
        if p is None or node is None or not isinstance(n, int):
            return Result(False, "error", self.text("no_game"))
        s = self.session

        def do() -> None:
            with ENGINE:
                end = p.game(n)
            first = s.tree.extend_from(node, end, p.start[int(p.deal[n])])
            first.name = first.name or self.text("game_n", n=n)
            s._go(first)
        return s._change(do)

    # ------------------------------------------------------------ keeping

    def press_save(self) -> Result:
        path = Path(str(self.values["file"])).expanduser()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return Result(True, "done", self.text("saved", path=self.session.save(path)))
        except OSError as e:
            return Result(False, "error", say("ui.keep.fault", self.lang, path=path, why=e.strerror or e))

    def press_open(self) -> Result:
        result = self.session.open(Path(str(self.values["file"])).expanduser())
        if result.ok:
            self.ahead, self.moves, self.shown, self.edits = {}, {}, ("", None), {}
        return result

    def value_autosaved(self) -> str:
        if self.autosave is None:
            return self.text("not_autosaved")
        return self.autosave.fault or self.text("autosaved_to", path=self.autosave.path)


def listed(here: Node, lang: str) -> list[tuple[str, int]]:
    """The nodes of the line through ``here`` with the branches that leave it, indented: as many as a list can hold."""
    end = here
    while end.children:
        end = end.last or end.children[0]
    line, n = [], end
    while n is not None:
        line.append(n)
        n = n.parent
    line.reverse()
    first = max(0, min(here.depth - LISTED // 2, len(line) - LISTED))
    found: list[tuple[str, int]] = []
    for n in line[first: first + LISTED]:
        mark = "▶" if n is here else " "
        found.append((f"{mark} {n.depth}. {n.label(lang)}" + (f" “{n.name}”" if n.name else "") + (" ✎" if n.comment else ""), n.id))
        if n.parent is not None:
            found += [(f"  └ {b.depth}. {b.label(lang)}" + (f" “{b.name}”" if b.name else ""), b.id) for b in n.parent.children if b is not n][:8]
    return found if any(i == 0 for _, i in found) else [(f"0. {line[0].label(lang)}", line[0].id), *found]

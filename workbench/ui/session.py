"""The controller of a table, without any GUI: it holds the truth, checks every request, and tells who listens.

Notebook and app call it from several threads: everything runs under one lock, and every change has a version.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, RLock

from workbench.core.draft import Draft
from workbench.core.errors import BrokenPosition, Refused, UnknownName, WorkbenchError
from workbench.core.language import language, say
from workbench.core.loops import bot_stream
from workbench.core.moves import LUCK_BITS, Refusal
from workbench.core.position import Position
from workbench.core.vocabulary import CHANCE, OVER, mix
from workbench.ui.edits import Edits
from workbench.ui.listeners import Listeners
from workbench.ui.result import Result
from workbench.ui.steps import Steps
from workbench.ui.tree import Node, Tree
from workbench.ui.treefile import Opened, lines_of, luck_code, open_tree, write_whole
from workbench.ui.view import DESIGNER, SPECTATOR, SeatView, log_of, view_of

CAP = 20_000
LONGEST = 200
"""Most letters of a move that a browser may send."""


class Session(Steps, Edits):
    """One table: a tree of states, where one stands in it, who looks, in which language."""

    def __init__(self, start: Draft | Position | Opened, *, luck: int | None = 1, seat: str = DESIGNER, lang: str | None = None):
        """Open a table on a draft (a new game with this luck number), a position with its history, or an opened file."""
        self.lock = RLock()
        self.notes: tuple[str, ...] = ()
        with self.lock:
            if isinstance(start, Opened):
                self.tree, self.here, self.notes = start.tree, start.here, start.notes
            else:
                self.tree = Tree(start.start(luck=luck) if isinstance(start, Draft) else start)
                self.here = self.tree.end
        self.seat, self.lang = seat, lang or language()
        self.hot, self.version = False, 0
        self.said = ""
        """The last answer in words, for the live region."""
        self._listeners = Listeners()

    # ------------------------------------------------------------ looking

    @property
    def position(self) -> Position:
        """The position one stands at."""
        return self.here.position

    @property
    def draft(self) -> Draft:
        """Its draft."""
        return self.here.position.draft

    def view(self, seat: str | None = None, lang: str | None = None) -> SeatView:
        """What is on the table for a seat (the one looked as, when left out)."""
        with self.lock:
            seat, lang = seat or self.seat, lang or self.lang
            log = [{**entry, "node": node.id} for node, entry in log_of(self.here, seat, lang)]
            handover = self.position.to_move if self.hot and seat == SPECTATOR and self.position._who >= 0 else ""
            extra = {"version": self.version, "node": self.here.id, "depth": self.here.depth, "said": self.said,
                     "handover": say("ui.bench.handover", lang, seat=handover) if handover else "",
                     "ready": say("ui.bench.ready", lang), "name": self.here.name, "comment": self.here.comment}
            return view_of(self.position, seat, lang, log=log, extra=extra)

    def look(self, seat: str) -> Result:
        """Look as "designer", as a seat, or as "-" (a spectator)."""
        if seat not in (DESIGNER, SPECTATOR, *self.draft.seat_names):
            return Result(False, "unknown", str(UnknownName("seat", str(seat), [DESIGNER, SPECTATOR, *self.draft.seat_names])))
        return self._change(lambda: setattr(self, "seat", seat))

    def speak(self, lang: str) -> Result:
        """Switch the language of the table."""
        return self._change(lambda: setattr(self, "lang", lang))

    def hot_seat(self, on: bool) -> Result:
        """Several people at one screen: hands stay hidden until the next one says "ready"."""
        def do() -> None:
            self.hot, self.seat = on, SPECTATOR if on else DESIGNER
        return self._change(do)

    def ready(self) -> Result:
        """The seat to move has sat down: show its hand."""
        return self._change(lambda: setattr(self, "seat", self.position.to_move if self.position._who >= 0 else SPECTATOR))

    # ------------------------------------------------------------ who listens

    def listen(self, f: Callable[[Session], None]) -> Callable[[], None]:
        """Call ``f(session)`` after each change; returns what ends that."""
        return self._listeners.join(f)

    def _change(self, do: Callable[[], object], said: str = "") -> Result:
        """Make a change under the lock, count the version, and tell the listeners afterwards."""
        with self.lock:
            try:
                found = do()
            except BrokenPosition as e:
                return Result(False, "broken", str(e), faults=tuple(e.faults))
            except Refused as e:
                return Result(False, "refused", reason(e.refusal, self.lang), e.refusal.rule)  # type: ignore[attr-defined]
            except WorkbenchError as e:
                return Result(False, "unknown" if isinstance(e, UnknownName) else "error", str(e))
            self.version += 1
            self.said = said
        self._listeners.tell(self)
        return found if isinstance(found, Result) else Result(True, "done")

    # ------------------------------------------------------------ playing

    def submit(self, move: object, version: object, *, seat: str | None = None) -> Result:
        """A move from a browser or a person, who saw this version of the table.

        Args:
            seat: on whose behalf; the one looked as when left out. Only the seat to move, or the designer, may move.
        """
        with self.lock:
            seat = seat or self.seat
            if not isinstance(move, str) or not 0 < len(move) <= LONGEST:
                return self._answer(Result(False, "malformed", say("ui.answer.malformed", self.lang)))
            if version != self.version or isinstance(version, bool):
                return self._answer(Result(False, "stale", say("ui.answer.stale", self.lang)))
            if self.position._who == OVER:
                return self._answer(Result(False, "over", say("ui.answer.over", self.lang)))
            if seat not in (DESIGNER, self.position.to_move):
                return self._answer(Result(False, "not_yours", say("ui.answer.not_yours", self.lang, seat=self.position.to_move)))
            result = self._change(lambda: self._go(self.tree.extend(self.here, self.position.play(move)), moved=True))
        return result if result.ok else self._answer(result)

    def _answer(self, result: Result) -> Result:
        """A refusal is said at the table too; the state stays."""
        with self.lock:
            self.said = result.text
        self._listeners.tell(self)
        return result

    def _go(self, node: Node, moved: bool = False) -> None:
        for n in self.tree.line(node)[1:]:
            n.parent.last = n  # type: ignore[union-attr]
        self.here = node
        if self.hot and (moved or self.seat != SPECTATOR):
            who = node.position.to_move
            self.seat = self.seat if self.seat == who else SPECTATOR

    def play(self, move: str) -> Result:
        """Play a move here, as the designer."""
        return self.submit(move, self.version, seat=DESIGNER)

    def deal(self, luck: int) -> Result:
        """Take the chance move asked for here with this luck number.

        Where no shuffle is asked for, the nearest one before is dealt anew: a branch beside what was played.
        """
        def do() -> Result | None:
            node: Node | None = self.here
            while node is not None and luck_code(node.position, luck) is None:
                node = node.parent
            code = luck_code(node.position, luck) if node is not None else None
            if node is None or code is None:
                return Result(False, "error", say("ui.answer.no_deal", self.lang))
            self._go(self.tree.extend(node, node.position._step(code)._go_on()), moved=True)
            return None
        return self._change(do)

    def bots(self) -> list[str]:
        """The bots that can play here."""
        return ["random", *self.draft.ruleset.bots]

    def bot_move(self, bot: str, *, stop: Event | None = None, to_end: bool = False, progress: Callable[[int], None] | None = None) -> Result:
        """Let a bot play one move, or all moves to the end; what it plays depends only on the game's luck and the decision."""
        if bot not in self.bots():
            return Result(False, "unknown", str(UnknownName("bot", bot, self.bots())))
        if not to_end:
            return self._change(lambda: self._bot_step(bot) or Result(False, "over", say("ui.answer.over", self.lang)))
        steps = 0
        while steps < CAP and not (stop is not None and stop.is_set()):
            with self.lock:  # taken anew for each move: others can look on meanwhile
                if self._bot_step(bot) is None:
                    break
            steps += 1
            if progress is not None:
                progress(steps)
        return self._change(lambda: None)

    def _bot_step(self, bot: str) -> Result | None:
        p = self.position
        if p._who == OVER:
            return None
        code = bot_code(p, bot, self.here.depth)
        after = p._step(code)._go_on() if p.luck is not None else p._step(code)
        self._go(self.tree.extend(self.here, after), moved=True)
        return Result(True, "done")

    # ------------------------------------------------------------ keeping

    def lines(self) -> list[str]:
        """The tree as the lines of its file."""
        with self.lock:
            return lines_of(self.tree, self.here)

    def save(self, path: str | Path) -> Path:
        """Write the whole tree to one file."""
        return write_whole(Path(path), self.lines())

    def open(self, path: str | Path, *, draft: Draft | None = None) -> Result:
        """Replace the tree by that of a file; a damaged file changes nothing."""
        with self.lock:
            try:
                opened = open_tree(path, draft=draft)
            except WorkbenchError as e:
                return Result(False, "damaged", str(e))

            def do() -> Result:
                self.tree, self.here, self.notes = opened.tree, opened.here, opened.notes
                return Result(True, "done", notes=opened.notes)
            return self._change(do, " ".join(opened.notes))


def bot_code(position: Position, bot: str, depth: int) -> int:
    """The move of a bot here, chance moves included; the same position in the same game gives the same move."""
    d, s = position.draft, position.state
    stream = bot_stream(1 if position.luck is None else position.luck, position.turned)
    if position._who == CHANCE:
        return d.plain.chance(d.p, s, mix(stream, depth) & ((1 << LUCK_BITS) - 1), position.turned)
    order, w = ["random", *d.ruleset.bots], d.workspace()
    n = d.plain.legal(d.p, s, w)
    return d.plain.choose(order.index(bot), d.p, s, d.ruleset.schema.blank(d.players), position._who, w, n, mix(stream, depth))


def reason(refusal: Refusal, lang: str) -> str:
    """Why a move is refused, in one line."""
    return f"{refusal.move}: {refusal.ja if lang == 'ja' else refusal.en}"

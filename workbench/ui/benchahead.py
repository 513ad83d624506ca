"""What follows a node, as the bench plays and shows it; each method is named after its control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.core.errors import NotCompilable
from workbench.ui import nodecharts
from workbench.ui.playouts import Playouts, bins, by_move, playouts, summary
from workbench.ui.session import Result, Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from workbench.ui.tree import Node

SLOWER = 500
"""Playouts of a draft that only the plain engine takes."""


class Ahead:
    """Playouts from the node one stands at, the chart, and the games behind a bar."""

    session: Session
    values: dict[str, Any]
    stop: Event
    lang: str
    ahead: dict[tuple, Playouts]
    moves: dict[str, Playouts]
    shown: tuple[str, Node | None]
    text: Callable[..., str]
    _slow: Callable[..., None]
    _tell: Callable[[], None]
    _progress: Callable[[int, int], None]
    _kept: dict[str, tuple]

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

    def brushed(self, value: object) -> None:
        """What a chart says was picked: rows, or one table a field, as its toolkit has it."""
        picked: dict[str, Any] = {}
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                picked = {k: v[0] if isinstance(v, list) and v else v for k, v in part.items()} | picked
        if isinstance(picked.get("seat"), str) and isinstance(picked.get("score"), (int, float)):
            self.brush(picked["seat"], int(picked["score"]))

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
            end = p.game(n)
            first = s.tree.extend_from(node, end, p.start[int(p.deal[n])])
            first.name = first.name or self.text("game_n", n=n)
            s._go(first)
        return s._change(do)

"""Editing a session's position, and the same position under another draft: each kept as a branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from threading import RLock

from workbench.core.draft import Draft, load, named_drafts
from workbench.core.errors import BrokenPosition, UnknownName, WorkbenchError
from workbench.core.language import say
from workbench.core.position import Position
from workbench.ui.result import Result
from workbench.ui.tree import POKE, Node, Tree
from workbench.ui.usual import unusual


class Edits:
    """The part of a session that changes what it is about."""

    lock: RLock
    tree: Tree
    here: Node
    lang: str
    position: Position
    draft: Draft
    _go: Callable[..., None]
    _change: Callable[..., Result]

    def poke(self, changes: dict[str, object], *, keep: bool = True) -> Result:
        """Edit fields: kept as a branch, with notes on what is unusual; or refused, with a fault at each field.

        Args:
            keep: False only tries it.
        """
        made: list[Position] = []

        def do() -> None:
            made.append(self.position.poke(changes))
            if keep and made[0].data != self.position.data:
                self._go(self.tree.add(self.here, made[0]))
        if not keep:
            with self.lock:
                try:
                    do()
                except (WorkbenchError, ValueError) as e:
                    return self._broken(e, changes)
                return Result(True, "done", notes=tuple(unusual(made[0], self.lang)))
        try:
            result = self._change(do)
        except ValueError as e:
            return self._broken(e, changes)
        if not result.ok:
            faults = result.faults or tuple((n, result.text) for n in changes)
            return replace(result, faults=self._at_fields(faults, list(changes)))
        with self.lock:
            return replace(result, notes=tuple(unusual(made[0], self.lang)))

    def _broken(self, e: Exception, changes: Iterable[str]) -> Result:
        faults = tuple(e.faults) if isinstance(e, BrokenPosition) else tuple((n, str(e)) for n in changes)
        return Result(False, "broken", str(e), faults=self._at_fields(faults, changes))

    def _at_fields(self, faults: Iterable[tuple[str, str]], changes: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """A fault about a kind of piece, named at the edited fields that hold such pieces."""
        fields = self.draft.ruleset.schema.fields
        found = []
        for where, why in faults:
            holders = [n for n in changes if n in fields and fields[n].pieces is not None and fields[n].pieces.kind == where]
            found += [(n, why) for n in holders] or [(where, why)]
        return tuple(found)

    def move_piece(self, kind: str, name: str, field: str, seat: str | None = None) -> Result:
        """Move one piece to another field (of a seat), from wherever it is."""
        try:
            with self.lock:
                changes = moved_piece(self.position, kind, name, field, seat)
        except WorkbenchError as e:
            return Result(False, "unknown", str(e), faults=((field, str(e)),))
        return self.poke(changes)

    def undo_poke(self) -> Result:
        """Take back the last edit on the way here (it can be brought back with :meth:`undelete`)."""
        def do() -> Result | None:
            node: Node | None = self.here
            while node is not None and node.how != POKE:
                node = node.parent
            if node is None:
                return Result(False, "error", say("ui.answer.no_poke", self.lang))
            self._go(self.tree.delete(node))
            return None
        return self._change(do)

    def under(self, draft: Draft | str) -> Result:
        """The same position under another draft of the game, as a branch."""
        def do() -> None:
            d = load(self.draft.ruleset.folder, draft, players=self.draft.players) if isinstance(draft, str) else draft
            if d != self.draft:
                self._go(self.tree.add(self.here, self.position.under(d)))
        return self._change(do)

    def vary(self, **changes: object) -> Result:
        """The same position with other numbers or readings, as a branch."""
        try:
            return self.under(self.draft.vary(**changes))
        except (WorkbenchError, ValueError) as e:
            return Result(False, "broken", str(e), faults=tuple((n, str(e)) for n in changes))

    def drafts(self) -> list[str]:
        """The named drafts of this game."""
        return list(named_drafts(self.draft.ruleset)["drafts"])


def moved_piece(position: Position, kind: str, name: str, field: str, seat: str | None) -> dict[str, object]:
    """The changes that take one piece from where it lies to a field (of a seat).

    Raises:
        UnknownName: no such piece, or no such place for it.
    """
    schema = position.draft.ruleset.schema
    homes = [f for f in schema.fields.values() if f.declared.place and f.pieces is not None and f.pieces.kind == kind]
    if field not in {f.name for f in homes}:
        raise UnknownName("field", field, [f.name for f in homes])
    schema.pieces[kind].index(name)
    changes: dict[str, object] = {}

    def without(f, value):
        if isinstance(value, dict):
            return {k: without(f, v) for k, v in value.items()}
        if f.sort == "one":
            return "-" if value == name else value
        return " ".join(x for x in str(value).split() if x != name) or "-"

    for f in homes:
        before = position[f.name]
        after = without(f, before)
        if f.name == field:
            if isinstance(after, dict) and seat not in after:
                raise UnknownName("place", str(seat), after)
            old = after[seat] if isinstance(after, dict) else after
            new = name if f.sort == "one" or old == "-" else f"{old} {name}"
            after = {**after, seat: new} if isinstance(after, dict) else new
        if after != before:
            changes[f.name] = after
    return changes

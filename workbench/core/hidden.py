"""Hidden information: what a seat may see, and full positions that agree with it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.core import notation
from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.core.schema import Field
from workbench.core.vocabulary import NONE, cards, count, mix, shuffle

if TYPE_CHECKING:
    from workbench.core.draft import Draft
    from workbench.core.position import Position


@dataclass(frozen=True)
class Seen:
    """A position as one seat may know it: plain data, with "?" for what is hidden.

    ``fields``: as :meth:`Position.fields`, hidden sets as "?8" (how many is public);
    ``moves``: the legal ones, when it is this seat's turn; ``log``: names of moves, secret ones bare.
    """

    seat: str
    to_move: str
    fields: dict = field(repr=False)
    moves: tuple[str, ...] = field(repr=False)
    log: tuple[str, ...] = field(repr=False)
    events: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        return json.dumps(self.fields, ensure_ascii=False)

    def to_dict(self) -> dict:
        """Everything as plain JSON data."""
        return {"seat": self.seat, "to_move": self.to_move, "fields": self.fields, "moves": list(self.moves),
                "log": list(self.log), "events": list(self.events)}


def visibility(draft: Draft, f: Field) -> str:
    """Who may see a field under the draft's rulings: "all", "owner" or "nobody"."""
    sees = f.declared.sees
    for condition, other in f.declared.unless.items():
        name, _, reading = condition.partition("=")
        if draft.values[name] == reading:
            sees = other
    return sees


def may_see(draft: Draft, f: Field, seat: int, first: int | None) -> bool:
    """Whether a seat (NONE: a spectator) sees the part of a field that belongs to ``first``."""
    sees = visibility(draft, f)
    return sees == "all" or sees == "owner" and first == seat


def seen_by(position: Position, seat: str | None) -> Seen:
    """What the seat may know; None: a spectator, who sees only what is open to all."""
    who = NONE if seat is None else position.seat_index(seat)
    mine = position.to_move == seat
    return Seen(seat or "-", position.to_move, fields_seen(position, seat), tuple(position.moves) if mine else (),
                tuple(log_name(position, code, by, who) for by, code in position.codes),
                tuple(str(e) for e in position.events))


def fields_seen(position: Position, seat: str | None) -> dict:
    """The fields of :func:`seen_by` alone."""
    draft = position.draft
    who = NONE if seat is None else position.seat_index(seat)
    schema, s = draft.ruleset.schema, position.state
    fields = {}
    for f in schema.fields.values():
        value = getattr(s, f.name)
        if f.name == "players" or visibility(draft, f) == "all":
            fields[f.name] = notation.nested(schema, f, value, s.players)
        elif f.shape and f.axes[0] == schema.seat_names:
            shown = notation.nested(schema, f, value, s.players)
            fields[f.name] = {n: shown[n] if may_see(draft, f, who, i) else _veiled(f, value[i], 1)
                              for i, n in enumerate(draft.seat_names)}
        else:
            fields[f.name] = _veiled(f, value, 0)
    return fields


def log_name(position: Position, code: int, by: int, who: int) -> str:
    """The name of a move as ``who`` may read it: others' secret moves and luck numbers stay out."""
    moves = position.draft.ruleset.moves
    kind, _ = moves.of(code)
    return moves.secret_name(code) if kind.luck or kind.secret and by != who else moves.name(code)


def _veiled(f: Field, value: object, depth: int) -> object:
    if depth < len(f.shape):
        return {n: _veiled(f, v, depth + 1) for n, v in zip(f.axes[depth], value, strict=True)}  # type: ignore[call-overload]
    if f.sort == "many":
        return f"?{count(value)}" if value else "-"
    return "?" if f.sort == "number" or value != NONE else "-"


def resample(position: Position, seat: str | None, luck: int) -> Position:
    """A full position that agrees with everything the seat has seen, its hidden pieces dealt anew.

    Pieces that the seat cannot place are pooled by kind and dealt back to the places they came from,
    each place getting as many as it had. A ruleset sharpens this with ``may_hold(p, s, seat, piece)``:
    whether, by what is open, a seat can hold a piece there.

    Args:
        seat: who does not know; None: a spectator. luck: which of the possible deals.
    """
    draft, s = position.draft, position.state
    schema = draft.ruleset.schema
    who = NONE if seat is None else position.seat_index(seat)
    functions = draft.plain._namespace
    for kind in draft.ruleset.pieces.values():
        slots = list(_hidden_slots(draft, s, who, kind.kind))
        pool = [c for slot in slots for c in slot.held]
        if not pool:
            continue
        allowed = functions.get("may_hold")
        for attempt in range(1000):
            shuffle(pool, len(pool), mix(luck, attempt))
            dealt = _dealt(pool, slots, (lambda o, c, allowed=allowed: allowed(draft.p, s, o, c)) if allowed else None)
            if dealt is not None:
                break
        else:
            raise WorkbenchError(say("resample", seat=seat or "-"))
        for slot, held in zip(slots, dealt, strict=True):
            slot.put(held)
    if "derive" in functions:
        functions["derive"](draft.p, s)
    return position._fresh(schema.freeze(s))


@dataclass
class _Slot:
    """One place of hidden pieces: the row that keeps it, where in the row, whose it is."""

    row: object
    key: int | str
    owner: int
    sort: str
    held: list[int]

    def put(self, held: list[int]) -> None:
        value = sum(1 << c for c in held) if self.sort == "many" else held[0]
        if isinstance(self.key, str):
            setattr(self.row, self.key, value)
        else:
            self.row[self.key] = value  # type: ignore[index]


def _hidden_slots(draft: Draft, s: object, who: int, kind: str):
    schema = draft.ruleset.schema
    for f in schema.fields.values():
        if f.pieces is None or f.pieces.kind != kind or not f.declared.place or visibility(draft, f) == "all":
            continue

        def at(row: object, key: int | str, depth: int, owner: int, f: Field = f):
            value = getattr(row, key) if isinstance(key, str) else row[key]  # type: ignore[index]
            if depth < len(f.shape):
                for i in range(f.shape[depth]):
                    yield from at(value, i, depth + 1, i if depth == 0 and f.axes[0] == schema.seat_names else owner)
            elif not may_see(draft, f, who, owner if f.shape else None):
                held = list(cards(value)) if f.sort == "many" else [value] if value != NONE else []
                if held:
                    yield _Slot(row, key, owner, f.sort, held)

        yield from at(s, f.name, 0, NONE)


def _dealt(pool: list[int], slots: list[_Slot], allowed) -> list[list[int]] | None:
    """The pool dealt to the slots in order; where a piece may not go, the next one that may is taken."""
    if allowed is None:
        it = iter(pool)
        return [[next(it) for _ in slot.held] for slot in slots]
    left, dealt = list(pool), [[] for _ in slots]
    # the narrowest slots choose first; a dead end is dealt again by the caller
    order = sorted(range(len(slots)), key=lambda i: sum(bool(allowed(slots[i].owner, c)) for c in pool) - len(slots[i].held))
    for i in order:
        for _ in slots[i].held:
            c = next((c for c in left if allowed(slots[i].owner, c)), None)
            if c is None:
                return None
            left.remove(c)
            dealt[i].append(c)
    return dealt

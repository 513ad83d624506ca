"""Builds a position from the few things that an example states, so that nothing is lost or doubled."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.core import notation
from workbench.core.errors import BrokenPosition, UnknownName, WorkbenchError
from workbench.core.language import say
from workbench.core.position import Position
from workbench.core.schema import Field, Schema, walk
from workbench.core.vocabulary import NONE, bit, cards

PLACE = re.compile(r"\[([^\]]*)\]")
Spot = tuple[str, tuple[int, ...]]


class Misplaced(WorkbenchError):
    """A stated field that cannot be; ``key`` is its name."""

    def __init__(self, key: str, error: Exception):
        super().__init__(str(error))
        self.key = key


def place(position: Position, given: dict, rest: dict) -> Position:
    """The position with the stated fields set and every other piece kept in one place.

    A stated piece leaves the place it had. A piece that lost its place goes to ``rest``, else to
    where setup puts it. The number of a pool that is not stated makes up for those that are.

    Args:
        given: fields in the game's terms, as :meth:`Position.poke` takes them, or a row as one text.
        rest: kind of piece or pool ("": any) → place, written as ``deck`` or ``pile[P0]``.

    Raises:
        Misplaced: names the key and what is wrong.
    """
    draft, s = position.draft, position.state
    stated, named = _stated(draft.ruleset.schema, s, given)
    _take_away(draft.ruleset.schema, s, stated, named)
    try:
        _put_back(draft, s, stated, rest)
        _balance(draft, s, stated, rest)
    except WorkbenchError as e:
        raise Misplaced("rest", e) from None
    try:
        return position._sound(draft, s)
    except BrokenPosition as e:
        key = next((f for f, _ in e.faults if f in given), "given")
        raise Misplaced(key, BrokenPosition([(f, why + _hint(draft.ruleset.schema, f)) for f, why in e.faults])) from None


def _hint(schema: Schema, field: str) -> str:
    return say("check.rest_hint", kind=field) if field in schema.pieces else ""


def _stated(schema: Schema, s: object, given: dict) -> tuple[set[Spot], dict[str, set[int]]]:
    """Set the stated values; which spots were stated, and which pieces they name by kind."""
    stated: set[Spot] = set()
    named: dict[str, set[int]] = {}
    for name, value in given.items():
        try:
            f = field_named(schema, name)
            if f.declared.derived:
                raise WorkbenchError(say("check.derived", name=name))
            for where, text in parts(schema, f, value, s.players):  # type: ignore[attr-defined]
                v = notation.value_of(schema, f, text)
                put(s, name, where, v)
                stated.add((name, where))
                if f.declared.place and f.pieces:
                    named.setdefault(f.pieces.kind, set()).update(cards(v) if f.sort == "many" else [v] if v >= 0 else [])
        except (WorkbenchError, TypeError) as e:
            raise Misplaced(name, e) from None
    return stated, named


def field_named(schema: Schema, name: str) -> Field:
    """A field that an example may name."""
    if name not in schema.fields or name == "players":
        raise UnknownName("field", name, [n for n in schema.fields if n != "players"])
    return schema.fields[name]


def parts(schema: Schema, f: Field, value: object, players: int) -> Iterator[tuple[tuple[int, ...], object]]:
    """The single values in what a person wrote for a field, each with its indexes.

    A dimension is a table of some of its names, a list of all, or (where a value is one word) one text of all.
    """
    axes = notation.shown_axes(schema, f, players)

    def at(v: object, depth: int, where: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], object]]:
        if depth == len(axes):
            if isinstance(v, dict):
                raise BrokenPosition([(f.name, say("check.too_deep", value=v))])
            yield where, v
            return
        names = axes[depth]
        if isinstance(v, str) and f.sort != "many" and depth == len(axes) - 1:
            v = v.split()
        if isinstance(v, dict):
            for k in v:
                if str(k) not in names:
                    raise UnknownName("place", str(k), names)
                yield from at(v[k], depth + 1, (*where, names.index(str(k))))
        elif isinstance(v, (list, tuple)) and len(v) == len(names):
            for i, x in enumerate(v):
                yield from at(x, depth + 1, (*where, i))
        else:
            raise BrokenPosition([(f.name, say("poke.shape", names=", ".join(names)))])

    return at(value, 0, ())


def put(s: object, name: str, where: tuple[int, ...], value: int) -> None:
    """Set one value of a field."""
    if not where:
        setattr(s, name, value)
        return
    row = getattr(s, name)
    for i in where[:-1]:
        row = row[i]
    row[where[-1]] = value


def get(s: object, name: str, where: tuple[int, ...]) -> int:
    """One value of a field."""
    row = getattr(s, name)
    for i in where:
        row = row[i]
    return row


def spots(f: Field, s: object) -> Iterator[tuple[Spot, int]]:
    """Each single value of a field with its indexes."""
    for text, value in walk(f, getattr(s, f.name)):
        yield (f.name, tuple(f.axes[i].index(n) for i, n in enumerate(PLACE.findall(text)))), value


def _take_away(schema: Schema, s: object, stated: set[Spot], named: dict[str, set[int]]) -> None:
    for f in schema.fields.values():
        if f.declared.place and f.pieces and f.pieces.kind in named:
            mask = sum(map(bit, named[f.pieces.kind]))
            for (name, where), v in list(spots(f, s)):
                if (name, where) not in stated:
                    put(s, name, where, v & ~mask if f.sort == "many" else NONE if v >= 0 and bit(v) & mask else v)


def spot_named(schema: Schema, text: str) -> Spot:
    """A place written as ``deck`` or ``pile[P0]``."""
    name = text.split("[")[0].strip()
    if name not in schema.fields:
        raise UnknownName("place", text, schema.fields)
    f, where = schema.fields[name], PLACE.findall(text)
    indexes = []
    for n, axis in zip(where, f.axes, strict=False):
        if n not in axis:
            raise UnknownName("place", n, axis)
        indexes.append(axis.index(n))
    return name, tuple(indexes)


def _put_back(draft, s: object, stated: set[Spot], rest: dict) -> None:
    """Pieces without a place go to ``rest``, else where setup puts them, if nothing else was stated there."""
    schema = draft.ruleset.schema
    for key in rest:
        if key and key not in schema.pieces and key not in {f.declared.pool for f in schema.fields.values()}:
            raise UnknownName("piece_kind", key, schema.pieces)
    home = schema.places(draft.fresh)
    for kind, now in schema.places(s).items():
        wish = rest.get(kind, rest.get(""))
        for i, here in enumerate(now):
            if here or not home[kind][i]:
                continue
            name, where = spot_named(schema, wish or home[kind][i][0])
            f = schema.fields[name]
            if f.pieces is None or f.pieces.kind != kind or len(where) != len(f.shape):
                raise WorkbenchError(say("check.rest_place", place=wish, kind=kind))
            if not wish and (name, where) in stated:
                continue  # the author says what lies there: the piece is lost, and the fault says so
            old = get(s, name, where)
            if f.sort == "many" or old == NONE:
                put(s, name, where, old | bit(i) if f.sort == "many" else i)


def _balance(draft, s: object, stated: set[Spot], rest: dict) -> None:
    """What a pool lacks or has too much goes to ``rest``, else to its one field that is for all and not stated."""
    schema = draft.ruleset.schema
    pools: dict[str, list[Field]] = {}
    for f in schema.fields.values():
        if f.declared.pool:
            pools.setdefault(f.declared.pool, []).append(f)
    for pool, fields in pools.items():
        apart = fields[0].declared.per[-1:] == (pool,)
        totals: dict[tuple[int, ...], int] = {}
        for f in fields:
            for state, sign in ((draft.fresh, 1), (s, -1)):
                for (_, where), v in spots(f, state):
                    key = where[-1:] if apart else ()
                    totals[key] = totals.get(key, 0) + sign * v
        if not any(totals.values()):
            continue
        wish = rest.get(pool) or rest.get("")
        common = [f.name for f in fields if len(f.shape) == int(apart) and not any(n == f.name for n, _ in stated)]
        if wish or len(common) == 1:
            name, where = spot_named(schema, wish or common[0])
            if name not in {f.name for f in fields}:
                if pool in rest:
                    raise WorkbenchError(say("check.rest_place", place=wish, kind=pool))
                continue
            for key, lack in totals.items():
                put(s, name, (*where, *key), get(s, name, (*where, *key)) + lack)

"""Positions and values as text: one line that reads back, and what people type when they poke."""

from __future__ import annotations

import json
from collections.abc import Iterable

from workbench.core.errors import BrokenPosition, DamagedFile, UnknownName, WorkbenchError
from workbench.core.language import say
from workbench.core.schema import Field, Schema
from workbench.core.vocabulary import HIDDEN, NONE, cards


def value_name(schema: Schema, f: Field, value: int) -> str:
    """One value as text: piece names, a seat, a phase or a number; "-" for none, "?" for hidden."""
    if f.sort == "many":
        return ",".join(f.pieces.names[i] for i in cards(value)) or "-"  # type: ignore[union-attr]
    if value == HIDDEN and f.sort in ("one", "seat"):
        return "?"
    if f.sort in ("one", "seat") and value == NONE:
        return "-"
    if f.sort == "one":
        return f.pieces.names[value]  # type: ignore[union-attr]
    if f.sort == "seat":
        return schema.seat_names[value]
    return schema.phases[value] if f.name == "phase" else str(value)


def value_of(schema: Schema, f: Field, text: object) -> int:
    """One value from what a person typed.

    Raises:
        UnknownName: no such piece, seat or phase. BrokenPosition: not a number.
    """
    if f.sort == "many":
        names = text if isinstance(text, (list, tuple, set, frozenset)) else str(text).replace(",", " ").split()
        total = 0
        for n in names:
            if n != "-":
                b = 1 << f.pieces.index(str(n))  # type: ignore[union-attr]
                if total & b:
                    raise BrokenPosition([(f.name, say("poke.doubled", piece=n, places=f.name))])
                total |= b
        return total
    text = "-" if text is None else text
    if f.sort == "one":
        return NONE if text == "-" else HIDDEN if text == "?" else f.pieces.index(str(text))  # type: ignore[union-attr]
    if f.sort == "seat":
        if text == "-":
            return NONE
        if text not in schema.seat_names:
            raise UnknownName("seat", str(text), schema.seat_names)
        return schema.seat_names.index(str(text))
    if f.name == "phase" and not isinstance(text, int):
        if text not in schema.phases:
            raise UnknownName("phase", str(text), schema.phases)
        return schema.phases.index(str(text))
    try:
        return int(text)  # type: ignore[call-overload]
    except (ValueError, TypeError):
        raise BrokenPosition([(f.name, say("poke.range", where=f.name, value=text, range=schema.range_of(f)))]) from None


def shown_axes(schema: Schema, f: Field, players: int) -> tuple[tuple[str, ...], ...]:
    """The names along each dimension, without the seats that are not in the game."""
    return tuple(a[:players] if a == schema.seat_names else a for a in f.axes)


def nested(schema: Schema, f: Field, value: object, players: int) -> object:
    """A field's value with names: a string or number, or nested dictionaries by seat, area, …"""
    axes = shown_axes(schema, f, players)

    def at(v: object, depth: int) -> object:
        if depth == len(axes):
            if f.sort == "number" and f.name != "phase":
                return v
            text = value_name(schema, f, v)  # type: ignore[arg-type]
            return text.replace(",", " ") if f.sort == "many" else text
        return {name: at(part, depth + 1) for name, part in zip(axes[depth], v, strict=False)}  # type: ignore[call-overload]

    return at(value, 0)


def assign(schema: Schema, f: Field, old: object, new: object, players: int) -> object:
    """A field's value after a person's change: a whole value, a list, or a dictionary of some of its parts."""
    axes = shown_axes(schema, f, players)

    def at(o: object, n: object, depth: int) -> object:
        if depth == len(axes):
            return value_of(schema, f, n)
        names = axes[depth]
        if isinstance(n, dict):
            for k in n:
                if str(k) not in names:
                    raise UnknownName("place", str(k), names)
            return [at(o[i], n[k], depth + 1) if (k := _key(n, name)) is not None else o[i]  # type: ignore[index]
                    for i, name in enumerate(names)] + list(o[len(names):])  # type: ignore[index]
        if isinstance(n, (list, tuple)) and len(n) == len(names):
            return [at(o[i], v, depth + 1) for i, v in enumerate(n)] + list(o[len(names):])  # type: ignore[index]
        raise BrokenPosition([(f.name, say("poke.shape", names=", ".join(names)))])

    return at(old, new, 0)


def _key(table: dict, name: str) -> object:
    return next((k for k in table if str(k) == name), None)


def line(schema: Schema, state: object, key: str) -> str:
    """The position as one line: the draft's key, then each field that is not blank and is not worked out from others."""
    players = state.players  # type: ignore[attr-defined]
    parts = [key]
    for f in schema.fields.values():
        if f.name == "players" or f.declared.derived:
            continue
        text = _joined(schema, f, getattr(state, f.name), shown_axes(schema, f, players), 0)
        if text != _joined(schema, f, _blank(f), shown_axes(schema, f, players), 0) or f.name in ("phase", "turn"):
            parts.append(f"{f.name}={text}")
    return " ".join(parts)


def _blank(f: Field) -> object:
    value: object = f.blank
    for size in reversed(f.shape):
        value = [value] * size
    return value


SEPARATORS = "/;|"


def _joined(schema: Schema, f: Field, value: object, axes: tuple, depth: int) -> str:
    if depth == len(axes):
        return value_name(schema, f, value)  # type: ignore[arg-type]
    return SEPARATORS[depth].join(_joined(schema, f, v, axes, depth + 1)
                                  for _, v in zip(axes[depth], value, strict=False))  # type: ignore[call-overload]


def read_line(schema: Schema, text: str, players: int) -> object:
    """The plain state of a line's fields (what follows the draft's key).

    Raises:
        DamagedFile: a part that is no field=value or has the wrong number of values.
    """
    s = schema.blank(players)
    for part in text.split():
        name, sep, value = part.partition("=")
        if not sep or name not in schema.fields:
            raise DamagedFile(say("notation.part", part=part, known=", ".join(schema.fields)))
        f = schema.fields[name]
        axes = shown_axes(schema, f, players)

        def at(v: str, depth: int, old: object, f: Field = f, axes: tuple = axes, part: str = part) -> object:
            if depth == len(axes):
                try:
                    return value_of(schema, f, v)
                except WorkbenchError as e:
                    raise DamagedFile(f"{part}: {e}") from None
            pieces = v.split(SEPARATORS[depth])
            if len(pieces) != len(axes[depth]):
                raise DamagedFile(say("notation.width", part=part, n=len(axes[depth])))
            return [at(x, depth + 1, old[i]) for i, x in enumerate(pieces)] + list(old[len(pieces):])  # type: ignore[index]

        setattr(s, name, at(value, 0, getattr(s, name)))
    return s


def to_json(schema: Schema, state: object, head: dict) -> str:
    """The position as JSON: head, then every field with names."""
    fields = {f.name: nested(schema, f, getattr(state, f.name), state.players)  # type: ignore[attr-defined]
              for f in schema.fields.values() if f.name != "players"}
    return json.dumps({**head, "state": fields}, ensure_ascii=False)


def from_json(schema: Schema, fields: dict, players: int) -> object:
    """The plain state of a JSON position's fields."""
    s = schema.blank(players)
    for name, value in fields.items():
        if name not in schema.fields:
            raise DamagedFile(say("notation.part", part=name, known=", ".join(schema.fields)))
        setattr(s, name, assign(schema, schema.fields[name], getattr(s, name), value, players))
    return s


def names(items: Iterable[object]) -> str:
    """A readable list."""
    return ", ".join(map(str, items))

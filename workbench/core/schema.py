"""The state of a game, declared once: layout, plain object, ranges and who may see what.

A position is one NumPy record of this schema's ``dtype``. ``thaw`` makes the plain object that
rules run on (ints and lists), ``freeze`` turns it back; nothing else crosses that border.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from workbench.core.errors import BrokenPosition, RulesetError, UnknownName
from workbench.core.language import say
from workbench.core.pieces import Pieces
from workbench.core.vocabulary import HIDDEN, NONE, Declared

CODES = {"i1": "b", "i2": "h", "i4": "i", "i8": "q"}
"""What ``struct`` calls the storage types."""
BUILT_IN = {
    "players": dict(lo=1, hi=127, en="how many players", ja="プレイヤー人数"),
    "phase": dict(lo=0, hi=127, en="which decision is asked", ja="どの決定の段階か"),
    "turn": dict(sort="seat", en="whose turn it is", ja="誰の手番か"),
}


@dataclass(frozen=True)
class Field:
    """One field of the state: its declaration, name, shape (sizes) and the names along each dimension."""

    name: str
    declared: Declared
    shape: tuple[int, ...]
    axes: tuple[tuple[str, ...], ...]
    pieces: Pieces | None
    seats: int = 0
    """How many seats the game has at most."""

    @property
    def sort(self) -> str:
        """"many", "one", "seat" or "number"."""
        return self.declared.sort

    @cached_property
    def size(self) -> int:
        """How many values the field has."""
        return math.prod(self.shape)

    @cached_property
    def lo(self) -> int:
        """The lowest value that it may hold."""
        return 0 if self.sort == "many" else NONE if self.sort in ("one", "seat") else self.declared.lo

    @cached_property
    def hi(self) -> int:
        """The highest value that it may hold."""
        if self.sort == "many":
            return (1 << len(self.pieces)) - 1  # type: ignore[arg-type]
        return len(self.pieces) - 1 if self.pieces else self.seats - 1 if self.sort == "seat" else self.declared.hi

    @property
    def blank(self) -> int:
        """The value of an empty field."""
        if self.sort in ("one", "seat"):
            return NONE
        return 0 if self.sort == "many" or self.declared.lo <= 0 <= self.declared.hi else self.declared.lo

    @property
    def storage(self) -> str:
        """The NumPy type of one value."""
        if self.sort == "many":
            return "i8"
        hi = len(self.pieces) if self.pieces else self.declared.hi  # type: ignore[arg-type]
        lo = min(self.declared.lo, HIDDEN)
        for code, limit in (("i1", 127), ("i2", 32767), ("i4", 2**31 - 1)):
            if hi <= limit and lo >= -limit - 1:
                return code
        return "i8"


class PlainState:
    """The state as rules see it when stepping: attributes are ints or (nested) lists."""

    def __repr__(self) -> str:
        return "state(" + ", ".join(f"{k}={v!r}" for k, v in vars(self).items()) + ")"


class Row(list):
    """A list that refuses an index outside it; the checks run on it, as -1 would pass silently."""

    def __getitem__(self, i):
        if not 0 <= i < len(self):
            raise IndexError(f"index {i} in a row of {len(self)}")
        return list.__getitem__(self, i)

    def __setitem__(self, i, value):
        if not 0 <= i < len(self):
            raise IndexError(f"index {i} in a row of {len(self)}")
        list.__setitem__(self, i, value)


class Schema:
    """All fields of a ruleset's state."""

    def __init__(self, declared: dict[str, Declared], *, pieces: dict[str, Pieces], dims: dict[str, int],
                 max_players: int, phases: tuple[str, ...]):
        self.pieces, self.max_players, self.phases = pieces, max_players, phases
        self.seat_names = tuple(f"P{i}" for i in range(max_players))
        everything = {n: Declared(**{"sort": "number", **d}) for n, d in BUILT_IN.items()} | declared  # type: ignore[arg-type]
        self.fields: dict[str, Field] = {}
        for name, d in everything.items():
            axes = tuple(self._axis(name, dim, dims) for dim in d.per)
            kind = pieces.get(d.piece) if d.piece else None
            if d.piece and kind is None:
                raise UnknownName("piece_kind", d.piece, pieces)
            if d.sort == "many" and len(kind) > 63:  # type: ignore[arg-type]
                raise RulesetError(say("ruleset.too_many", field=name, n=len(kind)))  # type: ignore[arg-type]
            if d.sees not in ("all", "owner", "nobody") or (d.sees == "owner" and d.per[:1] != ("seat",)):
                raise RulesetError(say("ruleset.sees", field=name, met=d.sees))
            self.fields[name] = Field(name, d, tuple(len(a) for a in axes), axes, kind, max_players)
        self._known: tuple | None = None
        self.dtype = np.dtype([(f.name, f.storage, f.shape) if f.shape else (f.name, f.storage)
                               for f in self.fields.values()], align=True)

    def _axis(self, field: str, dim: object, dims: dict[str, int]) -> tuple[str, ...]:
        if dim == "seat":
            return self.seat_names
        if isinstance(dim, int):
            return tuple(str(i) for i in range(dim))
        if dim in self.pieces:
            return self.pieces[dim].names  # type: ignore[index]
        if dim in dims:
            return tuple(str(i) for i in range(dims[dim]))  # type: ignore[index]
        raise UnknownName("dimension", str(dim), ["seat", *self.pieces, *dims])

    # ------------------------------------------------------------ plain and frozen

    def blank(self, players: int, *, checked: bool = False) -> PlainState:
        """An empty plain state; ``checked`` makes rows refuse an index outside them."""
        s, row = PlainState(), Row if checked else list
        s.__dict__.update({name: _filled(shape, value, row) for name, shape, value in self._blank_values})
        s.players = players  # type: ignore[attr-defined]
        return s

    @cached_property
    def _blank_values(self) -> list[tuple[str, tuple[int, ...], int]]:
        return [(f.name, f.shape, f.blank) for f in self.fields.values()]

    @cached_property
    def _struct(self) -> struct.Struct:
        """The record's layout for reading and writing all values at once."""
        parts, at = [], 0
        for f in self.fields.values():
            where = self.dtype.fields[f.name][1]  # type: ignore[index]
            parts.append(f"{where - at}x{f.size}{CODES[f.storage]}")
            at = where + f.size * np.dtype(f.storage).itemsize
        return struct.Struct("=" + "".join(parts) + f"{self.dtype.itemsize - at}x")

    @cached_property
    def _ways(self) -> tuple[Callable, Callable]:
        """From all values to the fields by name, and from a plain state to all values: written out, since every step asks."""
        reads, writes, at = [], [], 0
        for f in self.fields.values():
            reads.append(f"{f.name!r}: {_spelled('v', at, f.shape)}" if f.shape else f"{f.name!r}: v[{at}]")
            writes += [f"{'*' if f.shape else ''}s.{f.name}{i}" for i in _rows(f.shape)]
            at += f.size
        scope: dict = {}
        exec(f"def read(v): return {{{', '.join(reads)}}}\ndef write(s): return ({', '.join(writes)},)", scope)  # our own text
        return scope["read"], scope["write"]

    @cached_property
    def _blanks(self) -> dict[int, bytes]:
        return {}

    def blank_record(self, players: int) -> np.ndarray:
        """An array of one blank record."""
        data = self._blanks.get(players)
        if data is None:
            data = self._blanks[players] = self.freeze(self.blank(players))
        return np.frombuffer(bytearray(data), self.dtype)

    def thaw(self, data: bytes) -> PlainState:
        """The plain object of a record's bytes."""
        s = PlainState()
        s.__dict__.update(self._ways[0](self._struct.unpack(data)))
        return s

    def freeze(self, s: object) -> bytes:
        """The record's bytes of a plain object.

        Raises:
            BrokenPosition: a value that its field cannot store, by field.
        """
        try:
            return self._struct.pack(*self._ways[1](s))
        except (struct.error, TypeError):
            pass  # which value it is, the slow way tells
        record = np.zeros(1, self.dtype)
        for name in self.fields:
            try:
                record[name][0] = getattr(s, name)
            except (OverflowError, ValueError, TypeError) as e:
                raise BrokenPosition([(name, f"{getattr(s, name)!r}: {e}")]) from None
        return record.tobytes()

    # ------------------------------------------------------------ what a sound position looks like

    def faults(self, s: object, fresh: object) -> list[tuple[str, str]]:
        """What breaks a plain state: ranges, pieces lost or doubled, pools that do not add up.

        ``fresh`` is the state after setup of the same draft: it tells which pieces exist and each
        pool's total. Returns (field, sentence) pairs, empty when sound.
        """
        if self._keeps(s, fresh):
            return []
        found: list[tuple[str, str]] = []
        for f in self.fields.values():
            for where, value in walk(f, getattr(s, f.name)):
                if not f.lo <= value <= f.hi:
                    found.append((f.name, say("poke.range", where=where, value=value, range=self.range_of(f))))
        if not found:
            found += self._lost_or_doubled(s, fresh)
            found += self._pools(s, fresh)
        return found

    def _keeps(self, s: object, fresh: object) -> bool:
        """Whether nothing breaks; asked at every step of every check, so it makes no names and stops at the first fault."""
        held: dict[str, int] = {}
        pools: dict[tuple, int] = {}
        for f in self.fields.values():
            values = flat(getattr(s, f.name), len(f.shape))
            if len(values) != f.size or min(values) < f.lo or max(values) > f.hi or not _add(f, values, held, pools):
                return False
        if self._known is None or self._known[0] is not fresh:
            wanted: tuple[dict, dict] = ({}, {})
            for f in self.fields.values():
                _add(f, flat(getattr(fresh, f.name), len(f.shape)), *wanted)
            self._known = (fresh, *wanted)
        return (held, pools) == self._known[1:]

    def range_of(self, f: Field) -> str:
        """The range of a field in words."""
        if f.pieces is not None:
            return ", ".join(f.pieces.names)
        if f.sort == "seat":
            return ", ".join(self.seat_names)
        return f"{f.declared.lo}..{f.declared.hi}"

    def places(self, s: object) -> dict[str, list[list[str]]]:
        """For each kind of piece, the places (field[seat]) that hold each piece."""
        found: dict[str, list[list[str]]] = {}
        for f in self.fields.values():
            if not f.declared.place or f.pieces is None:
                continue
            at = found.setdefault(f.pieces.kind, [[] for _ in f.pieces.names])
            for where, value in walk(f, getattr(s, f.name)):
                for i in range(len(at)) if f.sort == "many" else (value,):
                    if i >= 0 and (f.sort == "one" or value >> i & 1):
                        at[i].append(where)
        return found

    def _lost_or_doubled(self, s: object, fresh: object) -> list[tuple[str, str]]:
        found = []
        wanted = self.places(fresh)
        for kind, at in self.places(s).items():
            for i, (here, there) in enumerate(zip(at, wanted[kind], strict=True)):
                name = self.pieces[kind].names[i]
                if len(here) > 1:
                    found.append((here[1].split("[")[0], say("poke.doubled", piece=name, places=", ".join(here))))
                elif there and not here:
                    found.append((kind, say("poke.lost", piece=name)))
                elif here and not there:
                    found.append((here[0].split("[")[0], say("poke.foreign", piece=name, place=here[0])))
        return found

    def _pools(self, s: object, fresh: object) -> list[tuple[str, str]]:
        totals: dict[str, list[np.ndarray]] = {}
        for f in self.fields.values():
            if f.declared.pool:
                now, then = (np.array(getattr(x, f.name)) for x in (s, fresh))
                # the pool's own dimension, if any, is the last one and is kept apart
                axis = tuple(range(now.ndim - 1)) if f.declared.per and f.declared.per[-1] == f.declared.pool else None
                pair = totals.setdefault(f.declared.pool, [np.zeros((), int), np.zeros((), int)])
                pair[0], pair[1] = pair[0] + now.sum(axis=axis), pair[1] + then.sum(axis=axis)
        return [(name, say("poke.pool", pool=name, met=now.tolist(), expected=then.tolist()))
                for name, (now, then) in totals.items() if not np.array_equal(now, then)]


def _spelled(name: str, at: int, shape: tuple[int, ...]) -> str:
    """Values one after another as nested rows, as an expression."""
    if len(shape) == 1:
        return f"list({name}[{at}:{at + shape[0]}])"
    part = math.prod(shape[1:])
    return "[" + ", ".join(_spelled(name, at + i * part, shape[1:]) for i in range(shape[0])) + "]"


def _rows(shape: tuple[int, ...]) -> list[str]:
    """The indexes of a field's innermost rows."""
    return ["".join(f"[{i}]" for i in where) for where in itertools.product(*(range(n) for n in shape[:-1]))]


def flat(value: object, depth: int) -> list[int]:
    """The values of nested rows, one after another."""
    if depth == 0:
        return [value]  # type: ignore[list-item]
    return value if depth == 1 else [x for part in value for x in flat(part, depth - 1)]  # type: ignore[attr-defined, return-value]


def _add(f: Field, values: list[int], held: dict[str, int], pools: dict[tuple, int]) -> bool:
    """Add up the pieces and the pool of a field; False when a piece is there twice."""
    if f.declared.place and f.pieces is not None:
        mask = held.get(f.pieces.kind, 0)
        for v in values:
            here = v if f.sort == "many" else 1 << v if v >= 0 else 0
            if mask & here:
                return False
            mask |= here
        held[f.pieces.kind] = mask
    if f.declared.pool:
        # the pool's own dimension, if any, is the last one and is kept apart
        apart = f.shape[-1] if f.declared.per[-1:] == (f.declared.pool,) else 1
        for i in range(apart):
            key = (f.declared.pool, i)
            pools[key] = pools.get(key, 0) + sum(islice(values, i, None, apart))
    return True


def _filled(shape: tuple[int, ...], value: int, row: type) -> object:
    if not shape:
        return value
    if len(shape) == 1:
        return row([value] * shape[0])
    return row(_filled(shape[1:], value, row) for _ in range(shape[0]))


def walk(f: Field, value: object, where: str | None = None, axis: int = 0):
    """Each single value of a field with its place, as ("hand[P0]", value)."""
    where = where or f.name
    if axis == len(f.shape):
        yield where, value
    else:
        for name, part in zip(f.axes[axis], value, strict=True):  # type: ignore[call-overload]
            yield from walk(f, part, f"{where}[{name}]", axis + 1)

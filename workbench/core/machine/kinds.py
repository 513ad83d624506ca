"""What a value of a rule can be once compiled, and how it lies in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


class Outside(Exception):
    """A construct that the language of compiled rules does not have, with its file and line."""

    def __init__(self, what: str, file: str = "", line: int = 0):
        super().__init__(f"{file}:{line}: {what}" if file else what)
        self.what, self.file, self.line = what, file, line


@dataclass(frozen=True)
class Scalar:
    """A number: ``int`` (64 bits), ``bool`` or ``float``."""

    name: str
    llvm: str


INT, BOOL, FLOAT = Scalar("int", "i64"), Scalar("bool", "i1"), Scalar("float", "double")


@dataclass(frozen=True)
class Record:
    """One NumPy record; ``known``: fields that have one value in the whole game, as (name, value)."""

    dtype: np.dtype
    known: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Row:
    """A row of numbers or records, nested or not; a first length of None is known only when it runs.

    ``tag``: the field that it lies in. Memory of two fields is never the same, which LLVM is told.
    """

    of: str | Record
    shape: tuple[int | None, ...]
    tag: str


@dataclass(frozen=True)
class Several:
    """A fixed number of values together: a tuple."""

    of: tuple


@dataclass(frozen=True)
class Range:
    """``range`` with a known step: its start and stop."""

    step: int


@dataclass(frozen=True)
class Nothing:
    """What a function without a value returns."""


NOTHING = Nothing()
Kind = Scalar | Record | Row | Several | Range | Nothing


@dataclass(frozen=True)
class Value:
    """A value where it is used: its kind and LLVM's name for it, or those of its parts."""

    kind: Kind
    name: str = ""
    length: str = ""
    """Of a row whose length is known only when it runs."""
    parts: tuple[Value, ...] = field(default=())


def flat(kind: Kind) -> list[str]:
    """The LLVM types that a value of this kind consists of."""
    if isinstance(kind, Scalar):
        return [kind.llvm]
    if isinstance(kind, Record):
        return ["ptr"]
    if isinstance(kind, Row):
        return ["ptr", "i64"] if kind.shape[0] is None else ["ptr"]
    if isinstance(kind, Several):
        return [t for k in kind.of for t in flat(k)]
    return ["i64", "i64"] if isinstance(kind, Range) else []


def names(v: Value) -> list[str]:
    """LLVM's names of what a value consists of, in the order of :func:`flat`."""
    if v.parts:
        return [n for p in v.parts for n in names(p)]
    if isinstance(v.kind, Nothing):
        return []
    return [v.name, v.length] if isinstance(v.kind, Row) and v.kind.shape[0] is None else [v.name]


def made(kind: Kind, found: list[str]) -> Value:
    """A value of this kind from the names it consists of; takes them from the front of ``found``."""
    if isinstance(kind, Several):
        return Value(kind, parts=tuple(made(k, found) for k in kind.of))
    if isinstance(kind, Range):
        return Value(kind, parts=(Value(INT, found.pop(0)), Value(INT, found.pop(0))))
    if isinstance(kind, Nothing):
        return Value(kind)
    name = found.pop(0)
    return Value(kind, name, found.pop(0) if isinstance(kind, Row) and kind.shape[0] is None else "")


def kept(kind: Kind) -> Kind:
    """The kind in which a variable or an argument keeps it: yes and no are numbers there."""
    if isinstance(kind, Several):
        return Several(tuple(map(kept, kind.of)))
    return INT if kind == BOOL else kind


def stored(code: str) -> tuple[str, str, int]:
    """Of NumPy's code for a number in memory: LLVM's type, the way to widen it and its bytes."""
    size = int(code[1:])
    if code[0] == "f":
        if size != 8:
            raise Outside(code)
        return "double", "", size
    return f"i{size * 8}", "zext" if code[0] in "ub" else "sext", size


def code_of(dtype: np.dtype) -> str:
    """NumPy's code without its byte order: "i1", "i8", "f8"."""
    return dtype.str[1:]

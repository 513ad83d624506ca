"""Writing LLVM's text for one function: operations, blocks, variables and memory."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.language import say
from workbench.core.machine.kinds import (
    BOOL,
    FLOAT,
    INT,
    Kind,
    Outside,
    Record,
    Row,
    Scalar,
    Several,
    Value,
    code_of,
    flat,
    kept,
    made,
    names,
    stored,
)

if TYPE_CHECKING:
    from workbench.core.machine.program import Program

ROOM = 64
"""How many numbers a row made inside a rule can hold."""


class Again(Exception):
    """A variable turned out wider than first thought: the function is written once more."""


class Emitter:
    """The text of one function as it grows."""

    def __init__(self, program: Program, file: str, kinds: dict[str, Kind]):
        self.program, self.file = program, file
        self.kinds = kinds
        """The kind of each variable, kept from one attempt to the next."""
        self.lines: list[str] = []
        self.head: list[str] = []
        """Where variables and rows lie: the start of the function."""
        self.slots: dict[str, list[str]] = {}
        self.count = 0
        self.live, self.reached = True, set[str]()

    # ------------------------------------------------------------ operations and blocks

    def op(self, text: str) -> str:
        """Write an operation; returns the name of its result."""
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def do(self, text: str) -> None:
        """Write an operation without a result."""
        self.lines.append("  " + text)

    def label(self, stem: str) -> str:
        """A new name for a block."""
        self.count += 1
        return f"{stem}{self.count}"

    def begin(self, label: str) -> None:
        """What follows belongs to this block; it is dead where nothing leads here."""
        self.live = label in self.reached
        self.lines.append(f"{label}:")
        if not self.live:
            self.do("unreachable")

    def go(self, label: str) -> None:
        """Go on at another block."""
        if self.live:
            self.reached.add(label)
            self.do(f"br label %{label}")
            self.live = False

    def branch(self, bit: str, yes: str, no: str, *, rare: bool = False) -> None:
        """Go on at one of two blocks."""
        self.reached |= {yes, no}
        self.do(f"br i1 {bit}, label %{yes}, label %{no}" + (", !prof !1" if rare else ""))
        self.live = False

    def guard(self, bad: str, what: str, node: ast.AST) -> None:
        """Note that something impossible happened, where ``bad`` is true; the run goes on and then reports it."""
        yes, on = self.label("bad"), self.label("on")
        self.branch(bad, yes, on, rare=True)
        self.begin(yes)
        old = self.op("load i64, ptr %fault")
        none = self.op(f"icmp eq i64 {old}, 0")
        code = self.program.fault(what, node, self.file)
        self.do(f"store i64 {self.op(f'select i1 {none}, i64 {code}, i64 {old}')}, ptr %fault")
        self.go(on)
        self.begin(on)

    def outside(self, node: ast.AST | None, why: str = "") -> Outside:
        """The error for a construct that the language does not have; ``why``: a sentence's name in ``messages.toml``."""
        what = f"`{ast.unparse(node).splitlines()[0]}`" if node is not None else ""
        return Outside(what + (say(f"machine.{why}") if why else ""), self.file, getattr(node, "lineno", 0))

    # ------------------------------------------------------------ numbers

    def number(self, v: Value, node: ast.AST | None = None) -> Value:
        """A value as a number: yes and no become 1 and 0."""
        if v.kind == BOOL:
            if v.name in ("true", "false"):
                return Value(INT, "1" if v.name == "true" else "0")
            return Value(INT, self.op(f"zext i1 {v.name} to i64"))
        if not isinstance(v.kind, Scalar):
            raise self.outside(node, "number")
        return v

    def whole(self, v: Value, node: ast.AST | None = None) -> str:
        """LLVM's name of a value as a whole number."""
        v = self.number(v, node)
        if v.kind != INT:
            raise self.outside(node, "number")
        return v.name

    def real(self, v: Value, node: ast.AST | None = None) -> str:
        """LLVM's name of a number as a float."""
        v = self.number(v, node)
        return v.name if v.kind == FLOAT else self.op(f"sitofp i64 {v.name} to double")

    def truth(self, v: Value, node: ast.AST | None = None) -> str:
        """LLVM's name of whether a value counts as yes."""
        if v.kind == BOOL:
            return v.name
        if isinstance(v.kind, Row):
            return self.op(f"icmp ne i64 {self.length(v)}, 0")
        v = self.number(v, node)
        return self.op(f"fcmp une double {v.name}, 0.0" if v.kind == FLOAT else f"icmp ne i64 {v.name}, 0")

    # ------------------------------------------------------------ variables

    def assign(self, name: str, v: Value, node: ast.AST | None = None) -> None:
        """Give a variable a value; its kind may only grow from whole numbers to floats."""
        kind = kept(v.kind)
        before = self.kinds.setdefault(name, kind)
        if before != kind:
            if before == FLOAT and kind == INT:
                v = Value(FLOAT, self.real(v))
            elif not (isinstance(before, Row) and isinstance(kind, Row) and before == Row(kind.of, kind.shape, before.tag)
                      and before.tag == ""):
                self.kinds[name] = self.wider(before, kind, name, node)
                raise Again
        for slot, t, n in zip(self.slot(name), flat(before), names(self.as_kept(v)), strict=True):
            self.do(f"store {t} {n}, ptr {slot}")

    def wider(self, a: Kind, b: Kind, name: str, node: ast.AST | None) -> Kind:
        """A kind for what is sometimes the one and sometimes the other."""
        if {a, b} == {INT, FLOAT}:
            return FLOAT
        if isinstance(a, Row) and isinstance(b, Row) and (a.of, a.shape) == (b.of, b.shape):
            return Row(a.of, a.shape, "")
        raise self.outside(node, "two_kinds")

    def as_kept(self, v: Value) -> Value:
        """A value as variables and arguments hold it."""
        if v.parts and isinstance(v.kind, Several):
            parts = tuple(map(self.as_kept, v.parts))
            return Value(Several(tuple(p.kind for p in parts)), parts=parts)
        return self.number(v) if v.kind == BOOL else v

    def slot(self, name: str) -> list[str]:
        """Where a variable lies; made at its first use and zero until it is given a value."""
        if name not in self.slots:
            found = []
            for i, t in enumerate(flat(self.kinds[name])):
                at = f'%"{name}.{i}"'
                self.head += [f"  {at} = alloca {t}", f"  store {t} zeroinitializer, ptr {at}"]
                found.append(at)
            self.slots[name] = found
        return self.slots[name]

    def variable(self, name: str) -> Value:
        """The value of a variable."""
        kind = self.kinds[name]
        return made(kind, [self.op(f"load {t}, ptr {s}") for s, t in zip(self.slot(name), flat(kind), strict=True)])

    # ------------------------------------------------------------ memory

    def length(self, row: Value) -> str:
        """LLVM's name of a row's length."""
        assert isinstance(row.kind, Row)
        return row.length if row.kind.shape[0] is None else str(row.kind.shape[0])

    def offset(self, pointer: str, by: str) -> str:
        """A pointer some bytes further."""
        return pointer if by == "0" else self.op(f"getelementptr i8, ptr {pointer}, i64 {by}")

    def field(self, record: Value, name: str, node: ast.AST) -> Value | Place:
        """A field of a record: where it is, or a row, or its one known value."""
        assert isinstance(record.kind, Record)
        for known, value in record.kind.known:
            if known == name:
                return Value(INT, str(value))
        fields = record.kind.dtype.fields or {}
        if name not in fields:
            raise self.outside(node)
        dtype, at = fields[name][:2]
        pointer = self.offset(record.name, str(at))
        tag = f"{name}/{len(fields)}"
        if dtype.subdtype:
            of, shape = dtype.subdtype
            return Value(Row(self._of(of), shape, tag), pointer)
        return Value(Record(dtype), pointer) if dtype.fields else Place(code_of(dtype), pointer, tag)

    @staticmethod
    def _of(dtype: np.dtype) -> str | Record:
        return Record(dtype) if dtype.fields else code_of(dtype)

    def item(self, row: Value, index: Value, node: ast.AST) -> Value | Place:
        """One item of a row: where it is, or the row or record there."""
        kind = row.kind
        assert isinstance(kind, Row)
        if isinstance(kind.of, Record):
            size = kind.of.dtype.itemsize
        else:
            size = stored(kind.of)[2]
        for n in kind.shape[1:]:
            size *= n  # type: ignore[operator]
        by = self.whole(index, node)
        constant = by.lstrip("-").isdigit()
        if constant and int(by) < 0:
            if kind.shape[0] is None:
                raise self.outside(node)
            by = str(int(by) + kind.shape[0])
        if self.program.bounds:
            bad = self.op(f"icmp uge i64 {by}, {self.length(row)}")
            self.guard(bad, "index", node)
            by, constant = self.op(f"select i1 {bad}, i64 0, i64 {by}"), False
        pointer = self.offset(row.name, str(int(by) * size) if constant else self.op(f"mul i64 {by}, {size}") if size > 1 else by)
        if len(kind.shape) > 1:
            return Value(Row(kind.of, kind.shape[1:], kind.tag), pointer)
        return Value(kind.of, pointer) if isinstance(kind.of, Record) else Place(kind.of, pointer, kind.tag)

    def load(self, v: Value | Place) -> Value:
        """What lies at a place."""
        if isinstance(v, Value):
            return v
        t, widen, size = stored(v.code)
        got = self.op(f"load {t}, ptr {v.pointer}, align 1{self.program.tag(v.tag)}")
        if t == "double":
            return Value(FLOAT, got)
        return Value(INT, got if size == 8 else self.op(f"{widen} {t} {got} to i64"))

    def store(self, place: Value | Place, v: Value, node: ast.AST) -> None:
        """Put a number at a place."""
        if isinstance(place, Value):
            raise self.outside(node, "number")
        t, _, size = stored(place.code)
        if t == "double":
            name = self.real(v, node)
        else:
            name = self.whole(v, node)
            if size < 8:
                name = self.op(f"trunc i64 {name} to {t}")
        self.do(f"store {t} {name}, ptr {place.pointer}, align 1{self.program.tag(place.tag)}")

    def new_row(self, n: str, node: ast.AST) -> Value:
        """A row of zeros in the function's own memory."""
        self.count += 1
        at, constant = f"%row{self.count}", n.isdigit()
        room = int(n) if constant else ROOM
        self.head.append(f"  {at} = alloca [{max(room, 1)} x i64], align 16")
        if not constant:
            self.guard(self.op(f"icmp ugt i64 {n}, {ROOM}"), "long_row", node)
        self.do(f"call void @llvm.memset.p0.i64(ptr {at}, i8 0, i64 {8 * room}, i1 false)")
        return Value(Row("i8", (room if constant else None,), "row"), at, "" if constant else n)


class Place:
    """Where one number lies in memory."""

    __slots__ = ("code", "pointer", "tag")

    def __init__(self, code: str, pointer: str, tag: str):
        self.code, self.pointer, self.tag = code, pointer, tag

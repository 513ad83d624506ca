"""Statements of rules: one function for arguments of certain kinds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from workbench.core.machine.expressions import Expressions
from workbench.core.machine.kinds import INT, NOTHING, Kind, Nothing, Range, Row, Value, flat, made, names

if TYPE_CHECKING:
    from workbench.core.machine.program import Program


class Body(Expressions):
    """One function for arguments of certain kinds."""

    def __init__(self, program: Program, f: Callable, kinds: dict[str, Kind]):
        code = f.__code__  # type: ignore[attr-defined]
        super().__init__(program, code.co_filename, kinds)
        self.f, self.local = f, {*code.co_varnames}
        self.loops: list[tuple[str, str]] = []

    def written(self, statements: Sequence[ast.stmt], args: dict[str, Kind]) -> None:
        """Write the whole body; arguments lie ready as ``%a0``, ``%a1`` ….

        Raises:
            Again: write it once more, some variable is wider. Outside: a construct of another language.
        """
        n = 0
        for name, kind in args.items():
            width = len(flat(kind))
            self.assign(name, made(kind, [f"%a{i}" for i in range(n, n + width)]))
            n += width
        self.statements(statements)
        if self.live and "$return" in self.kinds:
            raise self.outside(statements[-1], "no_value")
        self.go("end")
        self.lines.append("end:")
        self.live = True
        result = self.kinds.get("$return", NOTHING)
        if isinstance(result, Nothing):
            self.do("ret void")
            return
        found, types = names(self.variable("$return")), self.program.returned(result)
        if types.startswith("{"):
            whole = "poison"
            for i, (n_, t) in enumerate(zip(found, flat(result), strict=True)):
                whole = self.op(f"insertvalue {types} {whole}, {t} {n_}, {i}")
            found = [whole]
        self.do(f"ret {types} {found[0]}")

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Statements one after another, as far as they can be reached."""
        for node in nodes:
            if not self.live:
                return
            write = getattr(self, f"do_{type(node).__name__}", None)
            if write is None:
                raise self.outside(node)
            write(node)

    def do_Pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def do_Expr(self, node: ast.Expr) -> None:
        """A call for what it does, or a docstring."""
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self.value(node.value)

    def do_Return(self, node: ast.Return) -> None:
        """Leave the function."""
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            v = self.value(node.value)
            if isinstance(v.kind, Row) and v.kind.tag == "row":
                raise self.outside(node, "row_returned")
            if not isinstance(v.kind, Nothing):
                self.assign("$return", v, node)
        elif "$return" in self.kinds:
            raise self.outside(node, "no_value")
        self.go("end")

    def do_Assign(self, node: ast.Assign) -> None:
        """Give names, fields or items a value."""
        v = self.value(node.value)
        for target in node.targets:
            self.give(target, v, node)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        """The same, with a remark about its kind."""
        if node.value is not None:
            self.give(node.target, self.value(node.value), node)

    def give(self, target: ast.expr, v: Value, node: ast.AST) -> None:
        """Put a value where the left side of an assignment says."""
        if isinstance(target, ast.Name):
            self.assign(target.id, v, node)
        elif isinstance(target, ast.Tuple):
            if isinstance(v.kind, Row) and v.kind.shape[0] is not None:
                parts = tuple(self.load(self.item(v, Value(INT, str(i)), node)) for i in range(v.kind.shape[0]))
            else:
                parts = v.parts
            if len(parts) != len(target.elts):
                raise self.outside(node)
            for t, part in zip(target.elts, parts, strict=True):
                self.give(t, part, node)
        else:
            self.store(self.place(target), v, node)

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        """Change a name, a field or an item by something."""
        if isinstance(node.target, ast.Name):
            self.give(node.target, self.binary(node.op, self.value(node.target), self.value(node.value), node), node)
        else:
            place = self.place(node.target)
            now = self.load(place)
            self.store(place, self.binary(node.op, now, self.value(node.value), node), node)

    def do_Assert(self, node: ast.Assert) -> None:
        """Note that what a rule relies on does not hold."""
        bad = self.op(f"xor i1 {self.truth(self.value(node.test), node)}, true")
        self.guard(bad, "assertion", node)

    def do_If(self, node: ast.If) -> None:
        """One way or the other."""
        yes, no, done = self.label("if"), self.label("else"), self.label("then")
        self.test(node.test, yes, no)
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.begin(label)
            self.statements(part)
            self.go(done)
        self.begin(done)

    def do_While(self, node: ast.While) -> None:
        """As long as something holds."""
        if node.orelse:
            raise self.outside(node)
        head, body, done = self.label("while"), self.label("body"), self.label("done")
        self.go(head)
        self.begin(head)
        self.test(node.test, body, done)
        self._looped(body, node.body, head, done)
        self.begin(done)

    def _looped(self, body: str, statements: Sequence[ast.stmt], again: str, done: str) -> None:
        self.begin(body)
        self.loops.append((again, done))
        self.statements(statements)
        self.loops.pop()
        self.go(again)

    def do_Break(self, node: ast.Break) -> None:
        """Leave the loop."""
        self.go(self.loops[-1][1])

    def do_Continue(self, node: ast.Continue) -> None:
        """On to the loop's next turn."""
        self.go(self.loops[-1][0])

    def do_For(self, node: ast.For) -> None:
        """Once for each piece of a set, number of a range or item of a row."""
        if node.orelse:
            raise self.outside(node)
        self.each(node.target, node.iter, lambda: self.statements(node.body), node)

    def each(self, target: ast.expr, over: ast.expr, inside: Callable[[], None], node: ast.AST) -> None:
        """The loop itself: ``inside`` writes what is done for each."""
        head, body, again, done = (self.label(x) for x in ("for", "body", "again", "done"))
        self.count += 1
        at = f"%at{self.count}"
        self.head.append(f"  {at} = alloca i64")
        pieces = isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "cards" and self.program.is_word("cards")
        v = Value(INT, self.whole(self.value(over.args[0]), node)) if pieces else self.value(over)  # type: ignore[attr-defined]
        if not pieces and not isinstance(v.kind, (Range, Row)):
            raise self.outside(node)
        start = v.name if pieces else v.parts[0].name if isinstance(v.kind, Range) else "0"
        self.do(f"store i64 {start}, ptr {at}")
        self.go(head)
        self.begin(head)
        now = self.op(f"load i64, ptr {at}")
        if pieces:
            more = self.op(f"icmp ne i64 {now}, 0")
        elif isinstance(v.kind, Range):
            more = self.op(f"icmp {'slt' if v.kind.step > 0 else 'sgt'} i64 {now}, {v.parts[1].name}")
        else:
            more = self.op(f"icmp slt i64 {now}, {self.length(v)}")
        self.branch(more, body, done)
        self.begin(body)
        if pieces:
            less = self.op(f"add i64 {now}, -1")
            self.do(f"store i64 {self.op(f'and i64 {now}, {less}')}, ptr {at}")
            item = Value(INT, self.op(f"call i64 @llvm.cttz.i64(i64 {now}, i1 true)"))
        else:
            item = Value(INT, now) if isinstance(v.kind, Range) else self.load(self.item(v, Value(INT, now), node))
        self.give(target, item, node)
        self.loops.append((again, done))
        inside()
        self.loops.pop()
        self.go(again)
        self.begin(again)
        if self.live:
            if not pieces:
                step = v.kind.step if isinstance(v.kind, Range) else 1
                self.do(f"store i64 {self.op(f'add i64 {now}, {step}')}, ptr {at}")
            self.go(head)
        self.begin(done)

"""Expressions of rules: numbers, comparisons, fields and calls."""

from __future__ import annotations

import ast

from workbench.core.loops import OUTSIDE
from workbench.core.machine.emitter import Emitter, Place
from workbench.core.machine.kinds import BOOL, FLOAT, INT, Nothing, Range, Record, Row, Several, Value, kept, made

COMPARED = {ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"), ast.Lt: ("slt", "olt"), ast.LtE: ("sle", "ole"),
            ast.Gt: ("sgt", "ogt"), ast.GtE: ("sge", "oge")}
WHOLE = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
REAL = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
WRAP = (1 << 64) - 1


class Expressions(Emitter):
    """The part of a function's writing that gives values."""

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        write = getattr(self, f"_{type(node).__name__}", None)
        if write is None:
            raise self.outside(node)
        return self.load(write(node))

    # ------------------------------------------------------------ names and places

    def _Constant(self, node: ast.Constant) -> Value:
        return self.constant(node.value, node)

    def constant(self, value: object, node: ast.AST) -> Value:
        """A number or a tuple of numbers known beforehand."""
        if isinstance(value, bool):
            return Value(BOOL, "true" if value else "false")
        if isinstance(value, int):
            value &= WRAP
            return Value(INT, str(value - (1 << 64) if value >> 63 else value))
        if isinstance(value, float):
            return Value(FLOAT, self.program.real(value))
        if isinstance(value, tuple):
            row = self.program.constant_row(value)
            if row is not None:
                return row
        raise self.outside(node)

    def _Name(self, node: ast.Name) -> Value:
        if node.id in self.kinds:
            return self.variable(node.id)
        if node.id in self.local:  # type: ignore[attr-defined]
            raise self.outside(node, "early")
        found, value = self.program.meaning(self.f, node.id)  # type: ignore[attr-defined]
        if not found:
            raise self.outside(node)
        return self.constant(value, node)

    def _Attribute(self, node: ast.Attribute) -> Value | Place:
        of = self.value(node.value)
        if not isinstance(of.kind, Record):
            raise self.outside(node)
        return self.field(of, node.attr, node)

    def _Subscript(self, node: ast.Subscript) -> Value | Place:
        of = self.value(node.value)
        if isinstance(of.kind, Several) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            return of.parts[node.slice.value]
        if not isinstance(of.kind, Row) or isinstance(node.slice, ast.Slice):
            raise self.outside(node)
        return self.item(of, self.value(node.slice), node)

    def place(self, node: ast.expr) -> Value | Place:
        """Where an assignment to a field or an item puts its value."""
        if not isinstance(node, (ast.Attribute, ast.Subscript)):
            raise self.outside(node)
        return getattr(self, f"_{type(node).__name__}")(node)

    def _Tuple(self, node: ast.Tuple) -> Value:
        if node.elts and all(isinstance(e, ast.Constant) for e in node.elts):
            return self.constant(tuple(e.value for e in node.elts), node)  # type: ignore[attr-defined]
        parts = tuple(self.value(e) for e in node.elts)
        return Value(Several(tuple(v.kind for v in parts)), parts=parts)

    def _List(self, node: ast.List) -> Value:
        row = self.new_row(str(len(node.elts)), node)
        for i, e in enumerate(node.elts):
            self.store(self.item(row, Value(INT, str(i)), node), self.value(e), node)
        return row

    # ------------------------------------------------------------ arithmetic

    def _BinOp(self, node: ast.BinOp) -> Value:
        if isinstance(node.left, ast.List) and isinstance(node.op, ast.Mult) and ast.unparse(node.left) == "[0]":
            return self.new_row(self.whole(self.value(node.right), node), node)
        return self.binary(node.op, self.value(node.left), self.value(node.right), node)

    def binary(self, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """Two numbers and what is between them."""
        a, b = self.number(left, node), self.number(right, node)
        if isinstance(op, ast.Div):
            return Value(FLOAT, self.op(f"fdiv double {self.real(a)}, {self._not_zero(Value(FLOAT, self.real(b)), node).name}"))
        if FLOAT in (a.kind, b.kind):
            return self._real(op, Value(FLOAT, self.real(a)), Value(FLOAT, self.real(b)), node)
        if type(op) in WHOLE:
            bit = left.kind == BOOL == right.kind and isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor))
            if bit:
                return Value(BOOL, self.op(f"{WHOLE[type(op)]} i1 {left.name}, {right.name}"))
            return Value(INT, self.op(f"{WHOLE[type(op)]} i64 {a.name}, {b.name}"))
        if isinstance(op, (ast.LShift, ast.RShift)):
            by = b.name if b.name.isdigit() and int(b.name) < 64 else self.op(f"and i64 {b.name}, 63")
            return Value(INT, self.op(f"{'shl' if isinstance(op, ast.LShift) else 'ashr'} i64 {a.name}, {by}"))
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            return self._divided(op, a, b, node)
        if isinstance(op, ast.Pow) and b.name.isdigit() and int(b.name) < 9:
            power = Value(INT, "1")
            for _ in range(int(b.name)):
                power = self.binary(ast.Mult(), power, a, node)
            return power
        raise self.outside(node)

    def _divided(self, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
        """Python's division, which rounds down."""
        n = int(b.name) if b.name.isdigit() else 0
        if n and n & (n - 1) == 0:
            return Value(INT, self.op(f"and i64 {a.name}, {n - 1}" if isinstance(op, ast.Mod) else f"ashr i64 {a.name}, {n.bit_length() - 1}"))
        d = b.name if n else self._not_zero(b, node).name
        rest = self.op(f"srem i64 {a.name}, {d}")
        signs = self.op(f"xor i64 {rest}, {d}")
        off = self.op(f"and i1 {self.op(f'icmp ne i64 {rest}, 0')}, {self.op(f'icmp slt i64 {signs}, 0')}")
        if isinstance(op, ast.Mod):
            return Value(INT, self.op(f"add i64 {rest}, {self.op(f'select i1 {off}, i64 {d}, i64 0')}"))
        return Value(INT, self.op(f"sub i64 {self.op(f'sdiv i64 {a.name}, {d}')}, {self.op(f'zext i1 {off} to i64')}"))

    def _not_zero(self, b: Value, node: ast.AST) -> Value:
        t, zero, one, test = ("double", "0.0", "1.0", "fcmp oeq") if b.kind == FLOAT else ("i64", "0", "1", "icmp eq")
        bad = self.op(f"{test} {t} {b.name}, {zero}")
        self.guard(bad, "zero", node)
        return Value(b.kind, self.op(f"select i1 {bad}, {t} {one}, {t} {b.name}"))

    def _real(self, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
        if type(op) in REAL:
            return Value(FLOAT, self.op(f"{REAL[type(op)]} double {a.name}, {b.name}"))
        if isinstance(op, ast.Pow):
            return Value(FLOAT, self.op(f"call double @llvm.pow.f64(double {a.name}, double {b.name})"))
        raise self.outside(node)

    def _UnaryOp(self, node: ast.UnaryOp) -> Value:
        v = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Value(BOOL, self.op(f"xor i1 {self.truth(v, node)}, true"))
        v = self.number(v, node)
        if isinstance(node.op, ast.USub):
            if v.kind == INT and v.name.lstrip("-").isdigit():
                return self.constant(-int(v.name), node)
            return Value(v.kind, self.op(f"fneg double {v.name}" if v.kind == FLOAT else f"sub i64 0, {v.name}"))
        if isinstance(node.op, ast.Invert):
            return Value(INT, self.op(f"xor i64 {self.whole(v, node)}, -1"))
        return v

    # ------------------------------------------------------------ yes and no

    def test(self, node: ast.expr, yes: str, no: str) -> None:
        """Go on at ``yes`` or at ``no``, as the expression says."""
        if isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                on = self.label("and" if isinstance(node.op, ast.And) else "or")
                self.test(part, *((on, no) if isinstance(node.op, ast.And) else (yes, on)))
                self.begin(on)
                if not self.live:
                    return
            self.test(node.values[-1], yes, no)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.test(node.operand, no, yes)
        elif isinstance(node, ast.Constant):
            self.go(yes if node.value else no)
        else:
            self.branch(self.truth(self.value(node), node), yes, no)

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        """Python's ``and`` and ``or``: the value of the part that decided."""
        name, done = self._anonymous(node), self.label("decided")
        for part in node.values[:-1]:
            v, on = self.value(part), self.label("next")
            self.assign(name, v, node)
            self.branch(self.truth(v, node), *((on, done) if isinstance(node.op, ast.And) else (done, on)))
            self.begin(on)
        self.assign(name, self.value(node.values[-1]), node)
        self.go(done)
        self.begin(done)
        return self.variable(name)

    def _IfExp(self, node: ast.IfExp) -> Value:
        name, yes, no, done = self._anonymous(node), self.label("yes"), self.label("no"), self.label("chosen")
        self.test(node.test, yes, no)
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.begin(label)
            if self.live:
                self.assign(name, self.value(part), node)
                self.go(done)
        self.begin(done)
        return self.variable(name)

    @staticmethod
    def _anonymous(node: ast.expr) -> str:
        return f"${node.lineno}:{node.col_offset}:{node.end_lineno}:{node.end_col_offset}"

    def _Compare(self, node: ast.Compare) -> Value:
        left, bit = self.value(node.left), ""
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, (ast.In, ast.NotIn)):
                one = self._among(left, right_node, node)
                if isinstance(op, ast.NotIn):
                    one = self.op(f"xor i1 {one}, true")
            elif type(op) in COMPARED:
                right = self.value(right_node)
                a, b = self.number(left, node), self.number(right, node)
                signed, ordered = COMPARED[type(op)]
                if FLOAT in (a.kind, b.kind):
                    one = self.op(f"fcmp {ordered} double {self.real(a)}, {self.real(b)}")
                else:
                    one = self.op(f"icmp {signed} i64 {a.name}, {b.name}")
                left = right
            else:
                raise self.outside(node)
            # parts of a chain are plain numbers, so there is nothing to skip
            bit = self.op(f"and i1 {bit}, {one}") if bit else one
        return Value(BOOL, bit)

    def _among(self, v: Value, node: ast.expr, whole: ast.AST) -> str:
        row = self.value(node)
        if isinstance(row.kind, Several):
            parts = row.parts
        elif isinstance(row.kind, Row) and len(row.kind.shape) == 1 and (row.kind.shape[0] or 99) <= 32:
            parts = tuple(self.load(self.item(row, Value(INT, str(i)), node)) for i in range(row.kind.shape[0] or 0))
        else:
            raise self.outside(whole)
        found = "false"
        for p in parts:
            found = self.op(f"or i1 {found}, {self.op(f'icmp eq i64 {self.whole(v, whole)}, {self.whole(p, whole)}')}")
        return found

    # ------------------------------------------------------------ calls

    def _Call(self, node: ast.Call) -> Value:
        if not isinstance(node.func, ast.Name) or node.func.id in self.local or any(k.arg is None for k in node.keywords):  # type: ignore[attr-defined]
            raise self.outside(node)
        name = node.func.id
        special = getattr(self, f"call_{name}", None)
        if special is not None and (name in OUTSIDE or not self.program.is_rule(name)):
            return special(node)
        if any(isinstance(a, ast.Starred) for a in node.args):
            raise self.outside(node)
        args = [self.value(a) for a in node.args]
        if name in self.program.words_ready and self.program.is_word(name):
            text = ", ".join(f"i64 {self.whole(a, node)}" for a in args)
            return Value(INT, self.op(f"call i64 @{self.program.ready(name)}({text})"))
        keywords = {k.arg: self.value(k.value) for k in node.keywords}
        return self.called(name, args, keywords, node)

    def called(self, name: str, args: list[Value], keywords: dict, node: ast.AST) -> Value:
        """What another rule returns."""
        ordered = self.program.arguments(name, args, keywords, self, node)
        given = [self.as_kept(v) for v in ordered]
        symbol, result = self.program.function(name, tuple(kept(v.kind) for v in given), node, self.file)
        text = "".join(f", {t}" for v in given for t in self.program.typed(v))
        types = self.program.returned(result)
        call = f"call {types} @{symbol}(ptr %fault{text})"
        if isinstance(result, Nothing):
            self.do(call)
            return Value(result)
        got = self.op(call)
        if types.startswith("{"):
            return made(result, [self.op(f"extractvalue {types} {got}, {i}") for i in range(types.count(",") + 1)])
        return made(result, [got])

    def call_cite(self, node: ast.Call) -> Value:
        """Nothing: compiled rules do not cite. What is cited is still worked out where it could go wrong; LLVM drops it."""
        for a in node.args:
            self.value(a)
        return Value(Nothing())

    def call_new_row(self, node: ast.Call) -> Value:
        """A row of zeros."""
        return self.new_row(self.whole(self.value(node.args[0]), node), node)

    def call_copy_state(self, node: ast.Call) -> Value:
        """One record's bytes into another."""
        to, of = (self.value(a) for a in node.args)
        if not isinstance(of.kind, Record) or to.kind != of.kind:
            raise self.outside(node)
        self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to.name}, ptr {of.name}, i64 {of.kind.dtype.itemsize}, i1 false)")
        return Value(Nothing())

    def call_range(self, node: ast.Call) -> Value:
        """A range with a known step."""
        args = [Value(INT, self.whole(self.value(a), node)) for a in node.args]
        if not 1 <= len(args) <= 3 or len(args) == 3 and not args[2].name.lstrip("-").isdigit() or args[2:] and args[2].name == "0":
            raise self.outside(node)
        start, stop = (Value(INT, "0"), args[0]) if len(args) == 1 else args[:2]
        return Value(Range(int(args[2].name) if len(args) == 3 else 1), parts=(start, stop))

    def call_len(self, node: ast.Call) -> Value:
        """How long a row is."""
        row = self.value(node.args[0])
        if not isinstance(row.kind, Row):
            raise self.outside(node)
        return Value(INT, self.length(row))

    def call_int(self, node: ast.Call) -> Value:
        """A number as a whole one, cut towards zero."""
        v = self.number(self.value(node.args[0]), node)
        return v if v.kind == INT else Value(INT, self.op(f"fptosi double {v.name} to i64"))

    def call_bool(self, node: ast.Call) -> Value:
        """Whether a value counts as yes."""
        return Value(BOOL, self.truth(self.value(node.args[0]), node))

    def call_abs(self, node: ast.Call) -> Value:
        """A number without its sign."""
        v = self.number(self.value(node.args[0]), node)
        if v.kind == FLOAT:
            return Value(FLOAT, self.op(f"call double @llvm.fabs.f64(double {v.name})"))
        return Value(INT, self.op(f"call i64 @llvm.abs.i64(i64 {v.name}, i1 false)"))

    def call_min(self, node: ast.Call) -> Value:
        """The smallest."""
        return self._extreme(node, "min")

    def call_max(self, node: ast.Call) -> Value:
        """The largest."""
        return self._extreme(node, "max")

    def _extreme(self, node: ast.Call, which: str) -> Value:
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.outside(node)
        if len(node.args) == 1:
            row = self.value(node.args[0])
            if not isinstance(row.kind, Row) or len(row.kind.shape) > 1 or not 0 < (row.kind.shape[0] or 0) <= 64:
                raise self.outside(node)
            values = [self.load(self.item(row, Value(INT, str(i)), node)) for i in range(row.kind.shape[0] or 0)]
        else:
            values = [self.value(a) for a in node.args]
        best = self.number(values[0], node)
        for v in values[1:]:
            best = self.smaller(best, self.number(v, node), which)
        return best

    def smaller(self, a: Value, b: Value, which: str) -> Value:
        """The smaller or larger of two numbers."""
        if FLOAT in (a.kind, b.kind):
            return Value(FLOAT, self.op(f"call double @llvm.{which}num.f64(double {self.real(a)}, double {self.real(b)})"))
        return Value(INT, self.op(f"call i64 @llvm.s{which}.i64(i64 {a.name}, i64 {b.name})"))

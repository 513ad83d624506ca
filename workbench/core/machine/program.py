"""The whole program of a game, in LLVM's text."""

from __future__ import annotations

import ast
import struct
from collections.abc import Callable

from workbench.core.language import say
from workbench.core.machine import words as ready_made
from workbench.core.machine.emitter import Again
from workbench.core.machine.expressions import Expressions
from workbench.core.machine.kinds import NOTHING, Kind, Outside, Record, Row, Value, flat, names
from workbench.core.machine.sources import tree
from workbench.core.machine.statements import Body


class Program:
    """Every function of one game that its entry needs, as LLVM's text."""

    def __init__(self, functions: dict[str, Callable], constants: dict, *, words: frozenset[str], bounds: bool = False,
                 instructions: frozenset[str] = frozenset()):
        self.functions, self.constants, self.words, self.bounds = functions, constants, words, bounds
        self.words_ready = {n: w for n, w in ready_made.READY.items() if w.needs is None or w.needs in instructions}
        self.faults: list[tuple[str, str, str, int]] = []
        """What can turn out impossible when it runs: the sentence's name, the construct, file and line; counted from 1."""
        self._done: dict[tuple, tuple[str, Kind]] = {}
        self._text: list[str] = []
        self._ready: set[str] = set()
        self._tags: dict[str, int] = {}
        self._rows: dict[tuple, str] = {}
        self._doing: list[str] = []

    # ------------------------------------------------------------ names

    def is_rule(self, name: str) -> bool:
        """Whether a name is a function of the game itself, not a word of the language."""
        return name in self.functions and name not in self.words

    def is_word(self, name: str) -> bool:
        """Whether a name means the vocabulary's word."""
        return name in self.words

    def meaning(self, f: Callable, name: str) -> tuple[bool, object]:
        """Whether a name stands for a number or a tuple of numbers, and which."""
        code = f.__code__  # type: ignore[attr-defined]
        if name in code.co_freevars:
            return True, (f.__closure__ or ())[code.co_freevars.index(name)].cell_contents  # type: ignore[attr-defined]
        return name in self.constants, self.constants.get(name)

    def ready(self, name: str) -> str:
        """A ready-made word, noted as used."""
        self._ready.add(name)
        return name

    def fault(self, what: str, node: ast.AST, file: str) -> int:
        """The code of something that should be impossible; ``what``: a sentence's name in ``messages.toml``."""
        self.faults.append((f"machine.{what}", ast.unparse(node).splitlines()[0], file, getattr(node, "lineno", 0)))
        return len(self.faults)

    # ------------------------------------------------------------ functions

    def arguments(self, name: str, args: list[Value], keywords: dict[str, Value], body: Expressions, node: ast.AST) -> list[Value]:
        """The arguments in the order of the parameters, defaults filled in."""
        f = self.functions.get(name)
        if f is None:
            raise body.outside(node)
        code, defaults = f.__code__, f.__defaults__ or ()  # type: ignore[attr-defined]
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        standing = dict(zip(code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount], defaults, strict=True))
        standing |= f.__kwdefaults__ or {}  # type: ignore[attr-defined]
        given = dict(zip(parameters, args)) | keywords
        if len(args) > code.co_argcount or code.co_flags & 0x2C or not {*given} <= {*parameters}:
            raise body.outside(node)
        found = []
        for p in parameters:
            if p not in given and p not in standing:
                raise body.outside(node)
            found.append(given[p] if p in given else body.constant(standing[p], node))
        return found

    def function(self, name: str, kinds: tuple[Kind, ...], node: ast.AST | None, file: str) -> tuple[str, Kind]:
        """The symbol of a function for these kinds of arguments, and what it returns; writes it at its first use."""
        key = (name, kinds)
        if key in self._done:
            return self._done[key]
        if name in self._doing:
            raise Outside(say("machine.circle", name=name), file, getattr(node, "lineno", 0))
        self._doing.append(name)
        f = self.functions[name]
        definition = tree(f)
        parameters = f.__code__.co_varnames[: len(kinds)]  # type: ignore[attr-defined]
        known: dict[str, Kind] = {}
        while True:
            body = Body(self, f, known)
            try:
                body.written(definition.body, dict(zip(parameters, kinds, strict=True)))
                break
            except Again:
                known = body.kinds
        symbol = f"{name}.{len(self._done)}"
        result = body.kinds.get("$return", NOTHING)
        self._text += [f"define internal {self.returned(result)} @{symbol}({self._parameters(kinds)}) nounwind {{", "start:",
                       *body.head, *body.lines, "}"]
        self._doing.pop()
        self._done[key] = symbol, result
        return symbol, result

    @staticmethod
    def _parameters(kinds: tuple[Kind, ...]) -> str:
        types = []
        for kind in kinds:  # p, s, w and a view are never the same memory
            types += [f"ptr noalias nonnull dereferenceable({kind.dtype.itemsize})"] if isinstance(kind, Record) else flat(kind)
        return ", ".join(["ptr noalias %fault", *(f"{t} %a{i}" for i, t in enumerate(types))])

    @staticmethod
    def typed(v: Value) -> list[str]:
        """The parts of an argument with their types."""
        return [f"{t} {n}" for t, n in zip(flat(v.kind), names(v), strict=True)]

    @staticmethod
    def returned(kind: Kind) -> str:
        """LLVM's type of what a function returns."""
        types = flat(kind)
        return "void" if not types else types[0] if len(types) == 1 else "{ " + ", ".join(types) + " }"

    # ------------------------------------------------------------ constants

    def constant_row(self, value: tuple) -> Value | None:
        """A tuple of numbers, nested evenly or flat, as a row that never changes."""
        shape, level = [], [value]
        while level and isinstance(level[0], tuple):
            if any(not isinstance(x, tuple) or len(x) != len(level[0]) for x in level):
                return None
            shape.append(len(level[0]))
            level = [y for x in level for y in x]
        if any(isinstance(x, tuple) for x in level):
            return None
        real = any(isinstance(x, float) for x in level)
        key = (tuple(shape), real, tuple(level))
        if key not in self._rows:
            self._rows[key] = f"@row.{len(self._rows)}"
        return Value(Row("f8" if real else "i8", tuple(shape), "constant"), self._rows[key])

    @staticmethod
    def real(value: float) -> str:
        """A float in LLVM's exact spelling."""
        return "0x" + struct.pack(">d", value).hex().upper()

    def tag(self, name: str) -> str:
        """The remark on a load or store that says in which field it lies."""
        if not name:
            return ""
        n = self._tags.setdefault(name, len(self._tags))
        return f", !tbaa !{3 + 2 * n}"

    # ------------------------------------------------------------ the whole

    def text(self, entry: str, kinds: tuple[Kind, ...]) -> str:
        """The program with one function visible from outside, ``@entry``.

        Raises:
            Outside: some function it needs uses a construct of another language.
        """
        symbol, result = self.function(entry, kinds, None, "")
        passed = "".join(f", {t} %a{i}" for i, t in enumerate(t for k in kinds for t in flat(k)))
        whole = [ready_made.DECLARED, *(self.words_ready[n].text for n in sorted(self._ready))]
        for (_, real, values), name in self._rows.items():
            t = "double" if real else "i64"
            items = ", ".join(f"{t} {self.real(float(v)) if real else int(v)}" for v in values)
            whole.append(f"{name} = private unnamed_addr constant [{len(values)} x {t}] [{items}]")
        whole += self._text
        whole += [f"define i64 @entry({self._parameters(kinds)}) nounwind {{",
                  f"  %r = call {self.returned(result)} @{symbol}(ptr %fault{passed})", "  ret i64 %r", "}",
                  '!0 = !{!"rules"}', '!1 = !{!"branch_weights", i32 1, i32 100000}']
        for name, n in self._tags.items():
            whole += [f'!{2 + 2 * n} = !{{!"{name}", !0, i64 0}}', f"!{3 + 2 * n} = !{{!{2 + 2 * n}, !{2 + 2 * n}, i64 0}}"]
        return "\n".join(whole) + "\n"

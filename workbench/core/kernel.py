"""Links rules into the two engines. The only module that imports Numba.

Linking rebuilds every function over one namespace in which each name means the linked function,
so replacing a rule is replacing a name. The plain engine leaves them as Python and cites; the
compiled engine hands the same functions to Numba with citing compiled away.

Numba's disk cache looks only at the file of the function it caches. Here the compiled entry's
``__qualname__`` carries a digest of everything linked below it, so that it can never serve
yesterday's rules; what cannot be digested is not cached.
"""

from __future__ import annotations

import dis
import hashlib
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path

from workbench.core import loops, vocabulary
from workbench.core.errors import NotCompilable, RulesetError
from workbench.core.language import say

WORDS = {n: f for n, f in vars(vocabulary).items()
         if isinstance(f, types.FunctionType) and f.__module__ == vocabulary.__name__}
CONSTANTS = {n: v for n, v in vars(vocabulary).items() if n.isupper() and isinstance(v, int)}
LOOPS = {n: f for n, f in vars(loops).items()
         if isinstance(f, types.FunctionType) and f.__module__ == loops.__name__}
SAFE_BUILTINS = {n: __builtins__[n] if isinstance(__builtins__, dict) else getattr(__builtins__, n)  # type: ignore[index]
                 for n in ("range", "min", "max", "abs", "len", "int", "bool", "True", "False", "AssertionError")}


class Cited:
    """What the plain engine cites: (rule number, seat, n) in order; the position layer reads and clears it."""

    def __init__(self) -> None:
        self.events: list[tuple[int, int, int]] = []

    def __call__(self, rule: int, seat: int = vocabulary.NONE, n: int = 0) -> None:
        self.events.append((rule, seat, n))

    def take(self) -> list[tuple[int, int, int]]:
        """Everything cited since the last call."""
        events, self.events = self.events, []
        return events


class Linked:
    """One linked engine: its functions as attributes."""

    def __init__(self, namespace: dict):
        self._namespace = namespace

    def __getattr__(self, name: str) -> Callable:
        try:
            return self._namespace[name]
        except KeyError:
            raise AttributeError(name) from None


def gather(functions: dict[str, Callable], resolve: Callable[[vocabulary.Handle], object]) -> tuple[dict, dict]:
    """The functions and constants that a set of functions needs, following the names they use.

    A name means, in this order: a function given here, a word of the vocabulary, a value of the
    function's own module or notebook cell.

    Raises:
        RulesetError: a name that means nothing, or something rules cannot use.
    """
    found, constants, todo = dict(functions), {}, list(functions.items())
    origin: dict[str, object] = {}
    while todo:
        owner, f = todo.pop()
        for name in _names(f.__code__):
            if name in f.__globals__ and origin.setdefault(name, f.__globals__[name]) is not f.__globals__[name] \
                    and not isinstance(origin[name], types.FunctionType) and origin[name] != f.__globals__[name]:
                raise RulesetError(say("kernel.two_meanings", function=owner, name=name))
            if name in found or name in WORDS or name in CONSTANTS or name in LOOPS or name in SAFE_BUILTINS:
                continue
            if name not in f.__globals__:
                continue  # an attribute such as s.hand, or an error that running it will name
            value = f.__globals__[name]
            if isinstance(value, types.FunctionType):
                found[name] = value
                todo.append((name, value))
            elif isinstance(value, vocabulary.Handle):
                constants[name] = resolve(value)
            elif _is_constant(value):
                constants[name] = value
            else:
                raise RulesetError(say("kernel.name", function=owner, name=name, type=type(value).__name__))
    return found, constants


@cache
def _names(code: types.CodeType) -> tuple[str, ...]:
    """The global names that a piece of code reads, its inner functions included."""
    used = {i.argval: None for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            used |= dict.fromkeys(_names(c))
    return tuple(used)


def _is_constant(value: object) -> bool:
    return isinstance(value, (int, float)) or isinstance(value, tuple) and all(map(_is_constant, value))


def written(text: str, name: str) -> dict[str, Callable]:
    """The functions in a text written by :mod:`workbench.core.dispatch`."""
    scope: dict = {}
    exec(compile(text, f"<{name}>", "exec"), scope)  # our own text, from names already checked
    return {n: f for n, f in scope.items() if isinstance(f, types.FunctionType)}


def _rebuilt(f: types.FunctionType, namespace: dict) -> types.FunctionType:
    g = types.FunctionType(f.__code__, namespace, f.__name__, f.__defaults__, f.__closure__)
    g.__kwdefaults__, g.__qualname__, g.__module__ = f.__kwdefaults__, f.__qualname__, f.__module__
    return g


def link_plain(functions: dict[str, Callable], constants: dict) -> Linked:
    """The plain engine: ordinary Python that cites into ``engine.cite``."""
    namespace: dict = {"__builtins__": SAFE_BUILTINS, **CONSTANTS, **constants}
    for name, f in {**WORDS, **LOOPS, **functions}.items():
        namespace[name] = f if name in loops.OUTSIDE else _rebuilt(f, namespace)  # type: ignore[arg-type]
    namespace["cite"] = Cited()
    return Linked(namespace)


def link_compiled(functions: dict[str, Callable], constants: dict, *, players: int, entry: str = "run_games",
                  cached: bool = True) -> Linked:
    """The compiled engine for this many players; nothing compiles before its first call. ``entry`` is cached on disk.

    A function whose text and whose callees have not changed keeps its compiled form for the session,
    so that a replaced rule compiles itself and what stands above it.
    """
    from workbench.core import light

    everything = {n: f for n, f in {**WORDS, **LOOPS, **functions}.items() if n not in ("copied", *loops.OUTSIDE)}
    twins = _twins(players)
    linked: dict[str, object] = {}
    keys: dict[str, str] = {}

    def link(name: str, above: tuple[str, ...]) -> None:
        if name in linked:
            return
        if name in above:
            raise RulesetError(say("kernel.circle", names=" → ".join((*above[above.index(name):], name))))
        if name in twins:
            linked[name], keys[name] = twins[name], f"{name}/{players}"
            return
        f = everything[name]
        used = [n for n in _names(f.__code__) if n in everything or n in twins]
        for n in used:
            link(n, (*above, name))
        namespace: dict = {"__builtins__": SAFE_BUILTINS, **CONSTANTS, **constants, **{n: linked[n] for n in used}}
        mark = _fingerprint(f)
        values = sorted((n, namespace[n]) for n in _names(f.__code__) if n in CONSTANTS or n in constants)
        keys[name] = hashlib.sha256(repr((mark or id(f), values, [keys[n] for n in used])).encode()).hexdigest()
        body = _rebuilt(f, namespace)  # type: ignore[arg-type]
        if name == entry:
            digested = digest(functions, {**constants, "players": players}) if cached else None
            if digested:  # the digest in the name is what makes the cached file belong to these rules alone
                body.__qualname__ = f"{entry}_{digested}"
            linked[name] = light.entry(body, cached=bool(digested))
            return
        if keys[name] not in _kept:
            while len(_kept) > 2000:
                _kept.pop(next(iter(_kept)))
            _kept[keys[name]] = light.inner(body)
        linked[name] = _kept[keys[name]]

    link(entry, ())
    return Linked(linked)


_kept: dict[str, object] = {}


def explain(error: Exception, functions: dict[str, Callable]) -> NotCompilable:
    """A clear message for what Numba could not compile: the rule, its line and the construct."""
    import linecache
    import re

    text = str(error)
    spots = re.findall(r'File "([^"]+)", line (\d+)', text)
    ours = {f.__code__.co_filename: n for n, f in functions.items()}
    where, construct = "", ""
    for file, line in reversed(spots):
        match = next((f for f in ours if f.endswith(file.lstrip("./")) or file == f), None)
        if match:
            source = linecache.getline(match, int(line)).strip()
            inside = [n for n, f in functions.items() if f.__code__.co_filename == match
                      and f.__code__.co_firstlineno <= int(line)]
            rule = max(inside, key=lambda n: functions[n].__code__.co_firstlineno) if inside else "?"
            where = say("kernel.where", rule=rule, file=file, line=line, source=source)
            break
    for line in text.splitlines():
        if line.strip() and "pipeline" not in line and not line.startswith("\x1b"):
            construct = line.strip()
            break
    return NotCompilable(say("kernel.compile", where=where, construct=construct))


def numba_errors() -> type[Exception]:
    """The exception class that compiling can raise."""
    from numba.core.errors import NumbaError

    return NumbaError


# ---------------------------------------------------------------- digests


def _fingerprint(f: Callable) -> bytes | None:
    """Bytes that change when the function's behaviour could; None where that cannot be told."""
    cells = getattr(f, "__closure__", None) or ()
    values = []
    for c in cells:
        if not _is_constant(c.cell_contents):
            return None
        values.append(c.cell_contents)
    return repr((_code_key(f.__code__), values, f.__defaults__, f.__kwdefaults__)).encode()


def _code_key(code: types.CodeType) -> tuple:
    consts = tuple(_code_key(c) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return (code.co_code.hex(), consts, code.co_names, code.co_varnames, code.co_argcount)


def digest(functions: dict[str, Callable], constants: dict) -> str | None:
    """Sixteen hex digits over everything linked and the versions it runs on; None: cannot be told."""
    import numba
    import numpy

    h = hashlib.sha256(repr((numba.__version__, numpy.__version__, sorted(constants.items()))).encode())
    h.update(_core_text())
    for name, f in sorted(functions.items()):
        key = _fingerprint(f)
        if key is None:
            return None
        h.update(name.encode() + key)
    return h.hexdigest()[:16]


def code_digest(functions: dict[str, Callable], constants: dict) -> str:
    """A digest of the rules alone, for naming a draft; the same on every machine with the same Python."""
    h = hashlib.sha256(repr(sorted(constants.items())).encode())
    for name, f in sorted(functions.items()):
        h.update(name.encode() + (_fingerprint(f) or repr(f).encode()))
    return h.hexdigest()


def _core_text() -> bytes:
    here = Path(__file__).parent
    return b"".join((here / n).read_bytes() for n in ("kernel.py", "loops.py", "vocabulary.py", "dispatch.py"))


# ---------------------------------------------------------------- compiled twins


@cache
def _twins(players: int) -> dict:
    """The words that compile to something better than their plain definition; loops over seats of a known number unroll."""
    import numpy as np
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    from workbench.core import light

    @intrinsic
    def lowest(typingctx, pieces):  # noqa: ANN001
        def codegen(context, builder, signature, args):  # noqa: ANN001
            zero_is_poison = context.get_constant(types.boolean, True)
            return builder.cttz(args[0], zero_is_poison)
        return types.int64(types.int64), codegen

    @intrinsic
    def count(typingctx, pieces):  # noqa: ANN001
        return types.int64(types.int64), lambda context, builder, signature, args: builder.ctpop(args[0])

    @intrinsic
    def cite(typingctx, *cited):  # noqa: ANN001
        return types.void(types.StarArgTuple(cited)), lambda context, builder, signature, args: context.get_dummy_value()

    @light.inner
    def seats(s):  # noqa: ANN001
        return range(players)

    @light.inner
    def left_of(s, seat):  # noqa: ANN001
        return 0 if seat + 1 == players else seat + 1

    @light.inner
    def steps_from(s, start, seat):  # noqa: ANN001
        steps = seat - start
        return steps + players if steps < 0 else steps

    golden, first, second = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
    s30, s27, s31, s16, one = (np.uint64(x) for x in (30, 27, 31, 16, 1))

    @light.inner
    def mix(luck, k):  # noqa: ANN001
        z = np.uint64(luck) + (np.uint64(k) + one) * golden
        z = (z ^ (z >> s30)) * first
        z = (z ^ (z >> s27)) * second
        return np.int64((z ^ (z >> s31)) >> s16)

    @intrinsic
    def copy_state(typingctx, to, s):  # noqa: ANN001
        def codegen(context, builder, signature, args):  # noqa: ANN001
            cgutils.raw_memcpy(builder, args[0], args[1], context.get_constant(types.intp, s.size), 1)
            return context.get_dummy_value()
        return types.void(to, s), codegen

    @intrinsic
    def new_row(typingctx, n):  # noqa: ANN001
        """Zeros on the stack of the rule that asks: no allocation, and gone when the rule returns."""
        row = types.Array(types.int64, 1, "C")

        def codegen(context, builder, signature, args):  # noqa: ANN001
            array = context.make_array(row)(context, builder)
            data = cgutils.alloca_once(builder, context.get_value_type(types.int64), size=64)
            size = context.get_constant(types.intp, 8)
            cgutils.memset(builder, data, context.get_constant(types.intp, 64 * 8), 0)
            from numba.np.arrayobj import populate_array

            populate_array(array, data=data, shape=[args[0]], strides=[size], itemsize=size, meminfo=None)
            return array._getvalue()
        return row(types.int64), codegen

    return {"lowest": lowest, "count": count,
            "cite": cite, "mix": mix, "copy_state": copy_state, "new_row": new_row,
            "seats": seats, "left_of": left_of, "steps_from": steps_from}


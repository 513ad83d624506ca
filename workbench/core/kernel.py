"""Links rules into the two engines. The only module that imports Numba.

Linking rebuilds every function over one namespace in which each name means the linked function,
so replacing a rule is replacing a name. The plain engine leaves them as Python and cites; the
compiled engine hands the same functions to Numba with citing compiled away.

Numba's disk cache looks only at the file of the function it caches. Here the compiled entry's
``__qualname__`` carries a digest of everything linked below it, so that it can never serve
yesterday's rules; what cannot be digested is not cached.
"""

from __future__ import annotations

import hashlib
import threading
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path

from workbench.core import loops, vocabulary
from workbench.core.errors import NotCompilable, RulesetError
from workbench.core.language import say
from workbench.core.meaning import CONSTANTS, LOOPS, SAFE_BUILTINS, WORDS, fingerprint, names


class Cited(threading.local):
    """What the plain engine cites: (rule number, seat, n) in order; the position layer reads and clears it. One list a thread."""

    def __init__(self) -> None:
        self.events: list[tuple[int, int, int]] = []

    def __call__(self, rule: int, seat: int = vocabulary.NONE, n: int = 0) -> None:
        """Note one citation."""
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


def written(text: str, name: str) -> dict[str, Callable]:
    """The functions in a text written by :mod:`workbench.core.dispatch`."""
    scope: dict = {}
    exec(compile(text, f"<{name}>", "exec"), scope)  # our own text, from names already checked
    return {n: f for n, f in scope.items() if isinstance(f, types.FunctionType)}


def _rebuilt(f: types.FunctionType, namespace: dict) -> types.FunctionType:
    g = types.FunctionType(f.__code__, namespace, f.__name__, f.__defaults__, f.__closure__)
    # a module that every process can import: Numba's cached file asks for it by name, and a rule's own is a cell or a folder
    g.__kwdefaults__, g.__qualname__, g.__module__ = f.__kwdefaults__, f.__qualname__, vocabulary.__name__
    return g


def link_plain(functions: dict[str, Callable], constants: dict) -> Linked:
    """The plain engine: ordinary Python that cites into ``engine.cite``."""
    namespace: dict = {"__builtins__": SAFE_BUILTINS, **CONSTANTS, **constants}
    for name, f in {**WORDS, **LOOPS, **functions}.items():
        namespace[name] = f if name in loops.OUTSIDE else _rebuilt(f, namespace)  # type: ignore[arg-type]
    namespace["cite"] = Cited()
    namespace["cards"] = vocabulary.listed_cards
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
        used = [n for n in names(f.__code__) if n in everything or n in twins]
        for n in used:
            link(n, (*above, name))
        namespace: dict = {"__builtins__": SAFE_BUILTINS, **CONSTANTS, **constants, **{n: linked[n] for n in used}}
        mark = fingerprint(f)
        values = sorted((n, namespace[n]) for n in names(f.__code__) if n in CONSTANTS or n in constants)
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


INSIDE = "During: resolving callee type: type(CPUDispatcher"
"""How Numba goes on from what is wrong to the functions around it."""


def explain(error: Exception, functions: dict[str, Callable]) -> NotCompilable:
    """A clear message for what Numba could not compile: the rule, its line and the construct."""
    import linecache
    import re

    text = str(error)
    innermost = text.split(INSIDE)[0]
    ours = {f.__code__.co_filename for f in functions.values()}
    spots = re.findall(r'(?:at |from |File "|)(\S+?)"?(?:,? line | \()(\d+)', innermost)
    spot = next(((f, int(n)) for file, n in spots for f in ours if f == file or "/" in file and f.endswith(file.lstrip("./"))), None)
    if spot is not None:
        above = {n: f.__code__.co_firstlineno for n, f in functions.items()
                 if f.__code__.co_filename == spot[0] and f.__code__.co_firstlineno <= spot[1]}
        rule = max(above, key=lambda n: above[n], default="?")
    else:
        rule = _compiling(error, text)
        code = functions[rule].__code__ if rule in functions else None
        spot = (code.co_filename, code.co_firstlineno) if code else None
    source = linecache.getline(*spot).strip() if spot else ""
    where = say("kernel.where", rule=rule, file=spot[0], line=spot[1], source=source) if spot else ""
    said = [x.strip() for x in innermost.splitlines() if x.strip() and "pipeline" not in x and not x.startswith("\x1b")]
    construct = re.sub(r"[. ]*Raised from .*", "", said[0] if said else text)
    if construct.endswith(":") and len(said) > 1:
        construct += " " + said[1].removeprefix(">>> ")
    return NotCompilable(say("kernel.compile", where=where, construct=construct))


def _compiling(error: Exception, text: str) -> str:
    """The name of the function that was being compiled, where Numba gives no line."""
    import re

    named = re.search(re.escape(INSIDE) + r"\(<function (\S+) at", text)
    name = named[1] if named else "?"
    trace = error.__traceback__
    while trace is not None and not named:
        if trace.tb_frame.f_code.co_name == "compile_extra" and callable(trace.tb_frame.f_locals.get("func")):
            name = trace.tb_frame.f_locals["func"].__qualname__
        trace = trace.tb_next
    return name.rpartition(".")[2]


def numba_errors() -> tuple[type[Exception], ...]:
    """The exceptions that compiling can raise."""
    from numba.core import errors

    return errors.NumbaError, errors.UnsupportedBytecodeError, NotImplementedError


# ---------------------------------------------------------------- digests


def digest(functions: dict[str, Callable], constants: dict) -> str | None:
    """Sixteen hex digits over everything linked and the versions it runs on; None: cannot be told."""
    import numba
    import numpy

    h = hashlib.sha256(repr((numba.__version__, numpy.__version__, sorted(constants.items()))).encode())
    h.update(_core_text())
    for name, f in sorted(functions.items()):
        key = fingerprint(f)
        if key is None:
            return None
        h.update(name.encode() + key)
    return h.hexdigest()[:16]


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


"""The compiled engine through Numba, for rules that use more of Python than the language of rules.

Numba takes several times longer to compile and its code is a little slower; it is asked only where
:mod:`workbench.core.machine` says that something is outside its language, and where it refuses too,
its message is turned into one about the rule.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from functools import cache

from workbench.core import light, loops
from workbench.core.errors import NotCompilable, RulesetError
from workbench.core.kernel import rebuilt
from workbench.core.language import say
from workbench.core.meaning import CONSTANTS, LOOPS, SAFE_BUILTINS, WORDS, fingerprint, names

ENTRY = "run_games"


def link(functions: dict[str, Callable], constants: dict, *, players: int, digested: str | None, why: Exception) -> Callable:
    """``run_games`` through Numba, which compiles it at its first call; kept on disk under ``digested``.

    A function whose text and whose callees have not changed keeps its compiled form for the session.
    ``why``: what the language of rules does not have.
    """
    everything = {n: f for n, f in {**WORDS, **LOOPS, **functions}.items() if n not in ("copied", *loops.OUTSIDE)}
    twins = _twins(players)
    linked: dict[str, object] = {}
    keys: dict[str, str] = {}

    def linking(name: str, above: tuple[str, ...]) -> None:
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
            linking(n, (*above, name))
        namespace: dict = {"__builtins__": SAFE_BUILTINS, **CONSTANTS, **constants, **{n: linked[n] for n in used}}
        mark = fingerprint(f)
        values = sorted((n, namespace[n]) for n in names(f.__code__) if n in CONSTANTS or n in constants)
        keys[name] = hashlib.sha256(repr((mark or id(f), values, [keys[n] for n in used])).encode()).hexdigest()
        body = rebuilt(f, namespace)  # type: ignore[arg-type]
        if name == ENTRY:
            if digested:  # the digest in the name is what makes the cached file belong to these rules alone
                body.__qualname__ = f"{ENTRY}_{digested}"
            linked[name] = light.entry(body, cached=bool(digested))
            return
        if keys[name] not in _kept:
            while len(_kept) > 2000:
                _kept.pop(next(iter(_kept)))
            _kept[keys[name]] = light.inner(body)
        linked[name] = _kept[keys[name]]

    linking(ENTRY, ())

    def run_games(*args: object) -> tuple[int, int]:
        try:
            return int(linked[ENTRY](*args)), 0  # type: ignore[operator]
        except _errors() as e:
            raise explain(e, functions) from None

    warnings.warn(say("kernel.numba", why=str(why)), stacklevel=2)
    return run_games


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


def _errors() -> tuple[type[Exception], ...]:
    """The exceptions that compiling can raise."""
    from numba.core import errors

    return errors.NumbaError, errors.UnsupportedBytecodeError, NotImplementedError


# ---------------------------------------------------------------- compiled twins


@cache
def _twins(players: int) -> dict:
    """The words that compile to something better than their plain definition; loops over seats of a known number unroll."""
    import numpy as np
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

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


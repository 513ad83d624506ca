"""What the names in a rule stand for: other rules, words of the vocabulary, numbers and handles, and nothing else."""

from __future__ import annotations

import builtins
import dis
import inspect
import marshal
import textwrap
import types
from collections.abc import Callable, Iterable
from functools import cache

from workbench.core import loops, vocabulary
from workbench.core.errors import RulesetError, nearest
from workbench.core.language import say

WORDS = {n: f for n, f in vars(vocabulary).items()
         if isinstance(f, types.FunctionType) and f.__module__ == vocabulary.__name__ and n != "listed_cards"}
CONSTANTS = {n: v for n, v in vars(vocabulary).items() if n.isupper() and isinstance(v, int)}
LOOPS = {n: f for n, f in vars(loops).items()
         if isinstance(f, types.FunctionType) and f.__module__ == loops.__name__}
SAFE_BUILTINS = {n: getattr(builtins, n)
                 for n in ("range", "min", "max", "abs", "len", "int", "bool", "True", "False", "AssertionError") if hasattr(builtins, n)}


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
        for name in names(f.__code__):
            if name in f.__globals__ and name not in functions and _differ(origin.setdefault(name, f.__globals__[name]), f.__globals__[name]):
                raise RulesetError(say("kernel.two_meanings", function=owner, name=name))
            if name in found or name in WORDS or name in CONSTANTS or name in LOOPS or name in SAFE_BUILTINS:
                continue
            if name not in f.__globals__:
                raise RulesetError(say("kernel.unknown", function=owner, name=name) + nearest(name, [*functions, *WORDS, *CONSTANTS]),
                                   file=f.__code__.co_filename, line=_line_of(f.__code__, name))
            value = f.__globals__[name]
            if isinstance(value, types.FunctionType):
                found[name] = value
                todo.append((name, value))
            elif isinstance(value, vocabulary.Handle):
                constants[name] = resolve(value)
            elif is_constant(value):
                constants[name] = value
            else:
                raise RulesetError(say("kernel.name", function=owner, name=name, type=type(value).__name__))
    return found, constants


def _differ(a: object, b: object) -> bool:
    if isinstance(a, types.FunctionType) and isinstance(b, types.FunctionType):
        return a is not b and fingerprint(a) != fingerprint(b)
    return a is not b and a != b


def meanings(f: Callable) -> dict[str, object]:
    """What the names that a function reads from outside stand for: numbers, handles and helper functions, no words."""
    found = {n: f.__globals__[n] for n in names(f.__code__) if n in f.__globals__ and n not in WORDS and n not in CONSTANTS}
    return {n: v for n, v in found.items() if isinstance(v, (types.FunctionType, vocabulary.Handle)) or is_constant(v)}


def frozen(f: types.FunctionType, above: tuple = ()) -> types.FunctionType:
    """A copy of a function that keeps what its names mean now, whatever a later cell makes of them.

    Raises:
        RulesetError: it uses a variable of a function around it that is no whole number.
    """
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
        if not is_constant(cell.cell_contents):
            raise RulesetError(say("kernel.inside", function=f.__name__, name=name), file=f.__code__.co_filename, line=f.__code__.co_firstlineno)
    scope = {n: f.__globals__[n] for n in names(f.__code__) if n in f.__globals__}
    cells = tuple(types.CellType(c.cell_contents) for c in f.__closure__ or ())
    copy = types.FunctionType(f.__code__, scope, f.__name__, f.__defaults__, cells)
    copy.__kwdefaults__, copy.__qualname__, copy.__module__, copy.__doc__ = f.__kwdefaults__, f.__qualname__, f.__module__, f.__doc__
    copy.__dict__.update(f.__dict__)
    scope |= {n: frozen(g, (*above, f.__code__)) for n, g in helpers(f, above).items()}
    return copy


def helpers(f: Callable, above: tuple = ()) -> dict[str, types.FunctionType]:
    """The functions among the meanings of a function's names, but for itself and those whose code stands in ``above``."""
    return {n: g for n, g in meanings(f).items() if isinstance(g, types.FunctionType) and g.__code__ not in (*above, f.__code__)}


def known_attributes(functions: dict[str, Callable], known: dict[str, Iterable[str]]) -> None:
    """See that rules read and write only what there is; ``known``: the attributes of "p" and of "s".

    Raises:
        RulesetError: names the rule, its line and the nearest name.
    """
    for owner, f in functions.items():
        for on, name, line in _attributes(f.__code__):
            if on in known and name not in known[on]:
                raise RulesetError(say(f"kernel.no_{on}", function=owner, name=name) + nearest(name, known[on]),
                                   file=f.__code__.co_filename, line=line)


@cache
def _attributes(code: types.CodeType) -> tuple[tuple[str, str, int | None], ...]:
    """(variable, attribute, line) wherever code uses an attribute of a plain variable."""
    found, before, line = [], None, code.co_firstlineno
    for i in dis.get_instructions(code):
        line = i.positions.lineno if i.positions and i.positions.lineno else line
        if i.opname in ("LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD") and before is not None and before.opname.startswith("LOAD_FAST"):
            on = before.argval[-1] if isinstance(before.argval, tuple) else before.argval
            found.append((on, i.argval, line))
        before = i
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            found += _attributes(c)
    return tuple(found)


def _line_of(code: types.CodeType, name: str) -> int:
    """The line that first reads a global name."""
    return next((i.positions.lineno for i in dis.get_instructions(code) if i.argval == name and i.positions and i.positions.lineno),
                code.co_firstlineno)


@cache
def names(code: types.CodeType) -> tuple[str, ...]:
    """The global names that a piece of code reads, its inner functions included."""
    used = {i.argval: None for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            used |= dict.fromkeys(names(c))
    return tuple(used)


def is_constant(value: object) -> bool:
    """Whether rules can use the value as it is: a number, or a tuple of numbers."""
    return isinstance(value, (int, float)) or isinstance(value, tuple) and all(map(is_constant, value))


def fingerprint(f: Callable) -> bytes | None:
    """Bytes that change when the function's behaviour could; None where that cannot be told."""
    cells = getattr(f, "__closure__", None) or ()
    values = []
    for c in cells:
        if not is_constant(c.cell_contents):
            return None
        values.append(c.cell_contents)
    return repr((code_key(f.__code__), values, f.__defaults__, f.__kwdefaults__)).encode()


def code_key(code: types.CodeType) -> tuple:
    """What a piece of code does, as plain data: bytecode, constants and names, of its inner functions too."""
    consts = tuple(code_key(c) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return (code.co_code.hex(), consts, code.co_names, code.co_varnames, code.co_argcount)


# ---------------------------------------------------------------- a replaced rule as data


def source(f: Callable, above: tuple = ()) -> bytes:
    """What identifies a function: its source where there is one, else its bytecode; and all that its names stand for."""
    text = written(f) or repr(code_key(f.__code__))
    closed = [c.cell_contents for c in f.__closure__ or ()]
    return repr((text, closed, sorted(_used(f, source, above).items()))).encode()


def written(f: Callable) -> str | None:
    """A function as it was written, from its ``def`` on; None where no file or cell has it."""
    if hasattr(f, "__workbench_text__"):
        return f.__workbench_text__
    try:
        text = textwrap.dedent(inspect.getsource(f))
        return text[text.index("def "):]
    except (OSError, TypeError, ValueError):
        return None


def _used(f: Callable, of_helper: Callable, above: tuple) -> dict[str, object]:
    """What a function's names stand for, helper functions as ``of_helper`` tells them."""
    plain = {n: v for n, v in meanings(f).items() if not isinstance(v, types.FunctionType)}
    return plain | {n: of_helper(g, (*above, f.__code__)) for n, g in helpers(f, above).items()}


def packed(f: Callable, above: tuple = ()) -> tuple:
    """A replaced rule as plain data, so that any executor can carry a draft to another process."""
    return (marshal.dumps(f.__code__), f.__name__, f.__defaults__, _used(f, packed, above),
            tuple(c.cell_contents for c in f.__closure__ or ()), written(f))


def unpacked(parts: tuple) -> Callable:
    """The function that :func:`packed` took apart."""
    code, name, defaults, used, closed, text = parts
    scope = {k: getattr(vocabulary, k) for k in (*WORDS, *CONSTANTS)}
    scope |= {n: unpacked(v) if isinstance(v, tuple) and len(v) == 6 and isinstance(v[0], bytes) else v for n, v in used.items()}
    f = types.FunctionType(marshal.loads(code), scope, name, defaults, tuple(types.CellType(c) for c in closed))
    f.__workbench_text__ = text
    return f

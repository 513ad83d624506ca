"""Links rules into the two engines.

Linking gives each name in a rule one meaning, so replacing a rule is replacing a name. The plain
engine runs the functions as Python and cites; the compiled engine is one program of machine code,
made of the same functions with citing left out (:mod:`workbench.core.machine`). A game that uses
more of Python than the language of rules goes through Numba (:mod:`workbench.core.through_numba`).

Machine code is kept on disk under a digest of everything linked, so that it can never serve
yesterday's rules; what cannot be digested is not kept.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import threading
import types
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from workbench.core import loops, vocabulary
from workbench.core.errors import RulesetError
from workbench.core.language import say
from workbench.core.meaning import CONSTANTS, LOOPS, SAFE_BUILTINS, WORDS, fingerprint


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
    file = f"<{name} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # so that it can be read like any other
    exec(compile(text, file, "exec"), scope)  # our own text, from names already checked
    return {n: f for n, f in scope.items() if isinstance(f, types.FunctionType)}


def rebuilt(f: types.FunctionType, namespace: dict) -> types.FunctionType:
    """The same function with its names looked up in ``namespace``."""
    g = types.FunctionType(f.__code__, namespace, f.__name__, f.__defaults__, f.__closure__)
    # a module that every process can import: what Numba keeps on disk asks for it by name, and a rule's own is a cell or a folder
    g.__kwdefaults__, g.__qualname__, g.__module__ = f.__kwdefaults__, f.__qualname__, vocabulary.__name__
    return g


def link_plain(functions: dict[str, Callable], constants: dict) -> Linked:
    """The plain engine: ordinary Python that cites into ``engine.cite``."""
    namespace: dict = {"__builtins__": SAFE_BUILTINS, **CONSTANTS, **constants}
    for name, f in {**WORDS, **LOOPS, **functions}.items():
        namespace[name] = f if name in loops.OUTSIDE else rebuilt(f, namespace)  # type: ignore[arg-type]
    namespace["cite"] = Cited()
    namespace["cards"] = vocabulary.listed_cards
    return Linked(namespace)


class Compiled:
    """The compiled engine of one game: ``run_games`` as one program, made or read from disk at its first call.

    ``kinds``: what its arguments are, the number of players among them. ``cached``: whether it stays on disk.
    """

    def __init__(self, functions: dict[str, Callable], constants: dict, *, players: int, kinds: tuple, cached: bool):
        self._functions, self._constants, self._players, self._kinds, self._cached = functions, constants, players, kinds, cached
        self._lock = threading.Lock()

    def run_games(self, *args: object) -> int:
        """See :func:`workbench.core.loops.run_games`.

        Raises:
            NotCompilable: names the rule, line and construct. RulesetError: a rule did something impossible, with its line.
        """
        with self._lock:  # made once, however many threads ask
            call = self._call
        result, fault = call(*args)
        if fault:
            key, construct, file, line = self._program()[0].faults[fault - 1]
            raise RulesetError(say("kernel.fault", construct=construct, why=say(key)), file=file, line=line)
        return result

    @cached_property
    def _call(self) -> Callable:
        from workbench.core.machine import code
        from workbench.core.machine.kinds import Outside

        digested = digest(self._functions, {**self._constants, "players": self._players}) if self._cached and not _checks_bounds() else None
        try:
            text = code.stored(f"{digested}{self._kinds}", self._code) if digested else self._code()
            return code.Loaded(text, self._kinds)
        except Outside as outside:
            from workbench.core.through_numba import link

            return link(self._functions, self._constants, players=self._players, digested=digested, why=outside)

    def _code(self) -> bytes:
        from workbench.core.machine import code

        return code.machine_code(self._program()[1])

    def _program(self):
        """The program and its text; the same each time, so that a fault's number can be looked up later."""
        from workbench.core.machine.code import instructions
        from workbench.core.machine.program import Program

        functions = {**WORDS, **LOOPS, **self._functions}
        program = Program(functions, {**CONSTANTS, **self._constants}, words=frozenset(WORDS) - {*self._functions},
                          bounds=_checks_bounds(), instructions=instructions())
        return program, program.text("run_games", self._kinds)


def _checks_bounds() -> bool:
    """Whether compiled rules look at every index; what Numba asks for too."""
    return os.environ.get("NUMBA_BOUNDSCHECK") == "1"


# ---------------------------------------------------------------- digests


def digest(functions: dict[str, Callable], constants: dict) -> str | None:
    """Sixteen hex digits over everything linked; None: cannot be told."""
    h = hashlib.sha256(repr(sorted(constants.items())).encode())
    h.update(_core_text())
    for name, f in sorted(functions.items()):
        key = fingerprint(f)
        if key is None:
            return None
        h.update(name.encode() + key)
    return h.hexdigest()[:16]


def _core_text() -> bytes:
    here = Path(__file__).parent
    files = [here / n for n in ("kernel.py", "loops.py", "vocabulary.py", "dispatch.py")] + sorted((here / "machine").glob("*.py"))
    return b"".join(f.read_bytes() for f in files)

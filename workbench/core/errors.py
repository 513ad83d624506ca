"""What goes wrong, said so that a designer can act on it.

A *refusal* (a move the rules forbid) is a value: see :mod:`workbench.core.moves`.
The exceptions here are for what should not have been asked or cannot be done. Each
message says what was expected, what was met, where, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from workbench.core.language import say


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the nearest name, or nothing."""
    table = {str(k).casefold(): str(k) for k in known}
    near = difflib.get_close_matches(str(name).casefold(), table, n=1, cutoff=0.5)
    return say("nearest", name=table[near[0]]) if near else ""


class WorkbenchError(Exception):
    """Base of every error raised on purpose; the command line prints it without a traceback."""


class UnknownName(WorkbenchError, KeyError):
    """A ruleset, draft, parameter, seat, field or move that does not exist."""

    def __init__(self, what: str, name: str, known: Iterable[str], also: Iterable[str] = ()):
        """``also``: further names that are meant when one is near, but not listed."""
        known = [str(k) for k in known]
        listing = ", ".join(known[:40]) + (" …" if len(known) > 40 else "")
        self.message = say("unknown", what=say("what." + what), name=name, known=listing or "–") + nearest(name, [*known, *also])
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class OutOfRange(WorkbenchError, ValueError):
    """A value that its parameter or field cannot hold."""


class RulesetError(WorkbenchError):
    """A ruleset, draft or table file that cannot be used; names file and line where known."""

    def __init__(self, message: str, *, file: object = None, line: int | None = None):
        where = "" if file is None else f"{file}" + (f":{line}" if line else "") + ": "
        super().__init__(where + message)
        self.file, self.line = file, line


class Refused(WorkbenchError, ValueError):
    """An illegal move was played; ``refusal`` holds the rule and the reason."""

    def __init__(self, refusal: object, position: object):
        self.refusal = refusal
        super().__init__(say("refused", refusal=refusal, position=position))


class BrokenPosition(WorkbenchError, ValueError):
    """A position that breaks its schema; ``faults`` lists (field, sentence) pairs."""

    def __init__(self, faults: list[tuple[str, str]]):
        self.faults = faults
        super().__init__(say("broken_position") + "".join(f"\n  {f}: {why}" for f, why in faults))


class DamagedFile(WorkbenchError, ValueError):
    """A saved game or notation line that is corrupt or foreign; nothing of it was loaded."""


class NotCompilable(WorkbenchError):
    """A rule uses Python that the compiled engine cannot take; the plain engine still can."""

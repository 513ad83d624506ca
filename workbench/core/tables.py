"""What the rows of a CSV table must keep together, as ``checks`` of ``game.toml`` says it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.core.language import say


@dataclass(frozen=True)
class Line:
    """One row of a table, and where it stands."""

    path: Path
    line: int
    cells: dict[str, str]


def faults(check: dict, rows: list[Line], kinds: dict[str, tuple[str, ...]]) -> Iterator[tuple[Line | None, str]]:
    """What a table breaks of one of its ``checks``, with the row.

    ``where = {column = "value"}``: only these rows are looked at. ``rows = 9``, or ``rows = {min = 3, max = 9}``: so many
    of them. With ``of``, the columns looked at: ``each = 12``: every value stands so often in them, over all rows;
    ``whole = true``: every row has every value; ``different = true``: no two rows are the same there,
    ``different = "turned"``: not even when one of them is turned. ``of`` two columns of the same kind with
    ``cycle = "S"``: the rows lead from one to the other, and whoever follows them from S always comes back to S.
    """
    where = {c: str(v) for c, v in check.get("where", {}).items()}
    told = "".join(f" ({c} = {v})" for c, v in where.items())
    chosen = [r for r in rows if all(r.cells.get(c, "0") == v for c, v in where.items())]
    last = (chosen or rows or [None])[-1]
    wanted = check.get("rows", len(chosen))
    lo, hi = (wanted.get("min", 0), wanted.get("max")) if isinstance(wanted, dict) else (wanted, wanted)
    if len(chosen) < lo or hi is not None and len(chosen) > hi:
        n = lo if lo == hi else f"{lo}–{'' if hi is None else hi}"
        yield last, say("ruleset.csv_rows", n=n, met=len(chosen)) + told
    for row, message in _counted(check, chosen, kinds, last):
        yield row, message + told
    if "cycle" in check:
        yield from _lost(check, chosen, last, told)


def _counted(check: dict, rows: list[Line], kinds: dict[str, tuple[str, ...]], last: Line | None) -> Iterator[tuple[Line | None, str]]:
    """How often values stand in the columns ``of``."""
    of = check.get("of", [])
    values = kinds.get(of[0], ()) if of else ()
    counted: Counter = Counter()
    met: dict[tuple[str, ...], int] = {}
    for row in rows:
        here = tuple(row.cells[c] for c in of)
        counted.update(here)
        for v in here:
            if counted[v] > check.get("each", counted[v]):
                yield row, say("ruleset.csv_each", columns=", ".join(of), value=v, n=check["each"], met=counted[v])
        if check.get("whole") and set(values) - set(here):
            yield row, say("ruleset.csv_whole", columns=", ".join(of), values=", ".join(sorted(set(values) - set(here))))
        if check.get("different"):
            turns = range(len(here)) if check["different"] == "turned" else (0,)
            like = min(here[k:] + here[:k] for k in turns)
            if like in met:
                yield row, say("ruleset.csv_same", columns=", ".join(of), line=met[like])
            met[like] = row.line
    for v in values:
        if counted[v] < check.get("each", counted[v]):
            yield last, say("ruleset.csv_each", columns=", ".join(of), value=v, n=check["each"], met=counted[v])


def _lost(check: dict, rows: list[Line], last: Line | None, told: str) -> Iterator[tuple[Line | None, str]]:
    """Where a walk along the rows that begins at ``cycle`` cannot come back to it."""
    (a, b), start = check["of"], check["cycle"]
    ahead: dict[str, set[str]] = {}
    for row in rows:
        ahead.setdefault(row.cells[a], set()).add(row.cells[b])
    for stop in sorted(_reached(ahead, start) | {start}, key=lambda x: (x in ahead, x)):  # dead ends first
        if start not in _reached(ahead, stop):
            at = next((r for r in rows if r.cells[b] == stop), last)
            yield at, say("ruleset.csv_cycle", columns=f"{a}, {b}", start=start, met=stop) + told


def _reached(ahead: dict[str, set[str]], start: str) -> set[str]:
    """Everything that one or more rows lead to from ``start``."""
    found: set[str] = set()
    todo = [start]
    while todo:
        for there in ahead.get(todo.pop(), ()):
            if there not in found:
                found.add(there)
                todo.append(there)
    return found

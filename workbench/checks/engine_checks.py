"""Checks of the two engines, and of every reading of every ruling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.checks.hidden_checks import redaction, resample
from workbench.checks.play_checks import derived, ends, legal
from workbench.checks.walks import Sample, place, told
from workbench.core import runner
from workbench.core.draft import Draft
from workbench.core.language import say
from workbench.core.loops import deal_luck
from workbench.core.position import Position


def engines(sample: Sample) -> Iterator[str]:
    """The plain and the compiled engine agree byte for byte on every state of the same games, random and bots at one table."""
    for seats in _tables(sample.draft):
        yield from _engines(sample, seats, list(sample.draft.ruleset.moves.kinds))


def _engines(sample: Sample, seats: tuple[str, ...], kinds: list[str]) -> Iterator[str]:
    """Final states and results agree, and the states before each move of these kinds."""
    d = sample.draft
    plain, compiled = (runner.run(d, games=sample.games, seed=sample.seed, bots=seats, kinds=kinds, engine=e)
                       for e in ("plain", "compiled"))
    yield from _rows(sample, seats, plain, compiled)
    for what in ("states", "info"):
        a, b = getattr(plain, what), getattr(compiled, what)
        for g in np.flatnonzero([x.tobytes() != y.tobytes() for x, y in zip(a, b, strict=True)]):
            yield say("check.engines_end", game=int(g), what=what, bots=", ".join(seats)) + _where(sample, int(g), a[g], b[g], what)
            break
    for g in np.flatnonzero(plain.info["ended"]):
        yield say("check.endless", n=runner.CAP) + _where(sample, int(g), plain.states[g], None, "states")


def _tables(d: Draft) -> list[tuple[str, ...]]:
    """Seatings in which every bot and random play; one is enough unless there are more bots than seats."""
    names = ["random", *d.ruleset.bots]
    found = []
    for i in range(0, max(1, len(names) - 1), d.players - 1):
        part = ["random", *names[1:][i : i + d.players - 1]]
        found.append(tuple((part * d.players)[: d.players]))
    return found


def _rows(sample: Sample, seats: tuple[str, ...], plain: runner.Batch, compiled: runner.Batch) -> Iterator[str]:
    """The first state at which the engines part."""
    if len(plain.rows) != len(compiled.rows):
        yield say("check.engines_rows", plain=len(plain.rows), compiled=len(compiled.rows), bots=", ".join(seats), key=sample.draft.key)
    for i in range(min(len(plain.rows), len(compiled.rows))):
        a, b = plain.rows[i], compiled.rows[i]
        x, y = plain.row_info[i], compiled.row_info[i]
        if a.tobytes() == b.tobytes() and x.tobytes() == y.tobytes():
            continue
        what = "states" if a.tobytes() != b.tobytes() else "row_info"
        moved = say("check.engines_after", move=sample.draft.ruleset.moves.name(int(plain.row_info[i - 1]["move"]))) if i else ""
        yield (say("check.engines", game=int(x["game"]), bots=", ".join(seats)) + moved
               + _where(sample, int(x["game"]), a if what == "states" else x, b if what == "states" else y, what, line=a))
        return


def _where(sample: Sample, game: int, a: np.void, b: np.void | None, what: str, line: np.void | None = None) -> str:
    d = sample.draft
    names = [] if b is None else [n for n in a.dtype.names or () if not np.array_equal(a[n], b[n])]
    fields = "".join(f"\n  {n}: {a[n].tolist()} / {b[n].tolist()}" for n in names)  # type: ignore[index]
    state = line if line is not None else a if what == "states" else None
    position = "" if state is None else str(Position(d, state.tobytes()))
    return fields + place(d, deal_luck(sample.seed, game // d.players), game % d.players, position)


def ended_alike(sample: Sample) -> Iterator[str]:
    """The engines agree on the final states of random games."""
    yield from _engines(sample, ("random",) * sample.draft.players, [])


def rulings(sample: Sample) -> Iterator[str]:
    """Under each reading of each ruling and choice, random games end soundly and both engines agree."""
    d = sample.draft
    veiling = {c for f in d.ruleset.schema.fields.values() for c in f.declared.unless}
    for name, parameter in d.ruleset.parameters.entries.items():
        for reading in parameter.readings:
            if reading == d.values[name]:
                continue
            varied = d.vary(**{name: reading})
            few, many = Sample(varied, max(2, sample.games // 8), sample.seed), Sample(varied, max(24, sample.games), sample.seed)
            parts = [(ends, few), (legal, few), (derived, few), (ended_alike, many)]
            if f"{name}={reading}" in veiling:
                parts += [(redaction, few), (resample, few)]
            for check, part in parts:
                for sentence in told(check, part)[:1]:
                    yield f"{name} = {reading}, {check.__name__}: {sentence}"

"""The figures of this project, each against another program in the same run: ``python -m tests.benchmarks``.

Wants two quiet cores. A C compiler and ``open_spiel`` are used where they are there. Nothing here is a
test: machines differ and change from minute to minute, so a figure is read beside its partner's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

from tests.benchmarks import openspiel_loop
from tests.benchmarks.measure import ROOT, Row, compiled_c, fresh, paired
from tests.oracle.omerta import random_hands
from workbench.core.draft import Draft, load
from workbench.core.runner import run

HANDS = 16_384


class Loop:
    """One thread's compiled loop over single hands of a draft, its arrays made beforehand."""

    def __init__(self, draft: Draft):
        self.draft = draft
        self.run_games = draft.compiled().run_games
        self.blank = draft.ruleset.schema.blank_record(draft.players)
        self.decisions = 0.0

    def __call__(self) -> float:
        """Hands a second over one batch."""
        d, none = self.draft, self.blank[:0].copy()
        states, info = np.repeat(self.blank, HANDS), np.zeros(HANDS, d.info_dtype)
        w, view, row_info = np.zeros(1, d.workspace_dtype), np.repeat(self.blank, 1), np.zeros(0, d.row_dtype)
        start = time.perf_counter()
        self.run_games(d.record[0], w[0], none, 1, 0, HANDS, d.players, 100_000, states, view, info, none, row_info)
        seconds = time.perf_counter() - start
        self.decisions = float(info["decisions"].mean())
        return HANDS / seconds


def against_c(pairs: int):
    """Compiled playouts beside the C twin of the same rules, one thread."""
    twin = compiled_c(ROOT / "tests/benchmarks/omerta_twin.c")
    if twin is None:
        yield Row("compiled / C twin", "no C compiler here", ">= 0.7")
        return

    for players in (4, 3):
        loop = Loop(load("omerta", play="hand", players=players))
        loop()

        def theirs(players: int = players) -> float:
            done = subprocess.run([str(twin), "100000", str(players)], capture_output=True, text=True, check=True)
            r = json.loads(done.stdout)
            return r["hands"] / r["seconds"]

        def ours(loop: Loop = loop) -> float:
            return float(np.median([loop() for _ in range(5)]))

        mine, c, ratio = paired(ours, theirs, pairs=pairs)
        yield Row(f"Omerta, {players} players, random, deal included: compiled / C twin",
                  f"{mine / 1e6:.2f} / {c / 1e6:.2f} M hands/s = {ratio:.2f}", ">= 0.7", ratio >= 0.7)


def against_openspiel(seconds: float):
    """Decisions a second beside OpenSpiel's C++ loop on its nearest card games."""
    loop = Loop(load("omerta", play="hand"))
    loop()
    found = openspiel_loop.measure(("spades", "oh_hell", "dou_dizhu"), seconds=seconds)
    if not found:
        yield Row("compiled / OpenSpiel's C++ loop", "open_spiel is not installed", ">= 5")
        return
    mine = float(np.median([loop() for _ in range(20)])) * loop.decisions
    for name, r in found.items():
        ratio = mine / r["decisions_per_s"]
        yield Row(f"decisions a second: Omerta compiled / OpenSpiel {name}",
                  f"{mine / 1e6:.1f} / {r['decisions_per_s'] / 1e6:.1f} M = {ratio:.1f}", ">= 5", ratio >= 5)


def plain(pairs: int):
    """The plain engine, citing, beside a hand-written class of the same rules."""
    draft = load("omerta", play="hand")
    run(draft, games=50, engine="plain")

    def rate(f) -> float:
        start = time.perf_counter()
        f(1000)
        return 1000 / (time.perf_counter() - start)

    mine, theirs, ratio = paired(lambda: rate(lambda n: run(draft, games=n, engine="plain")),
                                 lambda: rate(lambda n: random_hands(n, 4, 1)), pairs=pairs)
    yield Row("plain engine with citing / hand-written Python class", f"{mine:,.0f} / {theirs:,.0f} hands/s = {ratio:.2f}",
              ">= 0.33", ratio >= 0.33)


def threads(pairs: int):
    """Two threads beside one."""
    loops = [Loop(load("omerta", play="hand")) for _ in range(2)]

    def seconds(used: list[Loop]) -> float:
        workers = [threading.Thread(target=lambda x=x: [x() for _ in range(20)]) for x in used]
        start = time.perf_counter()
        for t in workers:
            t.start()
        for t in workers:
            t.join()
        return len(used) * 20 * HANDS / (time.perf_counter() - start)

    seconds(loops[:1])
    two, one, ratio = paired(lambda: seconds(loops), lambda: seconds(loops[:1]), pairs=pairs)
    yield Row("two threads / one", f"{two / 1e6:.2f} / {one / 1e6:.2f} M hands/s = {ratio:.2f}", ">= 1.7", ratio >= 1.7)


STUDY = "import workbench as wb; print(wb.simulate(wb.load('omerta'), games=2000).games)"
REPLACED = """
import time, workbench as wb
omerta = wb.load("omerta")
wb.simulate(omerta, games=100)
@omerta.replace
def hero(p, s, seat):
    return 3 if s.played[seat] >= 0 else 0
start = time.perf_counter()
wb.simulate(hero, games=100)
print(time.perf_counter() - start)
"""
MEMORY = """
import resource, workbench as wb
wb.simulate(wb.load("omerta", play="hand"), games=1_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def processes():
    """What a designer waits for: fresh processes, with an empty and a filled cache."""
    with tempfile.TemporaryDirectory() as cache:
        cold, _ = fresh(STUDY, cache=cache)
        warm = min(fresh(STUDY, cache=cache)[0] for _ in range(3))
        replaced = min(float(fresh(REPLACED.replace("return 3", f"return {n}"), cache=cache)[1]) for n in (3, 4, 5))
    imported = min(fresh("import workbench")[0] for _ in range(3))
    yield Row("first simulate in a fresh process, empty cache", f"{cold:.1f} s", "< 5 s", cold < 5)
    yield Row("the same, warm cache", f"{warm:.2f} s", "< 1 s", warm < 1)
    yield Row("import workbench, whole process", f"{imported:.2f} s", "< 0.5 s", imported < 0.5)
    yield Row("a replaced rule: recompiled and simulated", f"{replaced:.1f} s", "< 3 s", replaced < 3)
    peak = float(fresh(MEMORY)[1])
    yield Row("peak memory of a study of 1,000,000 hands, whole process", f"{peak:.0f} MB", "< 500 MB", peak < 500)


def main() -> None:
    """Print the table."""
    quick = "--quick" in sys.argv
    pairs = 3 if quick else 11
    for part in (against_c(pairs), against_openspiel(0.5 if quick else 2.0), plain(pairs), threads(3 if quick else 5), processes()):
        for row in part:
            print(row, flush=True)


if __name__ == "__main__":
    main()

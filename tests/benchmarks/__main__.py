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
from tests.oracle.nyanbar import random_games
from tests.oracle.omerta import random_hands
from workbench.core.draft import Draft, load
from workbench.core.runner import run
from workbench.core.vocabulary import cards, count

HANDS = 16_384


class Loop:
    """One thread's compiled loop over games of a draft, its arrays made beforehand."""

    def __init__(self, draft: Draft, games: int = HANDS):
        self.draft, self.games = draft, games
        self.run_games = draft.compiled().run_games
        self.blank = draft.ruleset.schema.blank_record(draft.players)
        self.decisions = 0.0

    def __call__(self) -> float:
        """Games a second over one batch."""
        d, n, none = self.draft, self.games, self.blank[:0].copy()
        states, info = np.repeat(self.blank, n), np.zeros(n, d.info_dtype)
        w, view, row_info = np.zeros(1, d.workspace_dtype), np.repeat(self.blank, 1), np.zeros(0, d.row_dtype)
        start = time.perf_counter()
        self.run_games(d.record[0], w[0], none, 1, 0, n, d.players, 100_000, states, view, info, none, row_info)
        seconds = time.perf_counter() - start
        self.decisions = float(info["decisions"].mean())
        return n / seconds


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
    loops = {"Omerta": (Loop(load("omerta", play="hand")), ("spades", "oh_hell", "dou_dizhu"), 5),
             "Nyan-bar One": (Loop(load("nyanbar-one"), 2048), ("hearts",), 2)}
    for game, (loop, names, least) in loops.items():
        loop()
        found = openspiel_loop.measure(names, seconds=seconds)
        if not found:
            yield Row(f"{game} compiled / OpenSpiel's C++ loop", "open_spiel is not installed", f">= {least}")
            continue
        mine = float(np.median([loop() for _ in range(20)])) * loop.decisions
        for name, r in found.items():
            ratio = mine / r["decisions_per_s"]
            yield Row(f"decisions a second: {game} compiled / OpenSpiel {name}",
                      f"{mine / 1e6:.1f} / {r['decisions_per_s'] / 1e6:.1f} M = {ratio:.1f}", f">= {least}", ratio >= least)


def plain(pairs: int):
    """The plain engine, citing, beside hand-written classes of the same rules."""
    omerta, nyanbar = load("omerta", play="hand"), load("nyanbar-one")
    game = nyanbar.start(luck=1).state
    names, n = nyanbar.ruleset.pieces, nyanbar.players
    setting = dict(tribes=[names["tribe"].names[t] for t in game.tribe[:n]],
                   tiles=[(names["tile"].names[t], game.angle[i]) for i, t in enumerate(game.laid) if t >= 0],
                   deck=[names["card"].names[i] for i in cards(game.deck | sum(game.hand[:n]))], hand_size=count(game.hand[0]))

    def rate(f, games: int) -> float:
        start = time.perf_counter()
        f(games)
        return games / (time.perf_counter() - start)

    for name, draft, written, games in (("Omerta hands", omerta, lambda n: random_hands(n, 4, 1), 1000),
                                        ("Nyan-bar One games", nyanbar, lambda n: random_games(n, **setting), 60)):
        run(draft, games=20, engine="plain")
        mine, theirs, ratio = paired(lambda d=draft, k=games: rate(lambda n: run(d, games=n, engine="plain"), k),
                                     lambda f=written, k=games: rate(f, k), pairs=pairs)
        yield Row(f"{name}: plain engine with citing / hand-written Python class", f"{mine:,.0f} / {theirs:,.0f} a second = {ratio:.2f}",
                  ">= 0.33", ratio >= 0.33)


def large():
    """The largest game: decisions a second in both engines, one thread."""
    loop = Loop(load("maid-mafia"), 256)
    loop()
    compiled = float(np.median([loop() for _ in range(9)])) * loop.decisions
    draft = load("maid-mafia")
    run(draft, games=1, engine="plain")
    start = time.perf_counter()
    batch = run(draft, games=16, engine="plain")
    plain_rate = float(batch.info["decisions"].sum()) / (time.perf_counter() - start)
    yield Row("Maid Mafia compiled, random: decisions a second, one thread", f"{compiled / 1e6:.2f} M", ">= 0.4 M", compiled >= 0.4e6)
    yield Row("Maid Mafia, plain engine: decisions a second", f"{plain_rate:,.0f}", ">= 30,000", plain_rate >= 30_000)


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


STUDY = "import workbench as wb; print(wb.simulate(wb.load('{}'), games=2000).games)"
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
    for game, name, limits in (("omerta", "Omerta", (5, 1)), ("nyanbar-one", "Nyan-bar One", (15, 1.5)),
                               ("maid-mafia", "Maid Mafia", (40, 2))):
        with tempfile.TemporaryDirectory() as cache:
            cold, _ = fresh(STUDY.format(game), cache=cache)
            warm = min(fresh(STUDY.format(game), cache=cache)[0] for _ in range(3))
        yield Row(f"{name}: first simulate in a fresh process, empty cache", f"{cold:.1f} s", f"< {limits[0]} s", cold < limits[0])
        yield Row("the same, warm cache", f"{warm:.2f} s", f"< {limits[1]} s", warm < limits[1])
    with tempfile.TemporaryDirectory() as cache:
        replaced = min(float(fresh(REPLACED.replace("return 3", f"return {n}"), cache=cache)[1]) for n in (3, 4, 5))
    imported = min(fresh("import workbench")[0] for _ in range(3))
    yield Row("import workbench, whole process", f"{imported:.2f} s", "< 0.5 s", imported < 0.5)
    yield Row("a replaced rule: recompiled and simulated", f"{replaced:.1f} s", "< 3 s", replaced < 3)
    peak = float(fresh(MEMORY)[1])
    yield Row("peak memory of a study of 1,000,000 hands, whole process", f"{peak:.0f} MB", "< 500 MB", peak < 500)


def main() -> None:
    """Print the table."""
    quick = "--quick" in sys.argv
    pairs = 3 if quick else 11
    for part in (against_c(pairs), against_openspiel(0.5 if quick else 2.0), plain(pairs), large(), threads(3 if quick else 5), processes()):
        for row in part:
            print(row, flush=True)


if __name__ == "__main__":
    main()

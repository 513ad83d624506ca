"""Small tools of the benchmark: fresh processes, paired runs, and a table."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, the figure, what it should be, whether it is."""

    what: str
    figure: str
    target: str
    held: bool | None = None

    def __str__(self) -> str:
        mark = {True: "held", False: "MISSED", None: "–"}[self.held]
        return f"{self.what:<66} {self.figure:>26}   {self.target:<22} {mark}"


def fresh(code: str, *, cache: str | None = None) -> tuple[float, str]:
    """Seconds and output of a piece of Python in a new process, with its own cache of compiled code if given."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)} | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout.strip()


def paired(ours: Callable[[], float], theirs: Callable[[], float], *, pairs: int) -> tuple[float, float, float]:
    """Medians of two rates measured in turn, and the median of the ratios pair by pair."""
    rates = [(ours(), theirs()) for _ in range(pairs)]
    return (statistics.median(a for a, _ in rates), statistics.median(b for _, b in rates),
            statistics.median(a / b for a, b in rates))


def compiled_c(source: Path) -> Path | None:
    """The program made of a C file, or None where there is no compiler."""
    cc = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if cc is None:
        return None
    program = Path(tempfile.mkdtemp()) / source.stem
    subprocess.run([cc, "-std=c11", "-O3", "-o", str(program), str(source)], check=True)
    return program

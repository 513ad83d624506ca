"""Plays many games of a draft into one frame: in batches, on any executor, the same rows whatever plays them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

import numpy as np
import polars as pl

from workbench.analysis import columns as of
from workbench.analysis.replay import CUT, steps
from workbench.analysis.study import Study
from workbench.core.draft import Draft
from workbench.core.errors import OutOfRange, UnknownName
from workbench.core.language import say
from workbench.core.loops import deal_luck
from workbench.core.moves import MAX_LUCK
from workbench.core.runner import CAP, ENGINES, run, seated_bots
from workbench.core.vocabulary import CHANCE

FIRST_DEALS = 16
"""Deals in the first batch; the next ones grow as its speed allows."""
LARGEST = 32_768
"""Most games in a batch."""
SECONDS, ROWS = 0.25, 60_000
"""What a batch should take at most, and bring: so that a study can be stopped and stays small."""


def simulate(draft: Draft, games: int = 10_000, *, bots: str | tuple[str, ...] = "random", luck: int = 1, rows: str = "game",
             engine: str = "compiled", cap: int = CAP, executor: Executor | None = None, workers: int | None = None,
             progress: bool | Callable[[int, int], None] | None = None) -> Study:
    """Play many games and return one row for each game, or for each part of it.

    Game ``g`` belongs to deal ``g // players`` and sees it from seat turn ``g % players``: every deal is
    played once from each seat, and ``games`` is rounded up to whole deals. The same luck gives the same
    frame on one core, on many, and on any executor.

    Kinds of row (all begin with game, deal, turn, luck and end with draft, bots; ``study.columns`` explains each):

    - ``"game"``: decisions, capped, score_P0…, won_P0… (1/k when k seats share the win), and the columns that
      the ruleset lists in ``game.toml`` under ``[study] columns``, as the game left them.
    - a name from ``[study.rows]``, such as ``"hand"``: ``row`` (1, 2, … in the game) and the ruleset's columns,
      taken before each of the listed moves and, with ``and_end``, at the end of the game. A part of a game
      that was cut by ``cap`` gives no row.
    - ``"decision"``: step (1, 2, …), seat, kind and name of the move, options (how many were legal), forced.
    - ``"event"``: step (decisions made so far), rule, seat, n, points: what each rule did. Played on the plain
      engine, which cites its rules, so much slower.

    Args:
        draft: what to play. games: how many games.
        bots: one name for all seats, or a tuple with one for each seat (they turn with the seats).
        luck: the study's luck number, 0 to 2^48 - 1. rows: the kind of row.
        engine: "compiled", or "plain" (slower; takes rules that cannot be compiled).
        cap: decisions after which a game is cut; the study says how many were.
        executor: any ``concurrent.futures.Executor``: processes, or ``client.get_executor()`` of a Dask cluster.
            Threads when left out. workers: how many threads, or for an executor how many run at once.
        progress: a bar after half a second; False for none; a function is called with (games done, games in all).

    Returns:
        A :class:`Study`; ``study.frame`` is the Polars frame. Stopped by the keyboard, it keeps the whole
        batches it has, and says so.

    Raises:
        UnknownName: no such bot, kind of row or engine; lists them. OutOfRange: games, luck or cap.
        NotCompilable: a rule that the compiled engine cannot take.

    >>> import workbench as wb
    >>> study = simulate(wb.load("omerta"), games=400)
    >>> study.frame.height, study.deals
    (400, 100)
    """
    names, columns = seated_bots(draft, bots), of.columns_of(draft, rows)
    whole, luck, cap = _checked(draft, games, luck, cap, engine), int(luck), int(cap)
    stays = {"draft": f"{draft.label}@{draft.digest}", "bots": names[0] if len(set(names)) == 1 else ", ".join(names)}
    engine = "plain" if rows == "event" else engine
    at_once = workers or getattr(executor, "_max_workers", None) or (1 if engine == "plain" and executor is None else _cores())
    parts: list[tuple[int, int, pl.DataFrame]] = []
    waiting: dict[int, tuple[int, Future]] = {}
    pool = executor or ThreadPoolExecutor(at_once)
    asked = done = 0
    size, stopped = FIRST_DEALS * draft.players, False
    try:
        with _shown(progress, whole, draft) as show:
            while done < whole:
                # the first batch goes alone: it compiles, and tells how large the next ones can be
                while asked < whole and len(waiting) < (2 * at_once if done else 1):
                    n = min(size, whole - asked)
                    waiting[asked] = n, pool.submit(play, draft, asked, n, names, luck, rows, engine, cap)
                    asked += n
                n, future = waiting.pop(done)
                while not future.done():  # asked again and again, so that the keyboard can interrupt everywhere
                    wait((future,), timeout=0.2)
                    if not done and not callable(progress):
                        show(0, whole)  # a bar says that the rules are being compiled
                arrays, capped, seconds = future.result()
                parts.append((n, capped, of.frame(columns, arrays, **stays)))
                done += n
                size = _next_size(n, seconds, parts[-1][2].height, draft.players)
                show(done, whole)
    except KeyboardInterrupt:
        if not parts:
            raise
        stopped = True
    finally:
        for _, future in waiting.values():
            future.cancel()
        if executor is None:
            pool.shutdown(wait=False, cancel_futures=True)
    return Study(pl.concat([part for _, _, part in parts], rechunk=False), draft, bots=names, luck=luck, rows=rows,
                 games=sum(n for n, _, _ in parts), asked=games, capped=sum(k for _, k, _ in parts), cap=cap,
                 engine=engine, stopped=stopped)


def _checked(draft: Draft, games: int, luck: int, cap: int, engine: str) -> int:
    """The number of games in whole deals."""
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    for name, value, lo, hi in (("games", games, 1, 2**31), ("luck", luck, 0, MAX_LUCK), ("cap", cap, 1, 2**31 - 1)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not lo <= value <= hi:
            raise OutOfRange(say("study.range", name=name, value=value, lo=lo, hi=hi))
    return -(-games // draft.players) * draft.players


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _next_size(games: int, seconds: float, rows: int, players: int) -> int:
    """How many games the next batch gets, after one that took this long and brought so many rows."""
    room = min(4, SECONDS / max(seconds, 1e-4), ROWS / max(rows, 1)) * games
    return max(int(min(room, LARGEST)) // players, 1) * players


# ---------------------------------------------------------------- the task

def play(draft: Draft, first: int, games: int, bots: tuple[str, ...], luck: int, rows: str, engine: str,
         cap: int) -> tuple[dict[str, np.ndarray], int, float]:
    """Play one batch: (columns as plain arrays, games that were cut, seconds). The task that executors run."""
    began = time.perf_counter()
    if rows == "event":
        arrays, capped = _events(draft, first, games, bots, luck, cap)
    else:
        own = of.declared(draft.ruleset).rows.get(rows)
        kinds = own.before if own else [k.name for k in draft.ruleset.moves.kinds.values() if not k.chance]
        batch = run(draft, games=games, seed=luck, first=first, bots=bots, cap=cap, engine=engine,
                    kinds=() if rows == "game" else kinds)
        cut = batch.info["ended"] == 1
        capped = int(cut.sum())
        if rows == "game":
            arrays = {"game": np.arange(games)} | _game(draft, batch.info) | _state(draft, rows, batch.states)
        elif own:
            arrays = _parts(draft, rows, own, batch, np.flatnonzero(~cut))
        else:
            arrays = _decisions(draft, batch)
    return _origin(arrays, draft.players, first, luck), capped, time.perf_counter() - began


def _origin(arrays: dict[str, np.ndarray], players: int, first: int, luck: int) -> dict[str, np.ndarray]:
    """With game numbers of the whole study, and where each game's deal comes from."""
    game = arrays["game"].astype(np.uint64) + np.uint64(first)
    deal = game // np.uint64(players)
    return arrays | {"game": game, "deal": deal, "turn": game % np.uint64(players), "luck": deal_luck(luck, deal)}


def _game(draft: Draft, info: np.ndarray) -> dict[str, np.ndarray]:
    won = info["won"][:, : draft.players].astype(np.float32)
    won /= np.maximum(won.sum(axis=1, keepdims=True), 1)
    found = {"decisions": info["decisions"].copy(), "capped": info["ended"] == 1}
    found |= {f"score_{n}": info["score"][:, i].copy() for i, n in enumerate(draft.seat_names)}
    return found | {f"won_{n}": won[:, i].copy() for i, n in enumerate(draft.seat_names)}


def _state(draft: Draft, rows: str, records: np.ndarray) -> dict[str, np.ndarray]:
    return of.read_state(draft, of.columns_of(draft, rows), records)


def _nth(game: np.ndarray) -> np.ndarray:
    """1, 2, 3, … within each run of equal game numbers."""
    starts = np.flatnonzero(np.r_[True, game[1:] != game[:-1]]) if len(game) else np.zeros(0, int)
    return np.arange(1, len(game) + 1) - np.repeat(starts, np.diff(np.r_[starts, len(game)]))


def _parts(draft: Draft, rows: str, own: of.Rows, batch, whole: np.ndarray) -> dict[str, np.ndarray]:
    """The rows kept before the ruleset's moves, and the end of each game that was not cut."""
    game, records = batch.row_info["game"], batch.rows
    if own.skip_first:
        later = _nth(game) > 1
        game, records = game[later], records[later]
    if own.and_end:
        order = np.argsort(np.r_[game * 2, whole * 2 + 1], kind="stable")
        game, records = np.r_[game, whole][order], np.concatenate([records, batch.states[whole]])[order]
    return {"game": game, "row": _nth(game)} | _state(draft, rows, records)


def _decisions(draft: Draft, batch) -> dict[str, np.ndarray]:
    info = batch.row_info
    return {"game": info["game"].copy(), "step": _nth(info["game"]), "seat": info["seat"].copy(),
            "options": info["options"].copy(), "forced": info["options"] == 1} | of.read_moves(draft, info["move"])


def _events(draft: Draft, first: int, games: int, bots: tuple[str, ...], luck: int, cap: int) -> tuple[dict, int]:
    """What each rule did, and how many games were cut: played on the plain engine, which cites."""
    points = [bool(draft.ruleset.say.get("events", {}).get(id, {}).get("points")) for id in draft.ruleset.rule_ids]
    found: list[tuple[int, ...]] = []
    capped = 0
    for g in range(games):
        deal, turned = divmod(first + g, draft.players)
        step = 0
        for move in steps(draft, bots, deal_luck(luck, deal), turned, cap):
            step += move.who != CHANCE
            capped += move.code == CUT
            found += [(g, step, rule - 1, seat, n, n if points[rule] else 0) for rule, seat, n in move.cited]
    table = np.array(found, dtype=np.int64).reshape(-1, 6)
    return dict(zip(("game", "step", "rule", "seat", "n", "points"), table.T, strict=True)), capped


# ---------------------------------------------------------------- the progress bar


@contextmanager
def _shown(progress: bool | Callable[[int, int], None] | None, total: int, draft: Draft):
    """What is called with (done, total): the caller's own function, or a bar that shows after half a second."""
    if callable(progress):
        yield progress
        return
    if progress is False:
        yield lambda done, total: None
        return
    bar_type, there = _bar_type()
    with bar_type(total=total, desc=draft.label, unit=say("study.unit"), delay=0.5, leave=False,
                  disable=not (there or progress)) as bar:
        def show(done: int, total: int) -> None:
            bar.set_description(draft.label if done else say("study.compiling", draft=draft.label), refresh=False)
            bar.update(done - bar.n)

        yield show


def _bar_type() -> tuple[type, bool]:
    """The bar for where we are: a kernel with widgets, else a terminal; and whether anybody is there to see it."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    if shell is not None and hasattr(shell, "kernel"):
        try:
            import ipywidgets  # noqa: F401
            from tqdm.notebook import tqdm

            return tqdm, True
        except ImportError:
            pass
    from tqdm.std import tqdm

    return tqdm, shell is not None or sys.stderr.isatty()

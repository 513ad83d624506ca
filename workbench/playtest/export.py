"""Playtests as tables (Polars, CSV, JSON) and each game as a tree that opens at the designer's own table."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import WorkbenchError
from workbench.playtest.state import State
from workbench.playtest.store import Store
from workbench.playtest.table import PlayTable
from workbench.playtest.told import told
from workbench.ui.tree import MOVE
from workbench.ui.treefile import lines_of, write_whole

if TYPE_CHECKING:
    import polars

DECISIONS = ("table", "game", "ruleset", "draft", "digest", "players", "step", "seat", "kind", "bot", "person", "move", "seconds", "time")
MARKS = ("table", "game", "step", "node", "seat", "person", "mark", "text", "time")
ANSWERS = ("table", "game", "seat", "question", "text", "sent")
BOTH = "both"
"""A person and a bot decided at the seat in this game."""
GAMES = ("table", "game", "ruleset", "draft", "digest", "players", "luck", "status", "over", "seat", "kind", "person", "score", "won", "steps", "marks",
         "source", "length", "date", "minutes", "note")
"""A row a seat; ``steps``: decisions that led to where the game stands, counted as a simulation counts them (chance moves are none)."""
COLUMNS = {"decisions": DECISIONS, "marks": MARKS, "answers": ANSWERS, "games": GAMES}


def rows(store: Store, *, names: bool = False) -> tuple[dict[str, list[dict]], list[PlayTable], dict[str, str]]:
    """The rows of each table of :data:`COLUMNS`, the tables they came from, and those that cannot be replayed, with the reason.

    Args:
        names: persons by name; else by number only.
    """
    found: dict[str, list[dict]] = {n: [] for n in COLUMNS}
    tables, faults = [], {}
    for id, _, head in store.tables():
        try:
            t = PlayTable(store, id, head)
        except WorkbenchError as e:
            faults[id] = str(e)
            continue
        tables.append(t)
        for name, lines in table_rows(t, names=names).items():
            found[name] += lines
    return found, tables, faults


def table_rows(t: PlayTable, *, names: bool = False) -> dict[str, list[dict]]:
    """The rows of one table; ``digest`` is that of the draft when the table was opened, also where its rules were changed since."""
    found: dict[str, list[dict]] = {n: [] for n in COLUMNS}
    with t.lock:
        st, d = t.state, t.state.draft

        def person(number: int | None) -> str | int | None:
            return (t.people.get(number) or number) if names and number is not None else number

        about = {"table": t.id, "ruleset": d.ruleset.name, "draft": d.label, "digest": t.head["digest"], "players": d.players}
        for x in st.decisions:
            found["decisions"].append({**about, "game": x.game, "step": x.depth, "seat": x.seat, "kind": x.kind, "bot": x.bot, "person": person(x.person),
                                       "move": x.move, "seconds": round(x.seconds, 3), "time": x.time})
        for m in st.marks:
            found["marks"].append({**about, "game": m.game, "step": m.depth, "node": m.node, "seat": m.seat, "person": person(m.person),
                                   "mark": m.kind, "text": m.text, "time": m.time})
        for (game, seat, question), text in st.answers.items():
            found["answers"].append({**about, "game": game, "seat": seat, "question": question, "text": text, "sent": (game, seat) in st.sent})
        if st.paper is not None:
            for seat, s in st.seats.items():
                found["games"].append({**about, "game": 1, "luck": None, "status": st.status, "over": True, "seat": seat, "kind": s.kind, "person": person(s.person),
                                       "score": st.paper.scores[seat], "won": seat in st.paper.won, "steps": None, "marks": 0, "source": "paper",
                                       "length": st.paper.length, "date": st.paper.date, "minutes": st.paper.minutes, "note": st.paper.note})
        for g in st.games if st.paper is None else ():
            p = g.here.position
            steps = sum(n.how == MOVE for n in g.tree.line(g.here))
            for seat, (kind, number) in _sat(st, g.number).items():
                found["games"].append({**about, "game": g.number, "luck": str(g.luck), "status": st.status if g is st.game else "ended", "over": p.over,
                                       "seat": seat, "kind": kind, "person": person(number), "score": p.score[seat], "won": seat in p.winners,
                                       "steps": steps, "marks": sum(m.game == g.number for m in st.marks), "source": "table",
                                       "length": None, "date": None, "minutes": None, "note": None})
    return {n: [{c: r[c] for c in COLUMNS[n]} for r in found[n]] for n in COLUMNS}


def _sat(st: State, game: int) -> dict[str, tuple[str, int | None]]:
    """Who sat where in a game: who decided there (:data:`BOTH`, where a seat was handed over), else who sits there now."""
    kinds: dict[str, set[str]] = {}
    persons: dict[str, int] = {}
    for d in st.decisions:
        if d.game == game:
            kinds.setdefault(d.seat, set()).add(d.kind)
            if d.person is not None:
                persons[d.seat] = d.person
    return {n: (s.kind, s.person) if n not in kinds else (BOTH if len(kinds[n]) > 1 else min(kinds[n]), persons.get(n)) for n, s in st.seats.items()}


def frames(store: Store, *, names: bool = False) -> dict[str, polars.DataFrame]:
    """Decisions, marks, answers and games as Polars frames."""
    return framed(rows(store, names=names)[0])


def framed(found: dict[str, list[dict]]) -> dict[str, polars.DataFrame]:
    """The rows as frames."""
    import polars

    return {n: polars.DataFrame(r, schema=list(COLUMNS[n]) if not r else None, infer_schema_length=None) for n, r in found.items()}


def export(store: Store, folder: Path, *, names: bool = False) -> list[Path]:
    """Write everything into a folder: a CSV a table, one JSON file, and each game played here as a tree for ``wb.play`` with marks and thinking times."""
    found, tables, faults = rows(store, names=names)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, lines in found.items():
        files.append(folder / f"{name}.csv")
        with files[-1].open("w", encoding="utf-8-sig", newline="") as f:
            out = csv.DictWriter(f, COLUMNS[name])
            out.writeheader()
            out.writerows({c: _cell(v) for c, v in r.items()} for r in lines)
    files.append(folder / "playtests.json")
    files[-1].write_text(json.dumps({**found, "faults": faults}, ensure_ascii=False, indent=1), "utf-8")
    for t in tables:
        for g in t.state.games if t.state.paper is None else ():
            files.append(write_whole(folder / f"table-{t.id}-game{g.number}.jsonl", lines_of(*told(t, g))))
    return files


def _cell(value: object) -> object:
    """What a spreadsheet would run as a formula is text."""
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value

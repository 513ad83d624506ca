"""A position as one seat may see it, as plain JSON: zones with pieces, whose turn and why, moves, refusals, log, scores.

Everything shown comes from what the core has redacted (``fields_seen``), so nothing can leak by drawing.
Click targets are words such as ``card:A5``, ``seat:P2``, ``area:7``: a move lists those of its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from workbench.core.errors import UnknownName
from workbench.core.hidden import fields_seen, log_name
from workbench.core.language import language, pick, say
from workbench.core.vocabulary import CHANCE, NONE
from workbench.ui.contents import zone_views
from workbench.ui.words import changed_fields, spelled

if TYPE_CHECKING:
    from workbench.core.moves import Kind
    from workbench.core.position import Position
    from workbench.ui.tree import Node

DESIGNER, SPECTATOR = "designer", "-"
LOG_LINES = 60
MOST = 2**53
LEAVES = frozenset((str, bool, type(None)))
"""What is plain as it is; the most frequent, so they are looked at first."""
ASKED = ("hand", "grid", "board", "stack")
"""Kinds of zone whose pieces and places say why they cannot be chosen; what lies in a row or pile has been played."""


@dataclass(frozen=True)
class SeatView:
    """What one seat (or "designer", or "-" for a spectator) may see; ``data`` is plain JSON."""

    seat: str
    lang: str
    data: dict

    def __getitem__(self, key: str) -> object:
        return self.data[key]


def view_of(position: Position, seat: str = DESIGNER, lang: str | None = None, *, log: list[dict] | None = None,
            asked: Mapping[str, Position] | None = None, extra: dict | None = None) -> SeatView:
    """The view of a position.

    Args:
        seat: a seat's name, "designer" (sees everything) or "-" (a spectator).
        log: entries of :func:`log_of`, when the caller keeps a tree. asked: the seats that decide now, each with the position in which it
            does; left out: the designer, and the seat to move, in this one. extra: more plain data to carry.

    Raises:
        UnknownName: no such seat.
    """
    lang, draft = lang or language(), position.draft
    if seat not in (DESIGNER, SPECTATOR, *draft.seat_names):
        raise UnknownName("seat", str(seat), [DESIGNER, SPECTATOR, *draft.seat_names])
    fields = position.fields() if seat == DESIGNER else fields_seen(position, None if seat == SPECTATOR else seat)
    zones = zone_views(draft, fields, seat, lang)
    at = asked.get(seat) if asked is not None else position if seat in (DESIGNER, position.to_move) else None
    moves = moves_of(at, lang) if at is not None else []
    if log is None:
        log = [_plain_entry(p, seat, lang) for p in position.history[-LOG_LINES:]]
    scores = known_scores(position, seat)
    for z in zones:
        if z["kind"] == "scores":
            for row in z["rows"]:
                row["values"].insert(0, scores[row["seat"]])
    data = {
        "seat": seat, "lang": lang, "game": pick(draft.ruleset.game["title"], lang), "draft": draft.label, "poked": position.poked,
        "to_move": position.to_move, "over": position.over, "forced": at is not None and at.forced, "why": why(position, lang),
        "seats": [{"name": n, "n": i, "score": scores[n], "turn": n == position.to_move, "mine": n == seat,
                   "won": position.over and n in position.winners} for i, n in enumerate(draft.seat_names)],
        "zones": zones, "moves": moves, "refused": refused(at, zones, moves, lang) if at is not None else {},
        "events": [_event(e, lang) for e in position.events],
        "rules": {},
    }
    data["rules"] = {id: draft.rule(id, lang) for id in _rule_ids(data, log)}
    return SeatView(seat, lang, plain({**data, **(extra or {})}) | {"log": log, "say": _phrases(lang)})  # type: ignore[operator]


PHRASES = ("log", "moves", "rule", "refused", "forced", "pick", "earlier", "your_turn", "nothing", "hidden", "won", "poked", "table", "score")


@cache
def _phrases(lang: str) -> dict[str, str]:
    return {k: say(f"ui.table.{k}", lang) for k in PHRASES}


def plain(v: object) -> object:
    """The one conversion at the border: text, whole numbers below 2^53, lists, tables with text keys.

    Raises:
        TypeError, ValueError: anything else, so that it fails here and not in a browser.
    """
    sort = type(v)
    if sort in LEAVES:
        return v
    if sort is int:
        if not -MOST < v < MOST:  # type: ignore[operator]
            raise ValueError(f"{v} is too large for a browser")
        return v
    if isinstance(v, dict):
        return {k if type(k) is str else str(k): x if type(x) in LEAVES else plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [x if type(x) in LEAVES else plain(x) for x in v]
    if isinstance(v, float):
        if v != v or abs(v) == float("inf"):
            raise ValueError(f"{v} is no JSON")
        return float(v)
    if hasattr(v, "__index__") and type(v).__module__ in ("builtins", "numpy"):
        if abs(int(v)) >= MOST:  # type: ignore[call-overload]
            raise ValueError(f"{v} is too large for a browser")
        return int(v)  # type: ignore[call-overload]
    raise TypeError(f"{type(v).__name__} is no plain data")


# ---------------------------------------------------------------- moves


def why(position: Position, lang: str) -> str:
    """Whose turn it is and for what, in words."""
    who = position.to_move
    if who == "over":
        won = position.winners
        return say("ui.table.over", lang, who=", ".join(won)) if won else say("ui.table.over_nobody", lang)
    what = " / ".join(dict.fromkeys(pick(k.title, lang) for k in position._kinds_now()))
    return say("ui.table.turn", lang, who=say("mover.chance", lang) if who == "chance" else who, what=what)


def sentence(position: Position, code: int, who: str, lang: str) -> str:
    """A move as a sentence: "P0 plays A5."."""
    kind, args = position.draft.ruleset.moves.of(code)
    values = [str(args[0])] if kind.luck else [spelled(position.draft, k, a, lang) for k, a in zip(kind.args, args, strict=True)]
    return pick(kind.sentence, lang).format(*values, seat=say("mover.chance", lang) if who == "chance" else who)


def targets(kind: Kind, args: tuple[int, ...]) -> list[str]:
    """The click targets of a move's arguments."""
    return [] if kind.luck else [f"{k}:{v[a]}" for k, v, a in zip(kind.args, kind.values, args, strict=True)]


def moves_of(position: Position, lang: str) -> list[dict]:
    """Each legal move: name to type, title of its kind, sentence, rule, click targets; one with luck has ``luck``."""
    moves, who, found = position.draft.ruleset.moves, position.to_move, []
    for kind in position._kinds_now():
        if kind.luck and who == "chance":
            found.append({"name": kind.name, "title": pick(kind.title, lang), "text": pick(kind.sentence, lang),
                          "rule": kind.rule, "targets": [], "luck": True, "secret": False})
    for code in position.legal:
        kind, args = moves.of(code)
        found.append({"name": moves.name(code), "title": pick(kind.title, lang), "text": sentence(position, code, who, lang),
                      "rule": kind.rule, "targets": targets(kind, args), "luck": False, "secret": kind.secret})
    return found


def refused(position: Position, zones: list[dict], moves: list[dict], lang: str) -> dict[str, dict]:
    """For pieces and places that the seat to move might click and may not: the move, the rule and the reason."""
    legal = {t for m in moves for t in m["targets"]}
    if position._who < 0:
        return {}
    mine = [t for z in zones if z["kind"] in ASKED and z["seat"] in (None, position.to_move) for t in z["targets"]]
    found: dict[str, dict] = {}
    for kind in position._kinds_now():
        if kind.chance or len(kind.args) != 1:
            continue
        names = {f"{kind.args[0]}:{v}": i for i, v in enumerate(kind.values[0])}
        for t in mine:
            if t in names and t not in legal and t not in found:
                no = position.why_not(kind.code(names[t]))
                if no is not None:
                    found[t] = {"move": no.move, "rule": no.rule, "text": no.ja if lang == "ja" else no.en}
    return found


# ---------------------------------------------------------------- log and scores


def log_of(node: Node, seat: str, lang: str) -> list[tuple[Node, dict]]:
    """The last lines of the log that leads to a node of a tree, each with its node; each line is made once and kept there."""
    path, n = [], node
    while n is not None and len(path) < LOG_LINES:
        if (seat, lang) not in n.entries:
            n.entries[seat, lang] = _plain_entry(n.position, seat, lang, n.depth)
        path.append((n, n.entries[seat, lang]))
        n = n.parent  # type: ignore[assignment]
    return path[::-1]


def _plain_entry(p: Position, seat: str, lang: str, n: int | None = None) -> dict:
    return plain(log_entry(p, seat, lang, n))  # type: ignore[return-value]


def log_entry(p: Position, seat: str, lang: str, n: int | None = None) -> dict:
    """What led to a position, for this seat: who, the move's name as it may be read, and sentences with rule ids."""
    own = [_event(e, lang) for e in p.own_events]
    n = len(p.history) - 1 if n is None else n
    if p.previous is None:
        return {"n": n, "seat": "", "move": say("ui.table.poked" if p.poked else "ui.table.start", lang), "lines": own, "poked": p.poked}
    if p.code is None:
        return {"n": n, "seat": "", "move": "", "lines": [{"text": x, "rule": None, "points": 0} for x in _edited(p, seat, lang)], "poked": True}
    who, by = p.previous.to_move, p.previous._who
    kind, _ = p.draft.ruleset.moves.of(p.code)
    if seat == DESIGNER:
        name, open_to = p.draft.ruleset.moves.name(p.code), True
    else:
        viewer = NONE if seat == SPECTATOR else p.seat_index(seat)
        name = log_name(p, p.code, by, viewer)
        open_to = not (kind.luck or kind.secret and by != viewer)
    if not own:
        text = sentence(p.previous, p.code, who, lang) if open_to else f"{who}: {pick(kind.title, lang)}"
        own = [{"text": text, "rule": kind.rule, "points": 0}]
    return {"n": n, "seat": say("mover.chance", lang) if by == CHANCE else who, "move": name, "lines": own, "poked": False}


def _edited(p: Position, seat: str, lang: str) -> list[str]:
    before = p.previous
    head = [say("ui.table.under", lang, draft=p.draft.label)] if before.draft != p.draft else [say("ui.table.edited", lang)]  # type: ignore[union-attr]
    # what was changed may be a secret: only the designer reads it
    return head + (changed_fields(before, p, lang) if seat == DESIGNER else [])  # type: ignore[arg-type]


def _event(e, lang: str) -> dict:
    return {"text": e.sentence(lang), "rule": e.rule, "points": e.points}


def _rule_ids(data: dict, log: list[dict]) -> list[str]:
    ids = [x["rule"] for e in log for x in e["lines"]] + [x["rule"] for x in data["events"]]
    ids += [m["rule"] for m in data["moves"]] + [r["rule"] for r in data["refused"].values()]
    return sorted({i for i in ids if i})


def known_scores(position: Position, seat: str) -> dict[str, int | str]:
    """Each seat's score as far as the viewer can know it; "?" where it depends on numbers that are hidden from it."""
    if seat == DESIGNER or position.over:
        return dict(position.score)
    draft, engine = position.draft, position.draft.plain
    who = NONE if seat == SPECTATOR else position.seat_index(seat)
    seen: list[list] = []
    for high in (False, True):
        s = position.state
        if high:  # hidden numbers at their other end: a score that moves with them is not known
            _raise_hidden(position, s, who)
        else:
            engine.redact(draft.p, s, who)
        seen.append([_score(engine, draft.p, s, i) for i in range(draft.players)])
    return {n: a if a == b and a is not None else "?" for n, a, b in zip(draft.seat_names, *seen, strict=True)}


def _score(engine, p: object, s: object, i: int) -> int | None:
    try:
        return int(engine.score(p, s, i))
    except (IndexError, ValueError, TypeError):  # it needs a piece that is hidden
        return None


def _raise_hidden(position: Position, s: object, who: int) -> None:
    from workbench.core.hidden import may_see

    position.draft.plain.redact(position.draft.p, s, who)
    schema = position.draft.ruleset.schema
    for f in schema.fields.values():
        if f.sort != "number":
            continue
        value = getattr(s, f.name)
        if not f.shape:
            if not may_see(position.draft, f, who, None):
                setattr(s, f.name, f.declared.hi)
        elif any(not may_see(position.draft, f, who, i) for i in range(f.shape[0])):
            owned = f.axes[0] == schema.seat_names
            for i in range(f.shape[0]):
                if not may_see(position.draft, f, who, i if owned else None):
                    value[i] = _filled(value[i], f.declared.hi)


def _filled(value: object, with_: int) -> object:
    return [_filled(v, with_) for v in value] if isinstance(value, list) else with_

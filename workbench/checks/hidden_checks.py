"""Checks of hidden information: no view leaks, resampling agrees with what was seen, bots do not peek."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.checks.walks import Sample
from workbench.core.errors import WorkbenchError
from workbench.core.hidden import Seen, _hidden_slots
from workbench.core.language import say
from workbench.core.loops import copy_state
from workbench.core.position import Position
from workbench.core.vocabulary import NONE, mix


def _viewers(position: Position) -> tuple[str | None, ...]:
    return (*position.draft.seat_names, None)


def _others(position: Position, seat: str | None, n: int) -> list[Position]:
    """Positions that the seat cannot tell from this one; none where ``resample`` finds none (which it reports)."""
    try:
        return [position.resample(seat, mix(11, i)) for i in range(n)]
    except WorkbenchError:
        return []


def _view(seen: Seen) -> dict:
    """What a seat sees now: without the log and the events, which a resampled position does not have."""
    return {k: v for k, v in seen.to_dict().items() if k not in ("log", "events")}


def _first_difference(a: object, b: object, path: str = "") -> str:
    if isinstance(a, dict) and isinstance(b, dict):
        for k in a:
            if a[k] != b.get(k):
                return _first_difference(a[k], b.get(k), f"{path}[{k}]" if path else str(k))
    return f"{path}: {a} / {b}"


def redaction(sample: Sample) -> Iterator[str]:
    """Two positions that differ only in what a seat may not know look the same to it, and so does what follows."""
    for position in sample.positions(5):
        for seat in _viewers(position):
            mine, record = _view(position.seen_by(seat)), _redacted(position, seat)
            for other in _others(position, seat, 2):
                theirs = _view(other.seen_by(seat))
                if theirs != mine:
                    yield say("check.leak", seat=seat or "-", what=_first_difference(mine, theirs)) + sample.where(position) + f"\n  {other}"
                if _redacted(other, seat) != record:
                    yield say("check.leak_bot", seat=seat or "-") + sample.where(position) + f"\n  {other}"
                yield from _next_move(sample, position, other, seat)
        yield from _secrets(sample, position)


def _redacted(position: Position, seat: str | None) -> bytes:
    """What a bot of this seat is given, as bytes."""
    d, s = position.draft, position.state
    view = d.ruleset.schema.blank(d.players)
    copy_state(view, s)
    d.plain.redact(d.p, view, NONE if seat is None else position.seat_index(seat))
    return d.ruleset.schema.freeze(view)


def _next_move(sample: Sample, position: Position, other: Position, seat: str | None) -> Iterator[str]:
    """A move that is open in both positions must look the same after it, unless it shows the seat a piece."""
    if position.to_move in ("over", "chance") or other.to_move != position.to_move:
        return
    moves = sample.draft.ruleset.moves
    both = [c for c in position.legal if c in other.legal]
    for code in both[:: max(1, len(both) // 2)]:
        if moves.of(code)[0].secret and seat != position.to_move:
            continue
        a, b = (_alone(p)._step(code) for p in (position, other))
        if _shown(position, a, seat) - _named(position, code) or _shown(other, b, seat) - _named(other, code):
            continue  # a piece came to light, and with it what depends on it
        sa, sb = a.seen_by(seat).to_dict(), b.seen_by(seat).to_dict()
        # whose turn comes next is in the view; the moves are only where it is this seat's
        if sa != sb:
            yield (say("check.leak_move", seat=seat or "-", move=moves.name(code), what=_first_difference(sa, sb))
                   + sample.where(position) + f"\n  {other}")


def _secrets(sample: Sample, position: Position) -> Iterator[str]:
    """Two different secret choices look the same to everybody else: state, log and events."""
    moves = sample.draft.ruleset.moves
    secret = [c for c in position.legal if moves.of(c)[0].secret]
    if len(secret) < 2 or position.to_move in ("over", "chance"):
        return
    chosen = [secret[0], secret[len(secret) // 2], secret[-1]]
    start = _alone(position)
    after = [start._step(c) for c in dict.fromkeys(chosen)]
    for seat in _viewers(position):
        if seat == position.to_move or any(_uncovered(position, p, seat) for p in after):
            continue
        views = [p.seen_by(seat).to_dict() for p in after]
        for view, p in zip(views[1:], after[1:], strict=True):
            if view != views[0]:
                yield (say("check.leak_secret", seat=seat or "-", a=moves.name(after[0].code), b=moves.name(p.code),
                           what=_first_difference(views[0], view)) + sample.where(position))


def _uncovered(before: Position, after: Position, seat: str | None) -> bool:
    """Whether a secret choice came to light at once, as the last of several simultaneous ones does."""
    kind, args = before.draft.ruleset.moves.of(after.code)
    pieces = [k for k in kind.args if k in before.draft.ruleset.pieces]
    return after.phase != before.phase and (not pieces or bool(_shown(before, after, seat)))


def _alone(position: Position) -> Position:
    """The position without its past, whose log another one does not share."""
    return Position(position.draft, position.data, luck=None, turned=position.turned, chances=position.chances)


def _hidden(position: Position, seat: str | None) -> set[tuple[str, int]]:
    """The pieces whose place the seat does not know."""
    who = NONE if seat is None else position.seat_index(seat)
    return {(k, c) for k in position.draft.ruleset.pieces
            for slot in _hidden_slots(position.draft, position.state, who, k) for c in slot.held}


def _shown(before: Position, after: Position, seat: str | None) -> set[tuple[str, int]]:
    """The pieces that a move has brought to the seat's knowledge."""
    return _hidden(before, seat) - _hidden(after, seat)


def _named(position: Position, code: int) -> set[tuple[str, int]]:
    kind, args = position.draft.ruleset.moves.of(code)
    return set(zip(kind.args, args, strict=False))


def resample(sample: Sample) -> Iterator[str]:
    """A resampled position is sound, looks to the seat as the real one does, and is not always the same."""
    could, varied = {}, set()
    for position in sample.positions(5):
        if not sample.sound(position):
            continue
        for seat in _viewers(position):
            mine = _view(position.seen_by(seat))
            for i in range(3):
                other = position.resample(seat, mix(23, i))
                faults = sample.faults(other.state)
                if faults:
                    yield say("check.resample_sound", seat=seat or "-") + f" {faults}" + sample.where(position)
                if _view(other.seen_by(seat)) != mine:
                    yield say("check.resample", seat=seat or "-", what=_first_difference(mine, _view(other.seen_by(seat)))) + sample.where(position)
                if i == 0 and position.resample(seat, mix(23, i)) != other:
                    yield say("check.resample_luck", seat=seat or "-") + sample.where(position)
                if other.data != position.data:
                    varied.add(seat)
            if _can_vary(position, seat):
                could.setdefault(seat, position)
    for seat, position in could.items():
        if seat not in varied:
            yield say("check.resample_same", seat=seat or "-") + sample.where(position)


def _can_vary(position: Position, seat: str | None) -> bool:
    """Whether pieces of one kind lie hidden in two places, so that more than one deal is possible."""
    who = NONE if seat is None else position.seat_index(seat)
    return any(len(list(_hidden_slots(position.draft, position.state, who, k))) > 1 for k in position.draft.ruleset.pieces)


def bots(sample: Sample) -> Iterator[str]:
    """A bot's choice depends on nothing that its seat cannot see, is legal, and leaves the position alone."""
    d = sample.draft
    for number, name in enumerate(d.ruleset.bots, 1):
        for position in sample.positions(12):
            if position.to_move in ("over", "chance") or len(position.legal) < 2:
                continue
            seat = position.to_move
            for k in range(2):
                chosen = _choice(sample, position, number, mix(31, k))
                if chosen not in position.legal:
                    yield say("check.bot_illegal", seat=name, code=chosen) + sample.where(position)
                    break
                for other in _others(position, seat, 4):
                    met = _choice(sample, other, number, mix(31, k))
                    if met != chosen:
                        a, b = (d.ruleset.moves.name(c) for c in (chosen, met))
                        yield say("check.bot_peeks", bot=name, a=a, b=b) + sample.where(position) + f"\n  {other}"


def _choice(sample: Sample, position: Position, number: int, luck: int) -> int:
    d, s = sample.draft, position.state
    who, w = position.seat_index(position.to_move), d.workspace()
    n = d.plain.legal(d.p, s, w)
    before = d.ruleset.schema.freeze(s)
    code = d.plain.choose(number, d.p, s, d.ruleset.schema.blank(d.players), who, w, n, luck)
    if d.ruleset.schema.freeze(s) != before:
        raise WorkbenchError(say("check.bot_writes") + sample.where(position))
    return code

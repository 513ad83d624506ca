"""Secret choices that all make at the same time, found in any ruleset without asking it.

The rules ask one seat after another. Where every kind of move of the phase is secret, each seat decides once, and what one
may choose does not depend on what the others chose, nobody can tell the difference: so each may choose as soon as it likes.
"""

from __future__ import annotations

from workbench.core.position import Position


def together(position: Position) -> dict[str, Position]:
    """The seats that may choose now, each with the position in which the rules would ask it; empty: one after another.

    Hidden fields of those positions hold made-up choices of the seats before: show nothing of them but the legal moves.
    """
    if position._who < 0 or not all(k.secret and not k.chance for k in position._kinds_now()):
        return {}
    a, b = _asked(position, 0), _asked(position, -1)
    if list(a) != list(b) or len(a) < 2 or any(a[seat].legal != b[seat].legal for seat in a):
        return {}
    return a


def _asked(position: Position, which: int) -> dict[str, Position]:
    """Each seat with the position that asks it, when all before choose their first (or last) legal move; empty when one is asked twice."""
    found: dict[str, Position] = {}
    p, phase = position, position.phase
    while p._who >= 0 and p.phase == phase:
        if p.to_move in found:
            return {}
        found[p.to_move] = p
        p = p._step(p.legal[which])
    return found

"""What is usual in a draft, seen in games played at random: so that an edited position can be called unusual, never forbidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.core.language import say
from workbench.core.runner import run
from workbench.core.schema import walk
from workbench.core.vocabulary import count
from workbench.ui.words import meaning

if TYPE_CHECKING:
    from workbench.core.draft import Draft
    from workbench.core.position import Position

GAMES, SLICE, CAP = 40, 4, 2_000
_known: dict[str, dict[str, tuple[int, int]]] = {}


def usual(draft: Draft) -> dict[str, tuple[int, int]]:
    """Least and most of each field (how many pieces, or the number) before any decision of some random games; kept by digest."""
    found = _known.get(draft.digest)
    if found is None:
        kinds = list(draft.ruleset.moves.kinds)
        parts: list[np.ndarray] = []
        for first in range(0, GAMES, SLICE):
            # in slices, so that a table that is played at waits a moment only
            batch = run(draft, games=SLICE, first=first, engine="plain", cap=CAP, kinds=kinds)
            parts += [batch.rows, batch.states]
        rows = np.concatenate(parts)
        found = {}
        for f in draft.ruleset.schema.fields.values():
            values = rows[f.name][:, : draft.players] if f.shape and f.axes[0] == draft.ruleset.schema.seat_names else rows[f.name]
            if f.sort == "many":
                values = np.bitwise_count(values)
            if f.sort in ("many", "number") and f.name not in ("phase", "players") and not f.declared.derived:
                found[f.name] = int(values.min()), int(values.max())
        while len(_known) > 50:
            _known.pop(next(iter(_known)))
        _known[draft.digest] = found
    return found


def unusual(position: Position, lang: str) -> list[str]:
    """A note for each field that goes beyond what those games met."""
    draft, s = position.draft, position.state
    notes = []
    for name, (lo, hi) in usual(draft).items():
        f = draft.ruleset.schema.fields[name]
        seated = f.shape and f.axes[0] == draft.ruleset.schema.seat_names
        value = getattr(s, name)
        for where, v in walk(f, value):
            if seated and where.split("[")[1].rstrip("]").split("]")[0] not in draft.seat_names:
                continue
            n = count(v) if f.sort == "many" else v
            if not lo <= n <= hi:
                place = " ".join((meaning(draft, name, lang), *where.replace("]", "").split("[")[1:]))
                notes.append(say("ui.poke.unusual", lang, where=place, n=n, lo=lo, hi=hi, games=GAMES))
    return notes

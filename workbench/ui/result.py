"""What a session answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """What came of a request: ``ok``, what kind of answer ("done", "stale", "refused", "unknown", …), in words, the rule."""

    ok: bool
    kind: str
    text: str = ""
    rule: str | None = None
    faults: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

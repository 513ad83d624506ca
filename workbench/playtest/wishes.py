"""What a table wants to write into its log."""

from __future__ import annotations

from workbench.ui.result import Result

DONE = Result(True, "done")

Wish = tuple[str, str, dict, int | None, str | None]
"""What is to be written: what, seat, data, person, name of a new person."""


def wish(what: str, seat: str, data: dict | None = None, *, person: int | None = None, name: str | None = None) -> Wish:
    """Something to be written."""
    return what, seat, data or {}, person, name

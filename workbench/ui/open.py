"""``wb.play``: the live table in a notebook cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.draft import Draft
from workbench.core.position import Position
from workbench.ui.session import Session
from workbench.ui.treefile import is_tree, open_tree

if TYPE_CHECKING:
    from workbench.ui.lab import LabBench


def play(start: Draft | Position | str | Path, *, luck: int | None = 1, seat: str = "designer", lang: str | None = None,
         autosave: bool | str | Path = True) -> LabBench:
    """Open a live table: step, poke, branch, let bots play, see what follows.

    Args:
        start: a draft (a new game), a position (with the game that led to it), or the path of a saved tree or game.
        luck: the luck number of a new game; None: you choose it at the table. seat: look as "designer" or as a seat.
        lang: "en" or "ja"; can be switched at the table.
        autosave: keep the tree in a file of the folder ``workbench-saves``; a path says where, False: do not.

    Raises:
        DamagedFile: a file that cannot be opened; says line and reason.
    """
    from workbench.ui.lab import LabBench

    return LabBench(session_of(start, luck=luck, seat=seat, lang=lang), autosave=autosave)


def session_of(start: Draft | Position | str | Path, *, luck: int | None = 1, seat: str = "designer", lang: str | None = None) -> Session:
    """A session on a draft, a position or a file."""
    if isinstance(start, (str, Path)):
        if is_tree(start):
            return Session(open_tree(start), seat=seat, lang=lang)
        from workbench.core.saved import replay

        start = replay(start)
    return Session(start, luck=luck, seat=seat, lang=lang)

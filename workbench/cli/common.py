"""What several commands share: options for playing, drafts from text, files that are replaced whole."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import WorkbenchError
from workbench.core.language import say

if TYPE_CHECKING:
    from workbench.core.draft import Draft


def play_options(p: argparse.ArgumentParser) -> None:
    """The options of a command that plays many games."""
    p.add_argument("--players", type=int, metavar="N", help=say("cli.option.players"))
    p.add_argument("--games", type=int, default=10_000, metavar="N", help=say("cli.option.games"))
    p.add_argument("--luck", type=int, default=1, metavar="N", help=say("cli.option.luck"))
    p.add_argument("--engine", default="compiled", metavar="plain|compiled", help=say("cli.option.engine"))
    p.add_argument("--workers", type=int, metavar="N", help=say("cli.option.workers"))
    p.add_argument("--json", action="store_true", help=say("cli.option.json"))


def draft_of(ruleset: str, text: str | None, players: int | None, changes: Iterable[str] = ()) -> Draft:
    """The draft that a text such as ``proposed`` or ``draft6[hero_points=3,base=flat]`` names.

    Args:
        text: None or no name before the bracket: the ruleset's default draft. changes: further ``name=value``.

    Raises:
        WorkbenchError: not of this form, or no such draft, number or reading.

    >>> draft_of("omerta", "draft6[hero_points=3]", None).label
    'draft6[hero_points=3]'
    """
    from workbench.core.draft import load

    m = re.fullmatch(r"([^\[\]]*)(?:\[([^\[\]]*)\])?", (text or "").strip())
    if m is None:
        raise WorkbenchError(say("cli.draft", met=text))
    draft = load(ruleset, m[1].strip() or None, players=players)
    values = {}
    for part in [*filter(None, (m[2] or "").split(",")), *changes]:
        name, sep, value = (x.strip() for x in part.partition("="))
        if not sep:
            raise WorkbenchError(say("cli.set", met=part))
        values[name] = draft.ruleset.parameters[name].parse(value)
    return draft.vary(**values) if values else draft


def bots_of(text: str) -> str | tuple[str, ...]:
    """One bot's name for all seats, or one a seat: ``random`` or ``heuristic,random,random,random``."""
    names = tuple(x.strip() for x in text.split(","))
    return names[0] if len(names) == 1 else names


def out_file(text: str | None, suffixes: tuple[str, ...]) -> Path | None:
    """Where to write, looked at before the work begins.

    Raises:
        WorkbenchError: another kind of file, or a folder that is not there or cannot be written to.
    """
    if text is None:
        return None
    path = Path(text)
    if path.suffix not in suffixes or path.is_dir():
        raise WorkbenchError(say("cli.suffix", path=path, known=", ".join(suffixes)))
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise WorkbenchError(say("cli.folder", path=path.parent))
    return path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file beside ``path`` to write; it takes the place of ``path`` once all went well, else nothing has changed."""
    part = path.with_name(f".{os.getpid()}.part.{path.name}")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)

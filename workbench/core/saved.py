"""Games on disk: JSON lines with a head, one move a line, and a foot that proves the file whole."""

from __future__ import annotations

import json
import os
from pathlib import Path

from workbench.core.draft import Draft, draft_of_key
from workbench.core.errors import DamagedFile, Refused, UnknownName, WorkbenchError
from workbench.core.language import say
from workbench.core.position import Position, read

FORMAT = 1


def save(position: Position, path: Path) -> Path:
    """Write the game up to a position; the old file stays until the new one is whole."""
    d = position.draft
    start = position.history[0]
    head = {"workbench": "game", "format": FORMAT, "draft": d.key, "digest": d.digest, "turned": position.turned,
            "start": str(start) if start.poked or any(p.poked for p in position.history) else None}
    if any(p.code is None for p in position.history[1:]):  # a poke has no move: the game starts after the last one
        last = max(i for i, p in enumerate(position.history) if p.code is None)
        head["start"], moves = str(position.history[last]), position.history[last + 1:]
    else:
        moves = position.history[1:]
    names = [d.ruleset.moves.name(p.code) for p in moves]  # type: ignore[arg-type]
    lines = [head, *({"move": n} for n in names), {"end": str(position), "moves": len(names)}]
    part = path.with_name(path.name + ".part")
    part.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in lines), "utf-8")
    os.replace(part, path)
    return path


def replay(path: str | Path, *, draft: Draft | None = None) -> Position:
    """The last position of a saved game, with its whole history; refused whole when anything is wrong.

    Raises:
        DamagedFile: names the line and the reason.
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise DamagedFile(say("saved.unreadable", path=path, why=getattr(e, "strerror", None) or e)) from None
    docs = []
    for n, line in enumerate(text.splitlines(), 1):
        try:
            docs.append(json.loads(line))
        except json.JSONDecodeError as e:
            raise DamagedFile(say("saved.line", path=path, n=n, why=say("saved.json", why=e))) from None
    if not docs or not isinstance(docs[0], dict) or docs[0].get("workbench") != "game":
        raise DamagedFile(say("saved.foreign", path=path))
    head, foot = docs[0], docs[-1]
    if head.get("format") != FORMAT:
        raise DamagedFile(say("saved.format", path=path, met=head.get("format"), known=FORMAT))
    if not isinstance(foot, dict) or "end" not in foot or foot.get("moves") != len(docs) - 2:
        raise DamagedFile(say("saved.cut", path=path, n=len(docs)))
    try:
        d = draft or draft_of_key(str(head.get("draft")))
        if not isinstance(head.get("turned", 0), int):
            raise WorkbenchError(say("saved.turned", met=head["turned"]))
        position = read(head["start"], draft=d) if head.get("start") else d.start(luck=None, turned=head.get("turned", 0))
    except WorkbenchError as e:
        raise DamagedFile(say("saved.line", path=path, n=1, why=e)) from None
    for n, doc in enumerate(docs[1:-1], 2):
        try:
            position = position.play(str(doc["move"]))
        except (Refused, UnknownName, KeyError, TypeError) as e:
            raise DamagedFile(say("saved.line", path=path, n=n, why=e)) from None
    if draft is None and head.get("digest") == d.digest and str(position) != foot["end"]:
        raise DamagedFile(say("saved.end", path=path, met=position, expected=foot["end"]))
    return position


def note(path: str | Path, position: Position) -> str:
    """What to know about a saved game opened under another state of its draft; "" when nothing."""
    head = json.loads(Path(path).read_text("utf-8").splitlines()[0])
    return "" if head.get("digest") == position.draft.digest else say("saved.older", draft=head.get("draft"))

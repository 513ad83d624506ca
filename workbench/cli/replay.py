"""``workbench replay``: a saved game, move by move."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from workbench.core.language import say

if TYPE_CHECKING:
    from workbench.core.position import Position

EXAMPLE = "workbench replay my-game.jsonl --to 12"


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    p.add_argument("file", metavar="FILE", help=say("cli.replay.file"))
    p.add_argument("--to", type=int, metavar="N", help=say("cli.replay.to"))
    p.add_argument("--json", action="store_true", help=say("cli.option.json"))


def run(a: argparse.Namespace) -> int:
    """Print each move with what it brought about."""
    from workbench.core.errors import OutOfRange

    last, older = _opened(a.file)
    history = last.history
    if a.to is not None:
        if not 0 <= a.to < len(history):
            raise OutOfRange(say("cli.replay.range", n=a.to, most=len(history) - 1))
        history = history[: a.to + 1]
    if a.json:
        print(json.dumps(_data(history, older), ensure_ascii=False, indent=1))
    else:
        _print(history, older)
    return 0


def _opened(file: str) -> tuple[Position, str]:
    """The last position of a saved game, or where one stood in a saved tree; and what to know about it."""
    from workbench.core.saved import note, replay
    from workbench.ui.treefile import is_tree, open_tree

    if is_tree(file):
        tree = open_tree(file)
        return tree.here.position, "\n".join(tree.notes)
    last = replay(file)
    return last, note(file, last)


def _data(history: list[Position], older: str) -> dict:
    end = history[-1]
    steps = [{"n": n, "seat": p.previous.to_move, "move": p.draft.ruleset.moves.name(p.code),
              "events": [{"rule": e.rule, "seat": e.seat, "n": e.n, "text": e.sentence()} for e in p.own_events]}
             for n, p in enumerate(history) if p.previous is not None and p.code is not None]
    return {"draft": end.draft.key, "digest": end.draft.digest, "note": older, "start": str(history[0]), "moves": steps,
            "position": str(end), "to_move": end.to_move, "score": end.score, "winners": list(end.winners)}


def _print(history: list[Position], older: str) -> None:
    from workbench.core.language import language
    from workbench.ui.view import DESIGNER, log_entry

    end = history[-1]
    print(history[0], *([older] if older else []), sep="\n")
    for n, p in enumerate(history):
        if p.previous is not None and p.code is not None:
            print(f"\n{n}. {_mover(p.previous)}: {p.draft.ruleset.moves.name(p.code)}")
        elif p.previous is not None:
            print(f"\n{n}.", *(x["text"] for x in log_entry(p, DESIGNER, language(), n)["lines"]))
        for e in p.own_events:
            print(f"   {e}")
    who = say("cli.replay.won", who=", ".join(end.winners) or "–") if end.over else say("cli.replay.to_move", who=_mover(end))
    print("", "  ".join(f"{n} {v}" for n, v in end.score.items()), who, end, sep="\n")


def _mover(p: Position) -> str:
    return say(f"mover.{p.to_move}") if p.to_move in ("chance", "over") else p.to_move

"""What was thought and marked along a game, kept with the nodes of its tree: for the tree that is exported and for the page that steps through it."""

from __future__ import annotations

from statistics import median

from workbench.playtest.state import PERSON, Decision, Mark, Played
from workbench.playtest.table import PlayTable
from workbench.ui.tree import Node, Tree

FLAG = "⚑"
"""The name of a node that somebody marked, so that it is found in a list of nodes."""
LONG, LEAST, MOST = 2.0, 5.0, 10
"""A long thought took more than so many times the game's median, and so many seconds; how many are told at most."""


def told(table: PlayTable, game: Played) -> tuple[Tree, Node]:
    """A copy of a game's tree, and where the game stands in it: what counts is the trunk, what was taken back are branches.

    Each node's comment says what was marked there and how long who thought.
    """
    with table.lock:
        tree = game.tree.copy()
        here = tree.nodes[game.here.id]
        tree.promote(here)
        lines: dict[int, list[str]] = {}
        for m in marks_of(table, game):
            tree.nodes[m.node].name = FLAG
            lines.setdefault(m.node, []).append(f"{m.seat} [{m.kind}] {m.text}".strip())
        for d in thoughts_of(table, game):
            lines.setdefault(d.node, []).append(f"{d.seat} {d.move}: {d.seconds:.1f} s")
    for id, said in lines.items():
        tree.nodes[id].comment = "\n".join(said)
    return tree, here


def marks_of(table: PlayTable, game: Played) -> list[Mark]:
    """What was marked in a game."""
    return [m for m in table.state.marks if m.game == game.number and m.node in game.tree.nodes]


def thoughts_of(table: PlayTable, game: Played) -> list[Decision]:
    """The decisions of people in a game, those that were taken back included, each with its thinking time."""
    return [d for d in table.state.decisions if d.game == game.number and d.kind == PERSON]


def long_thoughts(thoughts: list[Decision]) -> list[Decision]:
    """The longest of them, in the order of the game: those far above the median."""
    if not thoughts:
        return []
    usual = median(d.seconds for d in thoughts)
    longest = sorted((d for d in thoughts if d.seconds > max(LONG * usual, LEAST)), key=lambda d: -d.seconds)[:MOST]
    return sorted(longest, key=lambda d: (d.depth, d.time))

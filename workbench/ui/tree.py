"""The tree of what-if states: every move, edit, changed parameter or other draft is a node, and none is lost.

The first child of a node is its trunk. Nothing here recurses, so a line of thousands of moves is fine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.core.position import Position
from workbench.core.vocabulary import CHANCE
from workbench.ui.words import changed_draft, changed_fields, difference

START, MOVE, LUCK, POKE, DRAFT = "start", "move", "chance", "poke", "draft"


@dataclass(eq=False, slots=True, repr=False)
class Node:
    """One state: its number, position, how it came about, name and comment."""

    id: int
    parent: Node | None
    position: Position
    how: str
    depth: int
    children: list[Node] = field(default_factory=list)
    name: str = ""
    comment: str = ""
    last: Node | None = None
    """The child that was visited last: stepping forward follows it."""
    entries: dict = field(default_factory=dict)
    """Log entries made for it, by seat and language."""

    def __repr__(self) -> str:
        return f"<node {self.id}: {self.position}>"

    def label(self, lang: str | None = None) -> str:
        """What led here, shortly: the move with its seat, or what was changed."""
        p = self.position
        if self.how == START:
            return say("ui.table.start", lang)
        if p.code is not None:
            return f"{p.previous._title_of_mover(lang)} {p.draft.ruleset.moves.name(p.code)}"  # type: ignore[union-attr]
        parent = self.parent.position  # type: ignore[union-attr]
        words = changed_draft(parent.draft, p.draft, lang) if self.how == DRAFT else changed_fields(parent, p, lang)
        return (say(f"ui.tree.{self.how}", lang) + " " + "; ".join(words[:2]) + (" …" if len(words) > 2 else "")).strip()


class Tree:
    """A start and everything that was tried from it."""

    def __init__(self, position: Position):
        """A tree with the game that led to a position as its trunk; ``tree.end`` is that position's node."""
        first, *rest = position.history
        self.root = Node(0, None, first, START, 0)
        self.nodes: dict[int, Node] = {0: self.root}
        self._next = 1
        self._deleted: list[tuple[Node, int, Node]] = []
        self.end = self.root
        for p in rest:
            self.end = self.add(self.end, p)

    def add(self, parent: Node, position: Position, *, id: int | None = None) -> Node:
        """The child of a node for a position that follows it directly; the one that is there, if it is the same."""
        for child in parent.children:
            if child.position.code == position.code and child.position.data == position.data and child.position.draft == position.draft:
                return child
        node = Node(self._next if id is None else id, parent, position, how_of(parent.position, position), parent.depth + 1)
        self.nodes[node.id] = node
        self._next = max(self._next, node.id + 1)
        parent.children.append(node)
        return node

    def extend(self, parent: Node, position: Position) -> Node:
        """The node of a position some steps after a node's own (chance moves that follow by themselves lie between)."""
        chain = [position]
        while chain[-1].previous is not None and chain[-1].previous is not parent.position:
            chain.append(chain[-1].previous)
        for p in reversed(chain):
            parent = self.add(parent, p)
        return parent

    def extend_from(self, node: Node, end: Position, start: Position) -> Node:
        """Hang a game that was played on from a node (or from a start with its hidden cards dealt anew) under it; its first node."""
        chain = [end]
        while chain[-1] is not start:
            chain.append(chain[-1].previous)  # type: ignore[arg-type]
        if start is not node.position:
            chain[-1] = Position(start.draft, start.data, previous=node.position, luck=start.luck, turned=start.turned,
                                 chances=start.chances, poked=True)
        else:
            chain.pop()
        first = None
        for p in reversed(chain):
            node = self.add(node, p)
            first = first or node
        return first or node

    def line(self, node: Node) -> list[Node]:
        """The nodes from the start to this one."""
        found = [node]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found[::-1]

    def walk(self, top: Node | None = None) -> Iterator[Node]:
        """Every node of a branch, parents first, the trunk before what branches off."""
        waiting = [top or self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def trunk(self) -> list[Node]:
        """The main line."""
        found = [self.root]
        while found[-1].children:
            found.append(found[-1].children[0])
        return found

    def copy(self) -> Tree:
        """The same nodes once more, by the same numbers: what is done to one tree does not touch the other."""
        made = object.__new__(Tree)
        made.nodes, made._next, made._deleted = {}, self._next, []
        for n in self.walk():
            parent = made.nodes[n.parent.id] if n.parent is not None else None
            node = made.nodes[n.id] = Node(n.id, parent, n.position, n.how, n.depth, name=n.name, comment=n.comment)  # positions never change
            if parent is not None:
                parent.children.append(node)
        made.root, made.end = made.nodes[self.root.id], made.nodes[self.end.id]
        return made

    # ------------------------------------------------------------ changing

    def promote(self, node: Node) -> None:
        """Make the line to this node the trunk."""
        for n in self.line(node)[1:]:
            siblings = n.parent.children  # type: ignore[union-attr]
            siblings.remove(n)
            siblings.insert(0, n)

    def delete(self, node: Node) -> Node:
        """Take a branch away (:meth:`undelete` brings it back); the parent that is left.

        Raises:
            WorkbenchError: the start cannot go.
        """
        parent = node.parent
        if parent is None:
            raise WorkbenchError(say("ui.tree.root"))
        self._deleted.append((parent, parent.children.index(node), node))
        parent.children.remove(node)
        if parent.last is node:
            parent.last = None
        for n in self.walk(node):
            del self.nodes[n.id]
        return parent

    def undelete(self) -> Node:
        """The branch that was deleted last, put back where it was.

        Raises:
            WorkbenchError: nothing was deleted.
        """
        if not self._deleted:
            raise WorkbenchError(say("ui.tree.nothing_deleted"))
        parent, at, node = self._deleted.pop()
        parent.children.insert(at, node)
        for n in self.walk(node):
            self.nodes[n.id] = n
        return node

    @property
    def can_undelete(self) -> bool:
        """Whether a branch can be brought back."""
        return bool(self._deleted)

    def difference(self, a: Node, b: Node, lang: str) -> list[str]:
        """What differs between two nodes, in words."""
        return difference(a.position, b.position, lang)


def how_of(parent: Position, position: Position) -> str:
    """How a position came from the one before it."""
    if position.code is not None:
        return LUCK if parent._who == CHANCE else MOVE
    return DRAFT if parent.draft != position.draft else POKE

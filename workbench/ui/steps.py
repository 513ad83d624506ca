"""Going through a session's tree: stepping, jumping, naming, promoting, deleting and bringing back."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock

from workbench.core.language import say
from workbench.ui.result import Result
from workbench.ui.tree import Node, Tree
from workbench.ui.view import SPECTATOR
from workbench.ui.words import difference


class Steps:
    """The part of a session that moves in its tree."""

    lock: RLock
    tree: Tree
    here: Node
    hot: bool
    seat: str
    lang: str
    _go: Callable[..., None]
    _change: Callable[..., Result]

    def forward(self, steps: int = 1) -> Result:
        """Steps on, along the branch visited last, else the trunk."""
        def do() -> None:
            node = self.here
            for _ in range(steps):
                if node.children:
                    node = node.last or node.children[0]
            self._go(node)
        return self._change(do)

    def back(self, steps: int = 1) -> Result:
        """Steps back; stepping forward comes the same way again."""
        def do() -> None:
            node = self.here
            for _ in range(steps):
                node = node.parent or node
            self._go_quietly(node)
        return self._change(do)

    def first(self) -> Result:
        """To the start."""
        return self._change(lambda: self._go_quietly(self.tree.root))

    def last(self) -> Result:
        """To the end of the line that stepping forward follows."""
        def do() -> None:
            node = self.here
            while node.children:
                node = node.last or node.children[0]
            self._go(node)
        return self._change(do)

    def _go_quietly(self, node: Node) -> None:
        """To an earlier node, leaving what stepping forward follows."""
        self.here = node
        if self.hot:
            self.seat = SPECTATOR

    def jump(self, id: int) -> Result:
        """To any node by its number."""
        def do() -> Result | None:
            if id not in self.tree.nodes:
                return Result(False, "unknown", say("ui.answer.no_node", self.lang, id=id))
            self._go(self.tree.nodes[id])
            return None
        return self._change(do)

    def back_to(self, node: Node) -> Result:
        """To a node, leaving what stepping forward follows."""
        return self._change(lambda: self._go_quietly(node))

    def name(self, name: str | None = None, comment: str | None = None, *, id: int | None = None) -> Result:
        """Name a node (this one when left out) or comment on it."""
        def do() -> None:
            node = self.tree.nodes[self.here.id if id is None else id]
            node.name = node.name if name is None else name
            node.comment = node.comment if comment is None else comment
        return self._change(do)

    def promote(self, id: int | None = None) -> Result:
        """Make the line to a node the trunk."""
        return self._change(lambda: self.tree.promote(self.tree.nodes[self.here.id if id is None else id]))

    def delete(self, id: int | None = None) -> Result:
        """Delete a branch; :meth:`undelete` brings it back."""
        def do() -> None:
            node = self.tree.nodes[self.here.id if id is None else id]
            inside = node in self.tree.line(self.here)
            parent = self.tree.delete(node)
            if inside:
                self._go(parent)
        return self._change(do)

    def undelete(self) -> Result:
        """Bring back the branch deleted last, and go there."""
        return self._change(lambda: self._go(self.tree.undelete()))

    def difference(self, a: int, b: int) -> list[str]:
        """What differs between two nodes, in words."""
        with self.lock:
            return difference(self.tree.nodes[a].position, self.tree.nodes[b].position, self.lang)

"""Trees on disk: JSON lines with a head, one node a line (parents first), and a foot that proves the file whole."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from workbench.core.draft import Draft, draft_of_key
from workbench.core.errors import DamagedFile, WorkbenchError
from workbench.core.language import say
from workbench.core.moves import LUCK_BITS, MAX_LUCK
from workbench.core.position import Position, read
from workbench.core.vocabulary import ALLOWED, CHANCE
from workbench.ui.tree import DRAFT, POKE, Node, Tree
from workbench.ui.words import changed_fields

FORMAT = 1


@dataclass(frozen=True)
class Opened:
    """A tree that was read, the node one stood at, and what to know about it."""

    tree: Tree
    here: Node
    notes: tuple[str, ...]


def lines_of(tree: Tree, here: Node) -> list[str]:
    """The lines of a tree's file."""
    root = tree.root.position
    head = {"workbench": "tree", "format": FORMAT, "draft": root.draft.key, "digest": root.draft.digest, "luck": root.luck,
            "turned": root.turned, "chances": root.chances, "poked": root.poked, "start": str(root)}
    docs = [head | _said(tree.root)]
    for n in tree.walk():
        if n.parent is not None:
            docs.append({"node": n.id, "of": n.parent.id} | _what(n) | _said(n))
    docs.append({"end": str(here.position), "here": here.id, "nodes": len(docs)})
    return [json.dumps(d, ensure_ascii=False) for d in docs]


def _what(n: Node) -> dict:
    p = n.position
    if n.how == DRAFT:
        return {"draft": p.draft.key, "digest": p.draft.digest, "to": str(p)}
    if n.how == POKE:
        return {"poke": changed_fields(n.parent.position, p, "en"), "to": str(p)}  # type: ignore[union-attr]
    return {"move": p.draft.ruleset.moves.name(p.code)}  # type: ignore[arg-type]


def _said(n: Node) -> dict:
    return {k: v for k, v in (("name", n.name), ("comment", n.comment)) if v}


def save_tree(tree: Tree, here: Node, path: str | Path) -> Path:
    """Write a tree; the old file stays until the new one is whole."""
    return write_whole(Path(path), lines_of(tree, here))


def write_whole(path: Path, lines: list[str]) -> Path:
    """Put lines into a file that changes in one step."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text("\n".join(lines) + "\n", "utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def is_tree(path: str | Path) -> bool:
    """Whether a file is a saved tree, by its first line."""
    try:
        with Path(path).open(encoding="utf-8") as f:
            return json.loads(f.readline()).get("workbench") == "tree"
    except (OSError, ValueError, AttributeError):
        return False


def open_tree(path: str | Path, *, draft: Draft | None = None) -> Opened:
    """Read a tree; refused whole when anything is wrong.

    Args:
        draft: read it under this draft; needed when a rule was replaced in a cell of another session.

    Raises:
        DamagedFile: names the line and the reason. Nothing was loaded.
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise DamagedFile(say("saved.unreadable", path=path, why=e)) from None
    docs: list[dict] = []
    for n, line in enumerate(text.splitlines(), 1):
        try:
            docs.append(json.loads(line))
            if not isinstance(docs[-1], dict):
                raise ValueError(line[:40])
        except ValueError as e:
            raise DamagedFile(say("saved.line", path=path, n=n, why=e)) from None
    if not docs or docs[0].get("workbench") != "tree":
        raise DamagedFile(say("saved.foreign", path=path))
    head, foot = docs[0], docs[-1]
    if head.get("format") != FORMAT:
        raise DamagedFile(say("saved.format", path=path, met=head.get("format"), known=FORMAT))
    if foot.get("nodes") != len(docs) - 1 or "here" not in foot:
        raise DamagedFile(say("saved.cut", path=path, n=len(docs)))
    return _Reader(path, draft).read(head, docs[1:-1], foot)


class _Reader:
    def __init__(self, path: Path, draft: Draft | None):
        self.path, self.draft = path, draft
        self.notes: dict[str, None] = {}
        self.drafts: dict[str, Draft] = {}

    def read(self, head: dict, docs: list[dict], foot: dict) -> Opened:
        try:
            d = self.draft_of(head)
            p = self.position(str(head["start"]), d)
            start = Position(d, p.data, luck=head.get("luck"), turned=head.get("turned", 0), chances=head.get("chances", 0),
                             poked=bool(head.get("poked")))
        except (WorkbenchError, KeyError, TypeError) as e:
            raise self.damaged(1, e) from None
        tree = Tree(start)
        self.named(tree.root, head)
        for n, doc in enumerate(docs, 2):
            try:
                if doc["node"] in tree.nodes:
                    raise DamagedFile(say("ui.tree.twice", id=doc["node"]))
                parent = tree.nodes[doc["of"]]
                node = tree.add(parent, self.child(parent.position, doc), id=int(doc["node"]))
                if node.id != doc["node"]:
                    raise DamagedFile(say("ui.tree.twice", id=doc["node"]))
                self.named(node, doc)
            except (WorkbenchError, KeyError, TypeError, ValueError) as e:
                raise self.damaged(n, e) from None
        here = tree.nodes.get(foot["here"])
        if here is None or not self.notes and self.draft is None and str(here.position) != foot.get("end"):
            raise DamagedFile(say("saved.end", path=self.path, met=here and here.position, expected=foot.get("end")))
        return Opened(tree, here, tuple(self.notes))

    def damaged(self, n: int, e: Exception) -> DamagedFile:
        why = e if isinstance(e, WorkbenchError) else f"{type(e).__name__}: {e}"
        return DamagedFile(say("saved.line", path=self.path, n=n, why=why))

    def draft_of(self, doc: dict) -> Draft:
        """The draft that a line names; noted when it is another state of it than the one that was saved."""
        key = str(doc["draft"])
        if key not in self.drafts:
            self.drafts[key] = self.draft if self.draft is not None else draft_of_key(key)
        if self.drafts[key].digest != doc.get("digest"):
            self.notes[say("saved.older", draft=key)] = None
        return self.drafts[key]

    def position(self, line: str, draft: Draft) -> Position:
        return read(line, draft=draft)

    def child(self, parent: Position, doc: dict) -> Position:
        if "move" in doc:
            return self.moved(parent, str(doc["move"]))
        draft = self.draft_of(doc) if "draft" in doc else parent.draft
        p = self.position(str(doc["to"]), draft)
        return Position(draft, p.data, previous=parent, luck=parent.luck, turned=parent.turned, chances=parent.chances, poked=True)

    def moved(self, parent: Position, name: str) -> Position:
        """One step; asks first only which rule forbids it, and for the whole reason when one does."""
        d = parent.draft
        code = d.ruleset.moves.parse(name, parent.phase)
        kind, _ = d.ruleset.moves.of(code)
        if parent.phase not in kind.phases or kind.chance and not kind.luck or d.plain.forbids(d.p, parent.state, code) != ALLOWED:
            refusal = parent.why_not(code)
            if refusal is not None:
                raise DamagedFile(str(refusal))
        return parent._step(code)

    def named(self, node: Node, doc: dict) -> None:
        node.name, node.comment = str(doc.get("name", "")), str(doc.get("comment", ""))


def luck_code(position: Position, luck: int) -> int | None:
    """The code of the luck move asked for here with this luck number; None when none is."""
    if position._who != CHANCE or not 0 <= luck <= MAX_LUCK:
        return None
    return next((((k.index + 1) << LUCK_BITS) | luck for k in position._kinds_now() if k.luck), None)

"""``workbench new``: a tiny complete game to start your own from."""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from pathlib import Path

from workbench.core.language import say

EXAMPLE = """workbench new mygame
  workbench check mygame"""
TEMPLATE = Path(__file__).parent / "template"
NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{i}" for d in ("com", "lpt") for i in range(10))}
"""Names that Windows keeps for devices."""


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    p.add_argument("name", metavar="NAME", help=say("new.name"))
    p.add_argument("--folder", metavar="DIR", default="rulesets", help=say("new.folder"))


def run(a: argparse.Namespace) -> int:
    """Write the folder and say what comes next."""
    from workbench.core.ruleset import home

    folder = make(a.name, Path(a.folder))
    name = a.name if folder.parent.resolve() == (Path.cwd() / "rulesets").resolve() else folder
    print(say("new.done", folder=folder, name=name, readme=home("rulesets") / "README.md"))
    return 0


def make(name: str, parent: Path) -> Path:
    """Write the template's game under this name; its folder.

    Raises:
        WorkbenchError: not a name for a folder, or one that is taken. Nothing is written then.
    """
    from workbench.checks import write_transcripts
    from workbench.core.errors import WorkbenchError
    from workbench.core.ruleset import folders, load_ruleset

    folder = parent / name
    if not NAME.fullmatch(name) or name in RESERVED:
        raise WorkbenchError(say("new.bad_name", name=name))
    taken = folder if folder.exists() else folders().get(name)
    if taken is not None:
        raise WorkbenchError(say("new.taken", name=name, folder=taken))
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=parent) as part:
        made = Path(part) / name
        made.mkdir()
        for path in TEMPLATE.iterdir():
            if path.is_file():
                text = path.read_text("utf-8").replace("MYGAME", name)
                (made / path.name).write_text(text, "utf-8", newline="\n")
        os.rename(made, folder)
    write_transcripts(load_ruleset(folder))
    return folder

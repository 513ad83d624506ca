"""``workbench lab``: JupyterLab on the notebooks."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

from workbench.core.language import say

EXAMPLE = """workbench lab
  workbench lab --no-browser --port 9000"""
COPY = "workbench-notebooks"


def options(p: argparse.ArgumentParser) -> None:
    """Everything that follows is passed on to JupyterLab."""


def run(a: argparse.Namespace) -> int:
    """Start JupyterLab in the notebooks folder, on the first notebook."""
    from importlib.util import find_spec

    from workbench.core.errors import WorkbenchError

    if find_spec("jupyterlab") is None:
        raise WorkbenchError(say("cli.extra_install", module="jupyterlab", extra="all"))
    folder = notebooks()
    first = sorted(p.name for p in folder.glob("*.ipynb"))[:1]
    print(say("cli.lab.opens", folder=folder))
    start(folder, [*first, *a.more])
    return 0


def start(folder: Path, argv: list[str]) -> None:
    """JupyterLab in this very process, so that the keyboard stops it as usual."""
    from jupyterlab.labapp import main

    os.chdir(folder)
    # in a container there is often nobody but root, and Jupyter then wants to be told
    main([*argv, *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])])


def notebooks() -> Path:
    """The project's notebooks; those of an installed package are copied here first, and what is here already stays."""
    from workbench.core.ruleset import PACKAGE, home

    packed = home("notebooks")
    if packed.parent != PACKAGE:
        return packed
    here = Path.cwd() / COPY
    for path in sorted(p for p in packed.rglob("*") if p.is_file()):
        target = here / path.relative_to(packed)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return here

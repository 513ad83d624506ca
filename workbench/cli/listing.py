"""``workbench list``: the games and their drafts."""

from __future__ import annotations

import argparse
import json

from workbench.core.language import say

EXAMPLE = "workbench list"


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    p.add_argument("--json", action="store_true", help=say("cli.option.json"))


def run(a: argparse.Namespace) -> int:
    """Print the table."""
    from workbench.api import rulesets

    found = rulesets()
    print(json.dumps([g.to_dict() for g in found], ensure_ascii=False, indent=1) if a.json else found)
    return 0

"""``workbench serve``: the table as a page in the browser, for the designer, on this machine."""

from __future__ import annotations

import argparse
import time

from workbench.core.language import say

EXAMPLE = """workbench serve omerta
  workbench serve omerta --draft proposed --players 3 --port 5010 --no-browser"""


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    p.add_argument("ruleset", help=say("cli.option.ruleset"))
    p.add_argument("--draft", metavar="D", help=say("cli.option.draft"))
    p.add_argument("--players", type=int, metavar="N", help=say("cli.option.players"))
    p.add_argument("--luck", type=int, default=1, metavar="N", help=say("cli.option.luck"))
    p.add_argument("--port", type=int, default=5006, metavar="N", help=say("cli.serve.port"))
    p.add_argument("--new", action="store_true", help=say("cli.serve.new"))
    p.add_argument("--no-browser", action="store_true", help=say("cli.serve.no_browser"))


def run(a: argparse.Namespace) -> int:
    """Open the table that was kept, or a new one, and serve it until the keyboard stops it."""
    from importlib.util import find_spec

    from workbench.core.errors import WorkbenchError

    if find_spec("panel") is None:
        raise WorkbenchError(say("cli.extra_install", module="panel", extra="app"))
    from workbench.cli.common import draft_of
    from workbench.ui.autosave import save_folder
    from workbench.ui.open import session_of
    from workbench.ui.serve import server, table_file

    draft = draft_of(a.ruleset, a.draft, a.players)
    path = table_file(draft.ruleset.name, save_folder())
    if path.exists() and (a.new or a.draft or a.players):
        path.rename(path.with_name(f"{path.stem}-{time.strftime('%Y%m%d-%H%M%S')}.jsonl"))
    session = session_of(path if path.exists() else draft, luck=a.luck)
    print(say("cli.serve.at", url=f"http://localhost:{a.port}/", path=path), flush=True)
    made = None
    try:
        made = server(session, path, port=a.port, show=not a.no_browser, start=False)
        made.start()  # looks after closed pages too, which the loop alone does not
        made.io_loop.start()
    finally:
        if made is not None:
            made.workbench_autosave.close()
    return 0

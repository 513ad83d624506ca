"""``workbench serve``: the table as a page in the browser, for the designer, on this machine; or tables for playtesters."""

from __future__ import annotations

import argparse
import time

from workbench.core.language import say

EXAMPLE = """workbench serve omerta
  workbench serve omerta --draft proposed --players 3 --port 5010 --no-browser
  workbench serve --playtest omerta"""


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    p.add_argument("ruleset", help=say("cli.option.ruleset"))
    p.add_argument("--draft", metavar="D", help=say("cli.option.draft"))
    p.add_argument("--players", type=int, metavar="N", help=say("cli.option.players"))
    p.add_argument("--luck", type=int, default=1, metavar="N", help=say("cli.option.luck"))
    p.add_argument("--port", type=int, default=5006, metavar="N", help=say("cli.serve.port"))
    p.add_argument("--new", action="store_true", help=say("cli.serve.new"))
    p.add_argument("--no-browser", action="store_true", help=say("cli.serve.no_browser"))
    p.add_argument("--playtest", action="store_true", help=say("cli.serve.playtest"))
    p.add_argument("--data", metavar="FOLDER", help=say("cli.playtest.data"))
    p.add_argument("--database", metavar="URL", help=say("cli.playtest.database"))
    p.add_argument("--address", default="127.0.0.1", help=say("cli.serve.address"))
    p.add_argument("--origin", action="append", default=[], metavar="HOST:PORT", help=say("cli.serve.origin"))


def run(a: argparse.Namespace) -> int:
    """Open the table that was kept, or a new one, and serve it until the keyboard stops it."""
    from importlib.util import find_spec

    from workbench.core.errors import WorkbenchError

    if find_spec("panel") is None:
        raise WorkbenchError(say("cli.extra_install", module="panel", extra="app"))
    if a.playtest:
        return _playtest(a)
    if a.data or a.database or a.origin or a.address != "127.0.0.1":
        raise WorkbenchError(say("cli.serve.only_playtest"))
    from workbench.cli.common import draft_of
    from workbench.ui.autosave import save_folder
    from workbench.ui.open import session_of
    from workbench.ui.serve import run as run_server, server, table_file

    draft = draft_of(a.ruleset, a.draft, a.players)
    path = table_file(draft.ruleset.name, save_folder())
    if path.exists() and (a.new or a.draft or a.players):
        path.rename(path.with_name(f"{path.stem}-{time.strftime('%Y%m%d-%H%M%S')}.jsonl"))
    session = session_of(path if path.exists() else draft, luck=a.luck)
    print(say("cli.serve.at", url=f"http://localhost:{a.port}/", path=path), flush=True)
    made = None
    try:
        made = server(session, path, port=a.port, show=not a.no_browser)
        run_server(made)
    finally:
        if made is not None:
            made.workbench_autosave.close()
    return 0


def _playtest(a: argparse.Namespace) -> int:
    """Serve all tables of a data folder until the keyboard stops it."""
    import logging

    from workbench.cli.playtest import data_folder, place, store_of
    from workbench.core.errors import WorkbenchError
    from workbench.core.ruleset import load_ruleset

    if a.draft or a.players or a.new or a.luck != 1:
        raise WorkbenchError(say("cli.serve.at_the_table"))
    rules = load_ruleset(a.ruleset)
    folder = data_folder(a.data)
    store = store_of(folder, a.database)
    from workbench.playtest.lobby import Lobby
    from workbench.playtest.serve import Served, addresses, veil_logs
    from workbench.ui.serve import LOOPBACK

    veil_logs()
    logging.getLogger("tornado.access").setLevel(logging.CRITICAL)
    local = a.address in (LOOPBACK, "localhost")
    origins = (*a.origin, *(f"{x}:{a.port}" for x in addresses(a.address) if not local))
    lobby = Lobby(store)
    made = Served(lobby, rules, folder, port=a.port, address=a.address, origins=origins)
    try:
        url = f"http://localhost:{a.port}{made.path}"
        print(say("playtest.serve.at", url=url, place=place(folder, a.database)), flush=True)
        listed = ", ".join([f"localhost:{a.port}", *origins])
        print(say("playtest.serve.loopback") if local else say("playtest.serve.network", address=a.address, origins=listed), flush=True)
        if not a.no_browser:
            import webbrowser

            webbrowser.open(url)
        made.run()
    finally:
        made.pump.stopped = True
        store.close()
    return 0

"""``workbench playtest``: games played on paper come in; what was played is copied, written out as tables; a person is erased."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.playtest import FILE, open_store, usual_folder

if TYPE_CHECKING:
    from workbench.playtest.store import Store

EXAMPLE = """workbench playtest backup playtests-today.sqlite
  workbench playtest import evening.txt
  workbench playtest export results
  workbench playtest beside omerta:draft6@4
  workbench playtest erase-person \"Hanako\""""


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    p.add_argument("action", choices=("import", "backup", "export", "beside", "erase-person"), help=say("cli.playtest.action"))
    p.add_argument("target", nargs="+", help=say("cli.playtest.target"))
    p.add_argument("--data", metavar="FOLDER", help=say("cli.playtest.data"))
    p.add_argument("--database", metavar="URL", help=say("cli.playtest.database"))
    p.add_argument("--names", action="store_true", help=say("cli.playtest.names"))


def run(a: argparse.Namespace) -> int:
    """Do it, and say what was done."""
    if a.action != "import" and len(a.target) > 1:
        raise WorkbenchError(say("cli.playtest.one", action=a.action, met=" ".join(a.target)))
    store = store_of(data_folder(a.data), a.database, there=a.action != "import")
    target = a.target[0]
    try:
        if a.action == "import":
            for sentence in imported(store, [Path(f) for f in a.target]):
                print(sentence)
        elif a.action == "backup":
            store.backup(Path(target))
            print(say("cli.playtest.backed_up", path=target))
        elif a.action == "beside":
            from workbench.playtest.results import Playtests

            print(Playtests(store).beside(target))
        elif a.action == "erase-person":
            print(say("cli.playtest.erased", n=store.erase_person(target), name=target))
        else:
            from workbench.playtest.export import export

            files = export(store, Path(target), names=a.names)
            print(say("cli.playtest.exported", path=target, files=", ".join(f.name for f in files)))
    finally:
        store.close()
    return 0


def imported(store: Store, files: list[Path]) -> list[str]:
    """Import score sheets, once all of them are good; a sentence each.

    Raises:
        WorkbenchError: names the file and the line.
    """
    from workbench.playtest.paper import LONGEST_SHEET, decoded, parse
    from workbench.playtest.papergame import draft_of, keep, refuse_known, said

    games = []
    for file in files:
        try:
            with file.open("rb") as f:
                sheet = parse(decoded(f.read(4 * LONGEST_SHEET + 1)))
            games.append((sheet, draft_of(sheet)))
            refuse_known(store, games)
        except WorkbenchError as e:
            raise WorkbenchError(f"{file}: {e}") from None
    return [said(keep(store, sheet, draft), sheet, draft) for sheet, draft in games]


def data_folder(text: str | None) -> Path:
    """Where playtests are kept: the folder asked for, else ``playtests`` beside the saves; made when it is missing."""
    folder = Path(text) if text else usual_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def place(folder: Path, url: str | None) -> str:
    """Where everything is kept, as people read it; a password in a URL is left out."""
    from sqlalchemy.engine import make_url

    return make_url(url).render_as_string(hide_password=True) if url else str(folder / FILE)


def store_of(folder: Path, url: str | None, *, there: bool = False) -> Store:
    """The database asked for, else the file in the data folder.

    Args:
        there: it must be there already.

    Raises:
        WorkbenchError: SQLAlchemy is not installed, there is no such file, or the database refuses.
    """
    file = folder / FILE
    if url is None and there and not file.exists():
        raise WorkbenchError(say("cli.playtest.no_file", path=file))
    return open_store(url or file)

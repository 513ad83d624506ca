"""Keeps a tree in a file while one plays: written behind, a moment after each change, replaced in one step."""

from __future__ import annotations

import atexit
import os
import time
from pathlib import Path
from threading import Condition, Thread
from weakref import WeakMethod

from workbench.core.language import say
from workbench.ui.session import Session
from workbench.ui.treefile import write_whole

WAIT = 0.2
"""Seconds between a change and the file: changes within it are written together."""
FOLDER = "workbench-saves"


def save_folder() -> Path:
    """Where trees are kept: ``WORKBENCH_SAVES``, else ``workbench-saves`` beside the notebook (in the working folder)."""
    return Path(os.environ.get("WORKBENCH_SAVES") or Path.cwd() / FOLDER)


class Autosave:
    """Writes a session's tree to ``path`` after each change; ``fault`` says why it could not."""

    def __init__(self, session: Session, path: str | Path | None = None):
        """Keep a session; without a path in a new file of :func:`save_folder`, made when something was played."""
        self.session, self.fault, self.written = session, "", 0
        stamp = time.strftime("%Y%m%d-%H%M%S")
        self.path = Path(path) if path else save_folder() / f"{session.draft.ruleset.name}-{stamp}-{os.getpid()}-{id(session) % 9973}.jsonl"
        self._due = Condition()
        self._changed = self._closed = False
        self._end = session.listen(self._touch)
        # a thread and an exit hook that do not keep a closed table alive
        self._thread = Thread(target=_work, args=(WeakMethod(self._round),), daemon=True, name="workbench-autosave")
        self._thread.start()
        self._hook = WeakMethod(self.close)
        atexit.register(_call, self._hook)

    def _touch(self, _: Session) -> None:
        with self._due:
            self._changed = True
            self._due.notify()

    def _round(self) -> bool:
        """Wait for a change, and write it; False when closed."""
        with self._due:
            self._due.wait_for(lambda: self._changed or self._closed, timeout=1)
            if not self._changed:
                return not self._closed
        if not self._closed:
            time.sleep(WAIT)
        self.flush()
        return not self._closed

    def flush(self) -> None:
        """Write now what is not written yet."""
        with self._due:
            if not self._changed:
                return
            self._changed = False
        if len(self.session.tree.nodes) < 2 and not self.path.exists():
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, self.session.lines())
            self.fault, self.written = "", self.written + 1
        except OSError as e:
            self.fault = say("ui.keep.fault", self.session.lang, path=self.path, why=e.strerror or e)

    def close(self) -> None:
        """Write the last changes and stop."""
        if not self._closed:
            self._closed = True
            self._end()
            self.flush()
            with self._due:
                self._due.notify()
            atexit.unregister(self._hook)


def _work(round_: WeakMethod) -> None:
    while (go := round_()) is not None and go():
        del go


def _call(method: WeakMethod) -> None:
    close = method()
    if close is not None:
        close()

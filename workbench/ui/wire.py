"""What passes between a browser and a session: one message up (``move``), one view down; everything else is refused.

The browser counts its messages (``seq``) and says which version it saw; a message that repeats, that is too large or of
another form changes nothing and is answered.
"""

from __future__ import annotations

import marshal
from functools import lru_cache

from workbench.core.language import say
from workbench.ui.draw import CSS, draw, svg
from workbench.ui.session import Result, Session
from workbench.ui.view import SeatView

STEPS = {"forward": Session.forward, "back": Session.back, "first": Session.first, "last": Session.last, "ready": Session.ready}
MOST_STEPS = 1_000
BAD = Result(False, "malformed")


def screen(view: SeatView) -> dict:
    """A view as the page shows it: zones as drawings instead of data."""
    zones = [{"id": z["id"], "kind": z["kind"], "title": z["title"], "seat": z["seat"], "svg": _drawn(marshal.dumps(z, 2))}
             for z in view["zones"]]  # type: ignore[attr-defined]
    return {**view.data, "zones": zones, "css": CSS}


@lru_cache(maxsize=4_000)
def _drawn(zone: bytes) -> str:
    """A zone's drawing: most zones stay as they are from move to move, and open ones look the same to every seat."""
    z = marshal.loads(zone)
    return svg(draw(z), z["title"])


class Wire:
    """One browser's end of a session."""

    def __init__(self, session: Session):
        self.session, self.seq = session, 0

    def view(self) -> dict:
        """What to show now."""
        return screen(self.session.view()) | {"seq": self.seq}

    def receive(self, message: object) -> Result:
        """Carry out a message of the form ``{seq, version, act, value}``."""
        if not isinstance(message, dict) or not {"seq", "act"} <= message.keys() <= {"seq", "version", "act", "value"}:
            return self._answer(BAD)
        seq, act, value = message["seq"], message["act"], message.get("value")
        if not _whole(seq) or not self.seq < seq < 2**53:
            return self._answer(BAD)
        self.seq = seq
        if act == "play":
            return self.session.submit(value, message.get("version"))
        if act == "jump" and _whole(value):
            return self.session.jump(value)
        if isinstance(act, str) and act in STEPS:
            many = act in ("forward", "back") and _whole(value) and 0 < value <= MOST_STEPS
            return STEPS[act](self.session, value) if many else STEPS[act](self.session)  # type: ignore[operator]
        return self._answer(BAD)

    def _answer(self, result: Result) -> Result:
        return self.session._answer(Result(result.ok, result.kind, result.text or say("ui.answer.malformed", self.session.lang)))


def _whole(v: object) -> bool:
    return isinstance(v, int) and not isinstance(v, bool)

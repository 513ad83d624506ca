"""A table's course: start, pause, end, again, and taking back."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from workbench.core.moves import MAX_LUCK
from workbench.playtest.state import ENDED, OPEN, PAUSED, PLAYING, WAITING, State
from workbench.playtest.wishes import DONE, Wish, wish
from workbench.ui.result import Result
from workbench.ui.view import DESIGNER


class Course:
    """What the designer, and the seats together, decide about a game."""

    state: State
    _write: Callable[[Callable[[], Result | Wish]], Result]
    _no: Callable[..., Result]

    def start(self) -> Result:
        """Begin, once every seat is taken."""
        def make() -> Result | Wish:
            if self.state.status != WAITING:
                return self._no("not_now", "playtest.answer.started")
            free = [n for n, s in self.state.seats.items() if s.kind == OPEN]
            return self._no("not_now", "playtest.answer.free", seats=", ".join(free)) if free else wish("start", DESIGNER)
        return self._write(make)

    def pause(self) -> Result:
        """Stop the game for a while."""
        return self._when(PLAYING, "pause")

    def resume(self) -> Result:
        """Go on after a pause."""
        return self._when(PAUSED, "resume")

    def end(self) -> Result:
        """End the game where it stands; the form can be filled in."""
        return self._write(lambda: self._no("not_now", "playtest.answer.ended") if self.state.status == ENDED else wish("end", DESIGNER))

    def again(self, luck: int | None = None) -> Result:
        """Another game with the same people, with this luck number or one that is drawn."""
        luck = secrets.randbelow(MAX_LUCK) if luck is None else luck
        return self._write(lambda: wish("again", DESIGNER, {"luck": luck}) if self.state.status != WAITING
                           else self._no("not_now", "playtest.answer.waiting"))

    def _when(self, status: str, what: str) -> Result:
        return self._write(lambda: wish(what, DESIGNER) if self.state.status == status else self._no("not_now", "playtest.answer.not_now"))

    # ------------------------------------------------------------ taking back

    def ask_undo(self, seat: str) -> Result:
        """A seat asks to take back up to the last decision of a person; done when every other person agrees."""
        def make() -> Result | Wish:
            if seat not in self.state.persons or self.state.status not in (PLAYING, PAUSED):
                return self._no("not_now", "playtest.answer.not_now")
            if not self.state.steps_back():
                return self._no("not_now", "undo")
            return DONE if self.state.ask is not None else wish("ask", seat)
        return self._write(make)

    def answer_undo(self, seat: str, yes: bool) -> Result:
        """Agree, or refuse (the one who asked: withdraw)."""
        def make() -> Result | Wish:
            if self.state.ask is None or seat not in self.state.persons:
                return self._no("stale", "playtest.answer.not_now")
            return wish("agree" if yes else "refuse", seat)
        return self._write(make)

    def undo(self) -> Result:
        """The designer takes back up to the last decision of a person."""
        return self._write(lambda: wish("undo", DESIGNER) if self.state.steps_back() else self._no("not_now", "undo"))

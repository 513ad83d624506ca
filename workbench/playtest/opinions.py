"""What people think of a game: marks while it runs, the form at the end."""

from __future__ import annotations

from collections.abc import Callable

from workbench.playtest.state import MARKS, State
from workbench.playtest.texts import LONGEST_ANSWER, LONGEST_TEXT, clean
from workbench.playtest.wishes import DONE, Wish, wish
from workbench.ui.result import Result


class Opinions:
    """Marks and answers, each tied to where the game stood."""

    state: State
    _write: Callable[[Callable[[], Result | Wish]], Result]
    _no: Callable[..., Result]

    def mark(self, seat: str, kind: str, text: str = "") -> Result:
        """Mark the position as it stands now, with a line of text."""
        if kind not in MARKS or seat not in self.state.seats:
            return self._no("malformed", "playtest.answer.not_now")
        line = clean(text, LONGEST_TEXT)

        def make() -> Result | Wish:
            here = self.state.here
            return wish("mark", seat, {"kind": kind, "text": line, "game": self.state.game.number, "node": here.id, "depth": here.depth},
                        person=self.state.seats[seat].person)
        return self._write(make)

    def answer(self, seat: str, question: str, text: str, known: tuple[str, ...]) -> Result:
        """Keep what stands in a field of the form; the last one counts."""
        if question not in known or seat not in self.state.seats:
            return self._no("malformed", "playtest.answer.not_now")
        line, game = clean(text, LONGEST_ANSWER, lines=True), self.state.game.number
        return self._write(lambda: DONE if self.state.answers.get((game, seat, question), "") == line else
                           wish("answer", seat, {"game": game, "question": question, "text": line}, person=self.state.seats[seat].person))

    def send(self, seat: str) -> Result:
        """The form is filled in."""
        game = self.state.game.number
        return self._write(lambda: DONE if (game, seat) in self.state.sent or seat not in self.state.seats
                           else wish("send", seat, {"game": game}, person=self.state.seats[seat].person))

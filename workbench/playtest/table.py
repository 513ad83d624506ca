"""A playtest's table without any GUI: checks what is asked, writes it, and only then shows it and tells who listens."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from threading import RLock

from workbench.core.draft import Draft, load
from workbench.core.errors import UnknownName, WorkbenchError
from workbench.core.language import say, spoken
from workbench.core.ruleset import folders
from workbench.playtest.course import Course
from workbench.playtest.opinions import Opinions
from workbench.playtest.state import BOT, OPEN, PERSON, PLAYING, State
from workbench.playtest.store import Conflict, Event, Store
from workbench.playtest.texts import LONGEST_NAME, clean
from workbench.playtest.wishes import DONE, Wish, wish
from workbench.ui.listeners import Listeners
from workbench.ui.result import Result
from workbench.ui.session import LONGEST, bot_code, reason
from workbench.ui.view import SPECTATOR

MOST_EVENTS = 20_000
"""Events that one table may have; what a hostile visitor can write ends here."""
TRIES = 50


def head_of(draft: Draft, luck: int, lang: str) -> dict:
    """What never changes about a table, as it is stored.

    Raises:
        WorkbenchError: the draft has rules that were replaced in a notebook, which another process cannot know.
    """
    if draft.new_rules:
        raise WorkbenchError(say("notation.cell", key=draft.key))
    folder = draft.ruleset.folder
    known = folders().get(draft.ruleset.name)
    named = known is not None and known.resolve() == folder.resolve()
    return {"ruleset": draft.ruleset.name if named else str(folder.resolve()), "draft": draft.name, "changes": draft.changes,
            "players": draft.players, "digest": draft.digest, "luck": luck, "lang": lang}


def draft_in(head: dict) -> Draft:
    """The draft that a table's head names."""
    return load(head["ruleset"], head["draft"], players=head["players"], **head["changes"])


class PlayTable(Course, Opinions):
    """One table: the state that its log tells, and what can be asked of it."""

    def __init__(self, store: Store, id: str, head: dict):
        """Open a table by replaying its log.

        Raises:
            WorkbenchError: its draft or a move of it can no longer be played.
        """
        self.store, self.id, self.head = store, id, head
        self.lock = RLock()
        draft = draft_in(head)
        self.note = say("saved.older", draft=draft.key) if draft.digest != head["digest"] else ""
        self.state = State(draft, head["luck"])
        self.people: dict[int, str] = {}
        self._listeners = Listeners()
        self._here: dict[str, int] = {}
        with self.lock:
            self._catch_up()

    @property
    def lang(self) -> str:
        """The language of answers: the table's own, or the one in which somebody is speaking to it."""
        return spoken() or self.head["lang"]

    # ------------------------------------------------------------ who listens and who is there

    def listen(self, f: Callable[[], None]) -> Callable[[], None]:
        """Call ``f()`` after each change; returns what ends that. One that fails is let go."""
        return self._listeners.join(f)

    def tell(self) -> None:
        """Tell everybody who listens."""
        for f in list(self._listeners):
            try:
                f()
            except Exception:  # noqa: BLE001 - a page that is gone must not keep the others from seeing the move
                if f in self._listeners:
                    self._listeners.remove(f)

    def arrive(self, seat: str) -> Callable[[], None]:
        """A page of this seat was opened; returns what says that it was closed."""
        self._here[seat] = self._here.get(seat, 0) + 1
        self.tell()

        def leave() -> None:
            self._here[seat] -= 1
            self.tell()
        return leave

    def connected(self, seat: str) -> bool:
        """Whether a page of this seat is open."""
        return self._here.get(seat, 0) > 0

    @property
    def label(self) -> str:
        """What the designer knows it by: its own name, where it has one, and its id."""
        return f"{self.state.title} · {self.id}" if self.state.title else self.id

    def name(self, seat: str) -> str:
        """The name of who sits there; "" when nobody has given one."""
        s = self.state.seats.get(seat)
        return self.people.get(s.person, "") if s is not None and s.person is not None else ""

    # ------------------------------------------------------------ writing

    def _catch_up(self) -> bool:
        events = self.store.events(self.id, self.state.version)
        if any(e.person is not None and e.person not in self.people for e in events):
            self.people = self.store.people(self.id)
        for e in events:
            self.state.take(e)
        return bool(events)

    def catch_up(self) -> None:
        """Take in what other processes have written."""
        with self.lock:
            changed = self._catch_up()
        if changed:
            self.tell()

    def _write(self, make: Callable[[], Result | Wish]) -> Result:
        """Check under the lock, write, take in; anew when somebody else has written meanwhile. Whoever listens hears of either."""
        before = self.state.version
        with self.lock:
            try:
                result = self._written(make)
            except WorkbenchError as e:  # the database refuses: nothing has changed, and it is said
                result = Result(False, "error", str(e))
        if self.state.version != before:
            self.tell()
        return result

    def _written(self, make: Callable[[], Result | Wish]) -> Result:
        if self.state.paper is not None:
            return self._no("not_now", "playtest.answer.paper")
        for _ in range(TRIES):
            asked = make()
            if isinstance(asked, Result):
                return asked
            what, seat, data, person, name = asked
            if self.state.version >= MOST_EVENTS:
                return Result(False, "full", say("playtest.answer.full", self.lang))
            try:
                event: Event = self.store.append(self.id, self.state.version + 1, seat, what, data, person=person, name=name)
            except Conflict:
                self._catch_up()
                continue
            if name is not None:
                self.people[event.person] = name  # type: ignore[index]
            self.state.take(event)
            return DONE
        return Result(False, "stale", say("ui.answer.stale", self.lang))

    def _no(self, kind: str, key: str, **values: object) -> Result:
        return Result(False, kind, say(key, self.lang, **values))

    # ------------------------------------------------------------ seats

    def _seat(self, seat: str) -> None:
        if seat not in self.state.seats:
            raise UnknownName("seat", str(seat), self.state.seats)

    def sit(self, seat: str, name: str) -> Result:
        """A person takes a seat, or the one who sits there changes the name."""
        self._seat(seat)
        text = clean(name, LONGEST_NAME)
        if not text:
            return self._no("malformed", "playtest.answer.name")
        return self._write(lambda: DONE if self.name(seat) == text and self.state.seats[seat].kind == PERSON
                           else wish("sit", seat, {"kind": PERSON}, name=text))

    def seat_bot(self, seat: str, bot: str) -> Result:
        """A bot takes a seat, also in the middle of a game."""
        self._seat(seat)
        if bot not in self.bots():
            return Result(False, "unknown", str(UnknownName("bot", str(bot)[:LONGEST_NAME], self.bots())))
        return self._write(lambda: wish("sit", seat, {"kind": BOT, "bot": bot}))

    def free(self, seat: str) -> Result:
        """A seat is nobody's: a person may take it by its link."""
        self._seat(seat)
        return self._write(lambda: wish("sit", seat, {"kind": OPEN}))

    def bots(self) -> list[str]:
        """The bots that can sit here."""
        return ["random", *self.state.draft.ruleset.bots]

    # ------------------------------------------------------------ playing

    def submit(self, seat: str, move: object, turn: object) -> Result:
        """A seat's move; ``turn`` says which state of the game it saw. A refusal comes back with its rule."""
        if not isinstance(move, str) or not 0 < len(move) <= LONGEST:
            return self._no("malformed", "ui.answer.malformed")
        return self._write(lambda: self._checked(seat, move, turn, PERSON))

    def _checked(self, seat: str, move: str, turn: object, kind: str) -> Result | Wish:
        st = self.state
        if seat not in st.seats:
            return self._no("not_yours", "playtest.answer.look_only")
        if turn != st.turn or isinstance(turn, bool):
            return self._no("stale", "ui.answer.stale")
        if st.seats[seat].kind != kind:
            return self._no("not_yours", "playtest.answer.sit_first")
        if st.status != PLAYING:
            return self._no("not_now", f"playtest.answer.{st.status}")
        if st.position.over:
            return self._no("over", "ui.answer.over")
        if seat in st.chosen:
            return self._no("stale", "playtest.answer.chosen")
        if seat not in st.asked:
            return self._no("not_yours", "ui.answer.not_yours", seat=", ".join(st.asked))
        at = st.asked[seat]
        try:
            code = at.draft.ruleset.moves.parse(move, at.phase)
        except UnknownName:
            return self._no("unknown", "ui.answer.malformed")
        refusal = at.why_not(code)
        if refusal is not None:
            return Result(False, "refused", reason(refusal, self.lang), refusal.rule)
        return wish("choose" if st.round else "move", seat, {"m": at.draft.ruleset.moves.name(code)}, person=st.seats[seat].person)

    def bot_due(self) -> bool:
        """Whether a bot is asked."""
        return any(self.state.seats[n].kind == BOT for n in self.state.asked)

    def bot_move(self) -> bool:
        """Let one bot that is asked decide; whether one did. What it plays follows from what its seat may see and the game's luck."""
        with self.lock:
            st = self.state
            due = next(((n, p) for n, p in st.asked.items() if st.seats[n].kind == BOT), None)
            if due is None:
                return False
            (seat, at), turn, bot, depth = due, st.turn, st.seats[due[0]].bot, st.here.depth
        code = bot_code(at, bot, depth + at.seat_index(seat))  # outside the lock: a slow bot lets others see and speak
        return self._write(lambda: self._checked(seat, at.draft.ruleset.moves.name(code), turn, BOT)).ok

    # ------------------------------------------------------------ links

    def new_link(self, seat: str) -> str:
        """A new key to a seat (or "-", for spectators); the one before no longer works.

        Raises:
            StoreError: the database refuses. WorkbenchError: the game was played on paper, there is nothing to open.
        """
        if self.state.paper is not None:
            raise WorkbenchError(say("playtest.answer.paper", self.lang))
        if seat != SPECTATOR:
            self._seat(seat)
        key = secrets.token_urlsafe(24)
        self.store.link(self.id, seat, key)
        self._write(lambda: wish("link", seat))
        return key

    def revoke(self, seat: str) -> None:
        """No link to the seat works any more; pages that stand open close."""
        self.store.revoke(self.id, seat)
        self._write(lambda: wish("link", seat))

"""A table as its log tells it: replayed event by event, the same wherever and whenever it is replayed."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.core.draft import Draft
from workbench.core.position import Position
from workbench.playtest.store import Event
from workbench.playtest.together import together
from workbench.ui.tree import Node, Tree

WAITING, PLAYING, PAUSED, ENDED = "waiting", "playing", "paused", "ended"
OPEN, PERSON, BOT = "open", "person", "bot"
UNCLEAR, UNFAIR, GREAT = "unclear", "unfair", "great"
MARKS = (UNCLEAR, UNFAIR, GREAT)


@dataclass
class Seat:
    """Who sits at a seat: nobody yet, a person (by number), or a bot (by name)."""

    name: str
    kind: str = OPEN
    bot: str = ""
    person: int | None = None


@dataclass(frozen=True)
class Mark:
    """What somebody marked, and the position it is about: game, node of its tree, step."""

    seat: str
    kind: str
    text: str
    person: int | None
    game: int
    node: int
    depth: int
    time: float


@dataclass(frozen=True)
class Decision:
    """One decision with its thinking time; ``kind`` says whether a person or a bot made it."""

    game: int
    node: int
    depth: int
    seat: str
    kind: str
    bot: str
    person: int | None
    move: str
    seconds: float
    time: float


@dataclass
class Step:
    """What one undo takes back: the node before, and whether a person had decided."""

    before: Node
    person: bool


@dataclass
class Ask:
    """Somebody asks to take back; who has agreed."""

    by: str
    agreed: set[str] = field(default_factory=set)


@dataclass
class Played:
    """One game at the table: its luck, its tree with everything that was taken back, and where it stands."""

    number: int
    luck: int
    tree: Tree
    here: Node


@dataclass(frozen=True)
class Paper:
    """A game that was played on paper, as its score sheet says: what each row added, the end, and who won."""

    scores: dict[str, int]
    won: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    date: str | None
    minutes: int | None
    note: str

    @property
    def length(self) -> int | None:
        """How many rows (hands, rounds, …) it had; None when only the end was written down."""
        return len(self.rows) or None


class State:
    """Everything that follows from a table's log."""

    def __init__(self, draft: Draft, luck: int):
        self.draft = draft
        self.seats = {n: Seat(n) for n in draft.seat_names}
        self.title = ""
        self.paper: Paper | None = None
        self.status = WAITING
        self.version, self.turn, self.links = 0, 0, 0
        self.marks: list[Mark] = []
        self.decisions: list[Decision] = []
        self.answers: dict[tuple[int, str, str], str] = {}
        """What is in the form: by game, seat and question."""
        self.sent: set[tuple[int, str]] = set()
        self.games: list[Played] = []
        self._deal(luck)

    def _deal(self, luck: int) -> None:
        tree = Tree(self.draft.start(luck))
        self.game = Played(len(self.games) + 1, luck, tree, tree.end)
        self.games.append(self.game)
        self.steps: list[Step] = []
        self._stand()

    def _stand(self) -> None:
        """The position has changed: nothing that was said about the one before counts any more."""
        self.turn += 1
        self.chosen: dict[str, str] = {}
        self.ask: Ask | None = None
        self.since = 0.0
        self.round = together(self.position)

    # ------------------------------------------------------------ looking

    @property
    def here(self) -> Node:
        """The node of the game's tree one stands at."""
        return self.game.here

    @property
    def position(self) -> Position:
        """The position one stands at."""
        return self.game.here.position

    @property
    def asked(self) -> dict[str, Position]:
        """The seats that are to decide now, each with the position in which the rules ask it."""
        if self.status != PLAYING or self.position._who < 0:
            return {}
        if self.round:
            return {n: p for n, p in self.round.items() if n not in self.chosen}
        return {self.position.to_move: self.position}

    @property
    def persons(self) -> list[str]:
        """The seats where people sit."""
        return [s.name for s in self.seats.values() if s.kind == PERSON]

    def steps_back(self) -> int:
        """How many steps an undo takes back: up to the last one in which a person decided; 0: there is none."""
        return next((n for n, step in enumerate(reversed(self.steps), 1) if step.person), 0)

    # ------------------------------------------------------------ replaying

    def take(self, e: Event) -> None:
        """One event of the log."""
        getattr(self, f"_{e.what}")(e)
        self.version = e.version

    def _sit(self, e: Event) -> None:
        self.seats[e.seat] = Seat(e.seat, e.data["kind"], e.data.get("bot", ""), e.person)
        self._agreed(e)

    def _start(self, e: Event) -> None:
        self.status, self.since = PLAYING, e.time
        self.turn += 1

    _resume = _start

    def _pause(self, e: Event) -> None:
        self.status = PAUSED
        self.turn += 1

    def _end(self, e: Event) -> None:
        self.status = ENDED
        self.turn += 1

    def _again(self, e: Event) -> None:
        self._deal(e.data["luck"])
        self.status, self.since = PLAYING, e.time

    def _move(self, e: Event) -> None:
        self._play({e.seat: e.data["m"]}, e)

    def _choose(self, e: Event) -> None:
        self.chosen[e.seat] = e.data["m"]
        self._decided(e.seat, e.data["m"], e)
        if len(self.chosen) == len(self.round):
            self._play({n: self.chosen[n] for n in self.round}, e)

    def _play(self, moves: dict[str, str], e: Event) -> None:
        before = self.here
        for seat, move in moves.items():
            node = self.game.tree.extend(self.here, self.position.play(move))
            if not self.round:
                self._decided(seat, move, e)
            self.game.here = node
        self.steps.append(Step(before, any(self.seats[n].kind == PERSON for n in moves)))
        self._stand()
        self.since = e.time

    def _decided(self, seat: str, move: str, e: Event) -> None:
        s = self.seats[seat]
        # a clock that was set back gives no negative thinking time
        self.decisions.append(Decision(self.game.number, self.here.id, self.here.depth, seat, s.kind, s.bot, s.person, move,
                                       max(0.0, e.time - self.since) if self.since else 0.0, e.time))

    def _ask(self, e: Event) -> None:
        self.ask = Ask(e.seat, {e.seat})
        self._agreed(e)

    def _agree(self, e: Event) -> None:
        if self.ask is not None:
            self.ask.agreed.add(e.seat)
        self._agreed(e)

    def _agreed(self, e: Event) -> None:
        if self.ask is not None and self.ask.agreed >= set(self.persons):
            self._undo(e)

    def _refuse(self, e: Event) -> None:
        self.ask = None

    def _undo(self, e: Event) -> None:
        for _ in range(self.steps_back()):
            self.game.here = self.steps.pop().before
        self._stand()
        self.since = e.time

    def _mark(self, e: Event) -> None:
        d = e.data
        self.marks.append(Mark(e.seat, d["kind"], d["text"], e.person, d["game"], d["node"], d["depth"], e.time))

    def _answer(self, e: Event) -> None:
        self.answers[e.data["game"], e.seat, e.data["question"]] = e.data["text"]

    def _send(self, e: Event) -> None:
        self.sent.add((e.data["game"], e.seat))

    def _link(self, e: Event) -> None:
        self.links += 1

    def _title(self, e: Event) -> None:
        self.title = e.data["text"]

    def _paper(self, e: Event) -> None:
        d = e.data
        self.status = ENDED
        self.paper = Paper(dict(zip(self.seats, d["scores"], strict=True)), tuple(d["won"]), tuple(map(tuple, d["rows"])), d["date"], d["minutes"], d["text"])

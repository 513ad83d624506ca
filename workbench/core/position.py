"""A position: a value that prints as one line, plays, cites, is poked, and knows how it came to be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core import hidden, notation
from workbench.core.errors import BrokenPosition, DamagedFile, Refused, UnknownName, WorkbenchError
from workbench.core.language import LANGUAGES, pick, say
from workbench.core.loops import chance_luck
from workbench.core.moves import Refusal
from workbench.core.vocabulary import ALLOWED, CHANCE, NONE, OVER

if TYPE_CHECKING:
    from workbench.core.draft import Draft


@dataclass(frozen=True)
class Event:
    """Something that happened, citing its rule: ``rule`` id, ``seat`` name or None, the number ``n``."""

    rule: str
    seat: str | None
    n: int
    draft: Draft

    @property
    def points(self) -> int:
        """The points this event gave; 0 when it is not about points."""
        return self.n if self.draft.ruleset.say.get("events", {}).get(self.rule, {}).get("points") else 0

    def sentence(self, lang: str | None = None) -> str:
        """What happened, in words."""
        entry = self.draft.ruleset.say.get("events", {}).get(self.rule)
        if entry is None:
            return f"{self.seat or ''} {self.draft.rule(self.rule, lang)}".strip()
        return pick(entry, lang).format(seat=self.seat or "–", n=_Number(self.n, self.draft, lang))

    def __str__(self) -> str:
        return f"{self.sentence()} [{self.rule}]"

    def __repr__(self) -> str:
        return f"<{self.rule} {self.seat} {self.n}>"


class _Number:
    """A number in an event's sentence: ``{n}``, ``{n:+}``, or a piece or seat by name (``{n:card}``, ``{n:seat}``)."""

    def __init__(self, n: int, draft: Draft, lang: str | None):
        self.n, self.draft, self.lang = n, draft, lang

    def __format__(self, spec: str) -> str:
        if spec == "seat":
            return self.draft.ruleset.schema.seat_names[self.n]
        kind = self.draft.ruleset.pieces.get(spec)
        if kind is None:
            return format(self.n, spec)
        # cards are written by their short name, as they are typed; other pieces by their title
        return kind.names[self.n] if kind.titles[self.n] == kind.names[self.n] else kind.title_of(self.n, self.lang)


class Position:
    """One state of a game under a draft. Immutable; equal when draft and state are equal."""

    __slots__ = ("draft", "data", "previous", "code", "luck", "turned", "chances", "poked", "_events", "_cache")

    def __init__(self, draft: Draft, data: bytes, *, previous: Position | None = None, code: int | None = None,
                 luck: int | None = None, turned: int = 0, chances: int = 0, poked: bool = False, events: tuple = ()):
        self.draft, self.data, self.previous, self.code = draft, data, previous, code
        self.luck, self.turned, self.chances, self.poked = luck, turned, chances, poked
        self._events: tuple = events
        self._cache: dict = {}

    # ------------------------------------------------------------ the state

    @property
    def state(self):
        """The plain state, a fresh copy."""
        return self.draft.ruleset.schema.thaw(self.data)

    def __getitem__(self, field: str) -> object:
        """A field with names: ``pos["hand"]["P0"]``."""
        schema = self.draft.ruleset.schema
        if field not in schema.fields:
            raise UnknownName("field", field, schema.fields)
        s = self.state
        return notation.nested(schema, schema.fields[field], getattr(s, field), s.players)

    def fields(self) -> dict[str, object]:
        """Every field with names."""
        return {n: self[n] for n in self.draft.ruleset.schema.fields}

    @property
    def phase(self) -> str:
        """Which decision is asked."""
        return self.draft.ruleset.phases[self.state.phase]

    @property
    def _who(self) -> int:
        if "who" not in self._cache:
            self._cache["who"] = self.draft.plain.to_move(self.draft.p, self.state)
        return self._cache["who"]

    @property
    def to_move(self) -> str:
        """The seat to move, "chance" or "over"."""
        who = self._who
        return "chance" if who == CHANCE else "over" if who == OVER else self.draft.ruleset.schema.seat_names[who]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._who == OVER

    @property
    def score(self) -> dict[str, int]:
        """Each seat's score."""
        s, d = self.state, self.draft
        return {n: int(d.plain.score(d.p, s, i)) for i, n in enumerate(d.seat_names)}

    @property
    def winners(self) -> tuple[str, ...]:
        """The seats that have won; empty while the game runs or when nobody has."""
        s, d = self.state, self.draft
        return tuple(n for i, n in enumerate(d.seat_names) if self.over and d.plain.won(d.p, s, i))

    def seat_index(self, seat: str) -> int:
        """The number of a seat in the game."""
        if seat not in self.draft.seat_names:
            raise UnknownName("seat", str(seat), self.draft.seat_names)
        return self.draft.seat_names.index(seat)

    # ------------------------------------------------------------ moves

    @property
    def legal(self) -> list[int]:
        """The codes of the legal moves; for chance, those that can come up (none listed for luck)."""
        if "legal" not in self._cache:
            self._cache["legal"] = self._legal()
        return self._cache["legal"]

    def _legal(self) -> list[int]:
        d, s = self.draft, self.state
        if self._who == OVER:
            return []
        if self._who == CHANCE:
            return [k.base + c for k in self._kinds_now() if not k.luck for c in range(k.size)
                    if self._weight(k.base + c, s) > 0]
        w = d.workspace()
        return w.found[: d.plain.legal(d.p, s, w)]

    def _kinds_now(self):
        phase = self.phase
        return [k for k in self.draft.ruleset.moves.kinds.values() if phase in k.phases]

    def _weight(self, code: int, s: object) -> int:
        kind, args = self.draft.ruleset.moves.of(code)
        if "seat" in kind.args and args[kind.args.index("seat")] >= self.draft.players:
            return 0
        return getattr(self.draft.plain, f"weight_{kind.name}")(self.draft.p, s, *args)

    @property
    def moves(self) -> list[str]:
        """The legal moves by name; a move that carries luck as "deal <luck>"."""
        moves = self.draft.ruleset.moves
        luck = [n for k in self._kinds_now() if k.luck and self._who == CHANCE for n in moves.names_of(k)]
        return luck + [moves.name(c) for c in self.legal]

    @property
    def forced(self) -> bool:
        """Whether there is exactly one legal move."""
        return self._who >= 0 and len(self.legal) == 1

    def _code(self, move: str | int) -> int:
        return move if isinstance(move, int) else self.draft.ruleset.moves.parse(move, self.phase)

    def why_not(self, move: str | int) -> Refusal | None:
        """The rule that forbids a move, with its reason; None when the move is legal.

        Raises:
            UnknownName: not a move of this game at all.
        """
        code = self._code(move)
        d, s = self.draft, self.state
        kind, args = d.ruleset.moves.of(code)
        name = d.ruleset.moves.name(code)
        if self.phase not in kind.phases or self._who == OVER:
            now = [k.title for k in self._kinds_now()]
            reason = {lang: say("not_now", lang, who=self._title_of_mover(lang),
                                what=" / ".join(pick(t, lang) for t in now) or say("nothing", lang)) for lang in LANGUAGES}
            return Refusal(name, kind.rule, reason["en"], reason["ja"])
        seats = [a for k, a in zip(kind.args, args, strict=False) if k == "seat"]
        if any(a >= d.players for a in seats):
            reason = {lang: say("not_seated", lang, n=d.players) for lang in LANGUAGES}
            return Refusal(name, kind.rule, reason["en"], reason["ja"])
        if kind.chance:
            if kind.luck or self._weight(code, s) > 0:
                return None
            reason = {lang: say("no_chance", lang) for lang in LANGUAGES}
            return Refusal(name, kind.rule, reason["en"], reason["ja"])
        number = d.plain.forbids(d.p, s, code)
        if number == ALLOWED:
            return None
        id = d.ruleset.rule_ids[number]
        text = d.ruleset.say.get("refusals", {}).get(id)
        return Refusal(name, id, *(pick(text, lang) if text else d.rule(id, lang) for lang in LANGUAGES))

    def _title_of_mover(self, lang: str) -> str:
        who = self.to_move
        return say(f"mover.{who}", lang) if who in ("chance", "over") else who

    def play(self, *moves: str | int) -> Position:
        """The position after one move, or after several in a row.

        Raises:
            Refused: a rule forbids it; UnknownName: not a move.
        """
        position = self
        for move in moves:
            refusal = position.why_not(move)
            if refusal is not None:
                raise Refused(refusal, position)
            position = position._step(position._code(move))._go_on()
        return position

    def _step(self, code: int) -> Position:
        d, s = self.draft, self.state
        d.plain.cite.take()
        d.plain.apply(d.p, s, code)
        return Position(d, d.ruleset.schema.freeze(s), previous=self, code=code, luck=self.luck, turned=self.turned,
                        chances=self.chances + (self._who == CHANCE), poked=self.poked,
                        events=tuple(d.plain.cite.take()))

    def _go_on(self) -> Position:
        """Take the chance moves that follow, when the game has a luck number."""
        position = self
        while position.luck is not None and position._who == CHANCE:
            luck = chance_luck(position.luck, position.chances)
            position = position._step(self.draft.plain.chance(self.draft.p, position.state, luck, self.turned))
        return position

    def undo(self) -> Position:
        """The position before the last decision; chance moves that followed by themselves are taken back too.

        Raises:
            WorkbenchError: nothing to take back.
        """
        position = self
        while position.previous is not None:
            position = position.previous
            if position._who != CHANCE or position.luck is None:
                return position
        raise WorkbenchError(say("undo"))

    # ------------------------------------------------------------ how it came to be

    @property
    def history(self) -> list[Position]:
        """Every position from the start to this one."""
        found: list[Position] = [self]
        while found[-1].previous is not None:
            found.append(found[-1].previous)
        return found[::-1]

    def __iter__(self) -> Iterator[Position]:
        return iter(self.history)

    @property
    def codes(self) -> list[tuple[int, int]]:
        """(seat or CHANCE, code) of each move from the start."""
        return [(p.previous._who, p.code) for p in self.history if p.previous is not None and p.code is not None]

    @property
    def log(self) -> list[str]:
        """The names of all moves from the start; with the draft they are the whole game."""
        return [self.draft.ruleset.moves.name(code) for _, code in self.codes]

    @property
    def own_events(self) -> tuple[Event, ...]:
        """What the last move alone brought about."""
        ids, names = self.draft.ruleset.rule_ids, self.draft.ruleset.schema.seat_names
        return tuple(Event(ids[r], None if seat == NONE else names[seat], int(n), self.draft) for r, seat, n in self._events)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened since the last decision, each event citing its rule."""
        chain = [self]
        while chain[-1].previous is not None and chain[-1].previous._who == CHANCE and self.luck is not None:
            chain.append(chain[-1].previous)
        return tuple(e for p in reversed(chain) for e in p.own_events)

    # ------------------------------------------------------------ editing

    def poke(self, changes: dict[str, object] | None = None, **fields: object) -> Position:
        """An edited copy: ``pos.poke(hand={"P0": "A5 A6"}, round=3)``. What is not named stays.

        Raises:
            BrokenPosition: names each field and what is broken (a piece lost or doubled, a value out of range).
        """
        d, s = self.draft, self.state
        schema = d.ruleset.schema
        for name, value in {**(changes or {}), **fields}.items():
            if name not in schema.fields or name == "players":
                raise UnknownName("field", name, [n for n in schema.fields if n != "players"])
            f = schema.fields[name]
            setattr(s, name, notation.assign(schema, f, getattr(s, name), value, s.players))
        return self._sound(d, s)

    def under(self, draft: Draft) -> Position:
        """This position under another draft of the same game.

        Raises:
            WorkbenchError: another game or number of players. BrokenPosition: it cannot stand under that draft.
        """
        if draft.ruleset.name != self.draft.ruleset.name or draft.players != self.draft.players:
            raise WorkbenchError(say("under", here=self.draft.key, there=draft.key))
        return self._sound(draft, self.state)

    def _sound(self, draft: Draft, s: object) -> Position:
        functions = draft.plain._namespace
        faults = draft.ruleset.schema.faults(s, draft.fresh)
        if not faults and "derive" in functions:
            functions["derive"](draft.p, s)
            faults = draft.ruleset.schema.faults(s, draft.fresh)
        if not faults and "unsound" in functions:
            number = functions["unsound"](draft.p, s)
            if number != ALLOWED:
                id = draft.ruleset.rule_ids[number]
                faults = [(id, draft.rule(id))]
        draft.plain.cite.take()
        if faults:
            raise BrokenPosition(faults)
        data = draft.ruleset.schema.freeze(s)
        return Position(draft, data, previous=self, luck=self.luck, turned=self.turned, chances=self.chances, poked=True)

    def _fresh(self, data: bytes) -> Position:
        """The same draft with other bytes and no history."""
        return Position(self.draft, data, luck=self.luck, turned=self.turned, chances=self.chances, poked=self.poked)

    # ------------------------------------------------------------ hidden information

    def seen_by(self, seat: str | None) -> hidden.Seen:
        """What a seat may know (None: a spectator), as plain data."""
        return hidden.seen_by(self, seat)

    def resample(self, seat: str | None, luck: int) -> Position:
        """A full position that agrees with all the seat has seen; ``luck`` picks which."""
        return hidden.resample(self, seat, luck)

    # ------------------------------------------------------------ as text

    def __str__(self) -> str:
        return notation.line(self.draft.ruleset.schema, self.state, self.draft.key)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><th style='text-align:left'>{escape(pick(_meaning(self, n)))}</th><td>{_cell(v)}</td></tr>"
                       for n, v in self.fields().items() if v not in ("-", {}) and n != "players")
        return f"<table>{rows}</table><code>{escape(str(self))}</code>"

    def table(self, seat: str = "designer", *, lang: str | None = None) -> object:
        """The table as a picture: prints as text, shows as SVG in a notebook. ``seat``: whose eyes ("designer": all)."""
        # the package's public name, looked up when asked for: the core knows no picture
        return import_module("workbench").table(self, seat, lang=lang)

    def to_json(self) -> str:
        """The position as JSON; :func:`read` takes it back."""
        d = self.draft
        head = {"workbench": "position", "draft": d.key, "digest": d.digest, "players": d.players}
        return notation.to_json(d.ruleset.schema, self.state, head)

    def save(self, path: str | Path) -> Path:
        """Write the game that led here to a file; ``workbench replay`` and :func:`replay` open it."""
        from workbench.core.saved import save

        return save(self, Path(path))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.data == other.data and self.draft == other.draft

    def __hash__(self) -> int:
        return hash((self.data, self.draft.digest))

    def __reduce__(self):
        return _again, (self.draft, self.data, self.codes and self.history[0].data, [c for _, c in self.codes],
                        self.luck, self.turned)


def _again(draft: Draft, data: bytes, start: bytes, codes: list[int], luck: int | None, turned: int) -> Position:
    """A pickled position with its history, where no poke stands in it."""
    if start:
        position = Position(draft, start, luck=luck, turned=turned)
        for code in codes:
            position = position._step(code)
        if position.data == data:
            return position
    return Position(draft, data, luck=luck, turned=turned)


def _meaning(position: Position, name: str) -> dict:
    d = position.draft.ruleset.schema.fields[name].declared
    return {"en": d.en or name, "ja": d.ja or name}


def _cell(value: object) -> str:
    from html import escape

    if isinstance(value, dict):
        return " &nbsp; ".join(f"<small>{escape(str(k))}</small> {_cell(v)}" for k, v in value.items())
    return escape(str(value))


def read(text: str, *, draft: Draft | None = None) -> Position:
    """A position from its one-line notation or its JSON.

    Args:
        draft: read it under this draft; needed when a rule was replaced in a cell of another session.

    Raises:
        DamagedFile: not a position, or a value that cannot be; BrokenPosition: pieces lost or doubled.

    >>> import workbench as wb
    >>> pos = wb.load("omerta").start(luck=7)
    >>> wb.read(str(pos)) == pos
    True
    """
    from workbench.core.draft import draft_of_key

    text = text.strip()
    try:
        if text.startswith("{"):
            doc = json.loads(text)
            if doc.get("workbench") != "position":
                raise DamagedFile(say("notation.json"))
            d = draft or draft_of_key(doc["draft"])
            s = notation.from_json(d.ruleset.schema, doc["state"], d.players)
        else:
            key, _, rest = text.partition(" ")
            d = draft or draft_of_key(key)
            s = notation.read_line(d.ruleset.schema, rest, d.players)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as e:
        if isinstance(e, WorkbenchError):
            raise
        raise DamagedFile(f"{say('notation.json')} ({type(e).__name__}: {e})") from None
    faults = d.ruleset.schema.faults(s, d.fresh)
    if not faults and "derive" in d.plain._namespace:
        d.plain.derive(d.p, s)
        d.plain.cite.take()
        faults = d.ruleset.schema.faults(s, d.fresh)
    if faults:
        raise BrokenPosition(faults)
    return Position(d, d.ruleset.schema.freeze(s))

"""Compares what an example expects with a position: each expectation that fails becomes a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.checks.example_file import split
from workbench.checks.placing import field_named, get, parts
from workbench.core import notation
from workbench.core.errors import UnknownName, WorkbenchError
from workbench.core.language import say
from workbench.core.position import Event, Position

Fault = tuple[tuple[str, ...], str]
"""The key under the example's table, and the sentence."""


@dataclass(frozen=True)
class Wanted:
    """An event that an example names: "OM-O6 P1 2"; a part left out may be anything."""

    rule: str
    seat: str | None = None
    n: str | None = None

    def meets(self, event: Event) -> bool:
        """Whether this event is meant."""
        if event.rule != self.rule or self.seat is not None and (event.seat or "-") != self.seat:
            return False
        return self.n is None or event.n in _numbers(event, self.n)


def wanted(position: Position, text: str) -> Wanted:
    """Read one event.

    Raises:
        UnknownName: no such rule or seat. WorkbenchError: too many words.
    """
    words = text.split()
    rules = position.draft.ruleset.rule_ids[1:]
    if words[0] not in rules:
        raise UnknownName("rule", words[0], rules)
    if len(words) > 3:
        raise WorkbenchError(say("check.event_words", met=text))
    if len(words) > 1 and words[1] != "-":
        position.seat_index(words[1])
    return Wanted(*words)


def _numbers(event: Event, text: str) -> set[int]:
    """The numbers a word can stand for: itself, a piece or a seat."""
    try:
        return {int(text)}
    except ValueError:
        rules = event.draft.ruleset
        kinds = [k.names for k in rules.pieces.values()] + [rules.schema.seat_names]
        return {names.index(text) for names in kinds if text in names}


def compare(position: Position, expect: dict[str, object], happened: list[Event]) -> list[Fault]:
    """What differs between the expectations and the position; ``happened``: the events up to it."""
    found: list[Fault] = []
    for key, value in expect.items():
        try:
            found += COMPARE[key](position, value, happened)
        except WorkbenchError as e:
            found.append(((key,), str(e)))
    return found


def differs(what: str, expected: object, met: object) -> str:
    """The sentence of a difference."""
    return say("check.differs", what=what, expected=_shown(expected), met=_shown(met))


def _shown(v: object) -> str:
    if isinstance(v, (list, tuple)):
        return ", ".join(map(str, v)) or "–"
    return "–" if v in ("", "-") else str(v)


def _legal(position: Position, value: object, _: list[Event]) -> Iterator[Fault]:
    moves, now = position.draft.ruleset.moves, position.moves
    names = {}
    for text in split(value):
        names[text] = text if text in now else moves.name(moves.parse(text, position.phase))
    if set(names.values()) != set(now):
        extra = [n for n in now if n not in names.values()]
        short = [t for t, n in names.items() if n not in now]
        said = say("check.legal_more", moves=_shown(extra)) if extra else ""
        said += say("check.legal_fewer", moves="; ".join(str(position.why_not(names[t])) for t in short)) if short else ""
        yield ("legal",), differs(say("check.of.legal", seat=position.to_move), split(value), now) + said


def _refused(position: Position, value: dict, _: list[Event]) -> Iterator[Fault]:
    for move, rule in value.items():
        try:
            refusal = position.why_not(move)
            if rule != "-" and rule not in position.draft.ruleset.rule_ids[1:]:
                raise UnknownName("rule", rule, position.draft.ruleset.rule_ids[1:])
        except WorkbenchError as e:
            yield ("refused", move), str(e)
            continue
        met = say("check.allowed") if refusal is None else str(refusal)
        if refusal is None or (refusal.rule or "-") != rule:
            yield ("refused", move), differs(say("check.of.refused", move=move), say("check.forbidden", rule=rule), met)


def _fields(position: Position, value: dict, _: list[Event]) -> Iterator[Fault]:
    schema, s = position.draft.ruleset.schema, position.state
    for name, wish in value.items():
        try:
            f = field_named(schema, name)
            for where, text in parts(schema, f, wish, s.players):
                expected, met = notation.value_of(schema, f, text), get(s, name, where)
                if expected != met:
                    spot = name + "".join(f"[{a[i]}]" for a, i in zip(f.axes, where, strict=True))
                    yield ("fields", name), differs(spot, *(notation.value_name(schema, f, v).replace(",", " ")
                                                            for v in (expected, met)))
        except WorkbenchError as e:
            yield ("fields", name), str(e)


def _score(position: Position, value: dict, _: list[Event]) -> Iterator[Fault]:
    met = position.score
    for seat, n in value.items():
        position.seat_index(seat)
        if met[seat] != n:
            yield ("score", seat), differs(say("check.of.score", seat=seat), n, met[seat])


def _winners(position: Position, value: object, _: list[Event]) -> Iterator[Fault]:
    for seat in split(value):
        position.seat_index(seat)
    if set(split(value)) != set(position.winners):
        yield ("winners",), differs(say("check.of.winners"), split(value), position.winners)


def _to_move(position: Position, value: str, _: list[Event]) -> Iterator[Fault]:
    if value not in ("chance", "over"):
        position.seat_index(value)
    if value != position.to_move:
        yield ("to_move",), differs(say("check.of.to_move"), value, position.to_move)


def _events(position: Position, value: object, happened: list[Event]) -> Iterator[Fault]:
    start = 0
    for text in split(value):
        want = wanted(position, text)
        at = next((i for i in range(start, len(happened)) if want.meets(happened[i])), None)
        if at is None:
            same = [e for e in happened if e.rule == want.rule] or happened[start:][-12:]
            why = say("check.event_order") if any(want.meets(e) for e in happened) else ""
            yield ("events",), differs(say("check.of.event"), text, [_short(e) for e in same]) + why
            return
        start = at + 1


def _no_events(position: Position, value: object, happened: list[Event]) -> Iterator[Fault]:
    for text in split(value):
        want = wanted(position, text)
        for e in happened:
            if want.meets(e):
                yield ("no_events",), differs(say("check.of.no_event"), say("check.not", what=text), f"{_short(e)}: {e.sentence()}")


def _short(e: Event) -> str:
    return f"{e.rule} {e.seat or '-'} {e.n}"


def _seen_by(position: Position, value: dict, _: list[Event]) -> Iterator[Fault]:
    for seat, wish in value.items():
        seen = position.seen_by(None if seat == "-" else seat).fields
        if not isinstance(wish, dict):
            raise WorkbenchError(say("check.type", key=f"seen_by.{seat}", expected=say("check.a.table"), met=wish))
        for name, part in wish.items():
            field_named(position.draft.ruleset.schema, name)
            for where, expected, met in _seen_parts(name, part, seen[name]):
                if _words(expected) != _words(met):
                    yield ("seen_by", seat, name), differs(say("check.of.seen", seat=seat, where=where), expected, met)


def _seen_parts(where: str, wish: object, met: object) -> Iterator[tuple[str, object, object]]:
    if isinstance(wish, dict) and isinstance(met, dict):
        for k, v in wish.items():
            if k not in met:
                raise UnknownName("place", k, met)
            yield from _seen_parts(f"{where}[{k}]", v, met[k])
    else:
        yield where, wish, met


def _words(v: object) -> list[str]:
    return sorted(str(v).replace(",", " ").split())


COMPARE = {"legal": _legal, "refused": _refused, "fields": _fields, "score": _score, "winners": _winners,
           "to_move": _to_move, "events": _events, "no_events": _no_events, "seen_by": _seen_by}

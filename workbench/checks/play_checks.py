"""Checks of play: games end soundly, legal and refused agree, the past stays, everything reads back."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

from workbench.checks.walks import Sample, Walk, Wrong, checked_engine, crash, seated_codes
from workbench.core.draft import draft_of_key
from workbench.core.errors import WorkbenchError
from workbench.core.language import LANGUAGES, say
from workbench.core.moves import Kind
from workbench.core.position import Position, read
from workbench.core.ruleset import find
from workbench.core.vocabulary import ALLOWED, CHANCE, OVER


def ends(sample: Sample) -> Iterator[str]:
    """Games end, keep every piece and stay in range, played at random and by each bot, on rows that refuse a wrong index."""
    d = sample.draft
    for bot in range(1 + len(d.ruleset.bots)):
        for g in range(sample.games if bot == 0 else max(1, sample.games // 5)):
            walk = Walk(d, sample.luck(g), g % d.players, bot)
            for _ in walk.steps():
                faults = sample.faults(walk.s)
                if faults:
                    yield "; ".join(f"{f}: {why}" for f, why in faults) + walk.where()
                    break
            else:
                yield from _outcome(walk)


def _outcome(walk: Walk) -> Iterator[str]:
    for what in ("score", "won"):
        for seat in range(walk.draft.players):
            value = getattr(walk.engine, what)(walk.p, walk.s, seat)
            if not isinstance(value, int) or (what == "won" and value not in (0, 1)):
                yield say("check.outcome", what=what, seat=walk.draft.seat_names[seat], met=value) + walk.where()


def legal(sample: Sample) -> Iterator[str]:
    """The list of legal moves and the reasons for refusals agree on every code, every legal move applies, every refusal has a text."""
    d = sample.draft
    for g in range(sample.games):
        walk = Walk(d, sample.luck(g), g % d.players, checked=False)
        for who, found in walk.steps():
            if who == OVER:
                break
            now = [k for k in d.ruleset.moves.kinds.values() if d.ruleset.phases[walk.s.phase] in k.phases]
            if who == CHANCE:
                yield from _weights(walk, [k for k in now if not k.luck and k.chance])
                continue
            yield from _agree(walk, [k for k in now if not k.chance], found)
    yield from _applies(sample)


def _agree(walk: Walk, kinds: list[Kind], found: list[int]) -> Iterator[str]:
    d = walk.draft
    moves = d.ruleset.moves
    legal = set(found)
    if len(legal) != len(found):
        yield say("check.legal_twice", moves=", ".join(sorted({moves.name(c) for c in found if found.count(c) > 1}))) + walk.where()
    open_now = []
    refused = set()
    for kind in kinds:
        for code in walk.codes(kind):
            number = walk.engine.forbids(walk.p, walk.s, code)
            if number == ALLOWED:
                open_now.append(code)
            elif not 0 < number < len(d.ruleset.rule_ids):
                yield say("check.no_rule", move=moves.name(code), number=number) + walk.where()
            elif code in legal:
                yield say("check.listed", move=moves.name(code), rule=d.ruleset.rule_ids[number]) + walk.where()
            else:
                refused.add(number)
    for number in sorted(refused):
        yield from _has_text(walk, d.ruleset.rule_ids[number])
    for code in open_now:
        if code not in legal:
            yield say("check.unlisted", move=moves.name(code)) + walk.where()
    for code in found:
        if moves.of(code)[0] not in kinds:
            yield say("check.foreign_move", move=moves.name(code)) + walk.where()


def _has_text(walk: Walk, id: str) -> Iterator[str]:
    said = walk.draft.ruleset.say.get("refusals", {}).get(id)
    for lang in LANGUAGES:
        try:
            text = (said or {}).get(lang) if said is not None else walk.draft.rule(id, lang)
        except WorkbenchError:
            text = None
        if not text:
            yield say("check.no_text", id=id, lang=lang) + walk.where()


def _weights(walk: Walk, kinds: list[Kind]) -> Iterator[str]:
    d = walk.draft
    total = 0
    for kind in kinds:
        for code in walk.codes(kind):
            weight = getattr(walk.engine, f"weight_{kind.name}")(walk.p, walk.s, *d.ruleset.moves.of(code)[1])
            total += weight
            if weight < 0:
                yield say("check.weight", move=d.ruleset.moves.name(code), met=weight) + walk.where()
    if kinds and total <= 0:
        yield say("check.weights") + walk.where()


def _applies(sample: Sample) -> Iterator[str]:
    """Every legal move, not only the one that a game took, applies."""
    d = sample.draft
    for position in sample.positions(6):
        for code in position.legal:
            try:
                position._step(code)
            except Exception as e:
                yield say("check.applies", move=d.ruleset.moves.name(code)) + f" {crash(e, d.ruleset.folder)}" + sample.where(position)


def immutable(sample: Sample) -> Iterator[str]:
    """Earlier positions and the parameters stay what they were, and asking a question changes nothing."""
    d = sample.draft
    before = repr(vars(d.ruleset.parameters.plain(d.values)))
    for last in sample.played:
        seen = [(p, p.data, str(p), list(p.legal), p.score) for p in last.history[:: max(1, len(last.history) // 12)]]
        _another_way(last)
        for p, data, line, moves, score in seen:
            again = p._fresh(p.data)
            if (p.data, str(p), again.legal, again.score) != (data, line, moves, score):
                yield say("check.past") + sample.where(p)
    if repr(vars(d.p)) != before:
        yield say("check.params", before=before, after=repr(vars(d.p)))
    for position in sample.positions(6):
        yield from _asking(sample, position)


def _another_way(last: Position) -> None:
    """Go back and play another move, so that a shared row would show."""
    for p in last.history[::5]:
        if len(p.legal) > 1 and not p.over:
            p.play(p.legal[-1])
    if last.previous is not None:
        last.undo()


def _asking(sample: Sample, position: Position) -> Iterator[str]:
    """No question of the plain engine changes the state it is asked about."""
    d, s = sample.draft, position.state
    e, p, w = d.plain, d.p, d.workspace()
    questions = [("to_move", lambda: e.to_move(p, s))]
    if position.to_move not in ("chance", "over"):
        asked = [k for k in d.ruleset.moves.kinds.values() if not k.luck and position.phase in k.phases]
        questions += [("legal", lambda: e.legal(p, s, w)),
                      ("forbids", lambda: [e.forbids(p, s, c) for k in asked for c in seated_codes(d, k)])]
    for i in range(d.players):
        questions += [(what, lambda i=i, what=what: getattr(e, what)(p, s, i)) for what in ("score", "won")]
    for name, ask in questions:
        ask()
        if d.ruleset.schema.freeze(s) != position.data:
            yield say("check.asking", what=name) + sample.where(position)
            s = position.state


def replay(sample: Sample) -> Iterator[str]:
    """A game's log leads from the start to the same positions, names of moves read back, and a pickled game is whole."""
    d = sample.draft
    moves = d.ruleset.moves
    for last in sample.played:
        position = d.start(luck=None, turned=last.turned)
        for p in last.history[1:]:
            name = moves.name(p.code)
            if moves.parse(name, p.previous.phase) != p.code:
                yield say("check.name", move=name, code=p.code, met=moves.name(moves.parse(name, p.previous.phase))) + sample.where(p.previous)
                return
            try:
                position = position.play(name)
            except WorkbenchError as e:
                yield say("check.replay", move=name) + f" {e}" + sample.where(p.previous)
                break
            if position.data != p.data:
                yield say("check.replay", move=name) + sample.where(p.previous) + f"\n  {position}"
                break
        else:
            again = pickle.loads(pickle.dumps(last))
            if again != last or again.log != last.log:
                yield say("check.pickle") + sample.where(last)


def notation(sample: Sample) -> Iterator[str]:
    """Every position reads back from its line and from its JSON, and the draft from its key."""
    d = sample.draft
    for last in sample.played:
        for i, p in enumerate(last.history):
            if not sample.sound(p):
                continue
            for what, text in (("line", str(p)), ("JSON", p.to_json()))[: 1 if i % 3 else 2]:
                try:
                    again = read(text, draft=d)
                except WorkbenchError as e:
                    yield say("check.unreadable", what=what) + f" {e}" + sample.where(p)
                    continue
                if again.data != p.data:
                    yield say("check.reads", what=what) + sample.where(p) + f"\n  {again}"
    if d.new_rules:
        return  # a cell's rule has no name that another session could read
    if find(d.ruleset.name) == d.ruleset.folder and draft_of_key(d.key) != d:
        yield say("check.key", key=d.key, met=draft_of_key(d.key).key)


def derived(sample: Sample) -> Iterator[str]:
    """Fields marked derived are what ``derive`` works out, at every position."""
    d = sample.draft
    fields = [n for n, f in d.ruleset.schema.fields.items() if f.declared.derived]
    if not fields:
        return
    if "derive" not in d.plain._namespace:
        raise Wrong(say("check.no_derive", fields=", ".join(fields)))
    engine, p = checked_engine(d)
    for last in sample.played:
        for position in last.history:
            s = position.state
            engine.derive(p, s)
            again = d.ruleset.schema.freeze(s)
            if again != position.data:
                met = position._fresh(again)
                wrong = [n for n in d.ruleset.schema.fields if met[n] != position[n]]
                yield say("check.derive", fields="; ".join(f"{n}: {position[n]} / {met[n]}" for n in wrong)) + sample.where(position)



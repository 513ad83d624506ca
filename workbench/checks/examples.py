"""Worked examples that run: the rules' own test, and what a rulebook can show.

>>> from workbench.core.ruleset import load_ruleset
>>> rules = load_ruleset("omerta")
>>> examples = read_examples(rules.folder / "examples.toml")
>>> run_example(rules, examples[0])
[]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.checks.example_file import HERE, Example, Run, Step, read_examples, split
from workbench.checks.expecting import Fault, compare
from workbench.checks.placing import Misplaced, place
from workbench.checks.walks import crash
from workbench.core.draft import Draft, draft_of_key, load
from workbench.core.errors import UnknownName, WorkbenchError
from workbench.core.language import say
from workbench.core.position import Event, Position, read
from workbench.core.ruleset import Ruleset

__all__ = ["Example", "Failure", "Played", "play_example", "play_run", "read_examples", "run_example", "start_of"]

FORCED_CAP = 10_000


@dataclass(frozen=True)
class Failure:
    """An expectation that does not hold: where it stands, and what was expected and met."""

    example: str
    rules: tuple[str, ...]
    file: Path
    line: int | None
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.example} [{', '.join(self.rules)}]: {self.sentence}"


@dataclass
class Played:
    """An example after it ran: what failed, which rules it cited, and the last position of each run."""

    failures: list[Failure] = field(default_factory=list)
    cited: set[str] = field(default_factory=set)
    ends: list[Position] = field(default_factory=list)


class _Stop(Exception):
    """A run cannot go on; holds the path of the key and the sentence."""


def run_example(ruleset: Ruleset, example: Example) -> list[Failure]:
    """What an example expects and the rules do not do; empty when it holds."""
    return play_example(ruleset, example).failures


def play_example(ruleset: Ruleset, example: Example) -> Played:
    """Play every run of an example and compare, and see that each rule it claims acted in it."""
    played = Played()
    for run in example.runs:
        try:
            position, faults = play_run(ruleset, run, played.cited)
            played.ends.append(position)
            played.failures += [_failure(example, at, text) for at, text in faults]
        except _Stop as e:
            played.failures.append(_failure(example, *e.args))
        except Exception as e:  # a rule broke off, which an incomplete position can bring about
            played.failures.append(_failure(example, run.at, crash(e, ruleset.folder)))
    if not played.failures:
        played.failures += [_failure(example, (*example.at, "rules"), text)
                            for text in _claims(ruleset, example, played.cited)]
    return played


def _failure(example: Example, at: tuple, sentence: str) -> Failure:
    return Failure(example.id, example.rules, example.file, example.line_of(at), sentence)


def draft_of(ruleset: Ruleset, run: Run, *, changes: dict | None = None) -> Draft:
    """The draft that a run is played under; ``changes`` come on top of the run's own.

    Raises:
        WorkbenchError: no such draft, number or reading.
    """
    name, players = run.draft, run.players
    wished = {**run.changes, **(changes or {})}
    if run.position and ":" in run.position.split(" ")[0]:
        d = draft_of_key(run.position.split(" ")[0])
        if d.ruleset.name != ruleset.name:
            raise WorkbenchError(say("check.other_game", key=d.key, game=ruleset.name))
        wished = wished if name else {**d.changes, **wished}
        name, players = name or d.name, players or d.players
    return load(ruleset.folder, name, players=players, **wished)


def start_of(ruleset: Ruleset, run: Run, draft: Draft | None = None) -> Position:
    """The position that a run starts from, before its first step.

    Raises:
        WorkbenchError: a draft or a notation line that cannot be read.
    """
    d = draft or draft_of(ruleset, run)
    if run.position is None:
        return d.start(luck=run.luck)
    first, _, rest = run.position.strip().partition(" ")
    return read(f"{d.key} {rest if ':' in first else run.position}", draft=d)


def play_run(ruleset: Ruleset, run: Run, cited: set[str], *, changes: dict | None = None) -> tuple[Position, list[Fault]]:
    """Play one run; its last position and what failed. Ids that really acted are added to ``cited``.

    Raises:
        _Stop: it could not be played to its end.
    """
    key = "position" if run.position else "changes" if run.changes else "draft"
    try:
        position = start_of(ruleset, run, draft_of(ruleset, run, changes=changes))
    except WorkbenchError as e:
        raise _Stop((*run.at, key), str(e)) from None
    faults: list[Fault] = []
    since: Position | None = None
    for i, step in enumerate(run.steps):
        if step.given:
            if i and not run.steps[i - 1].expect and not run.steps[i - 1].stays:
                position = _all_forced(position)
            try:
                position = place(position, step.given, step.rest)
            except Misplaced as e:
                raise _Stop((*step.given_at, *(() if e.key == "rest" else ("given",)), e.key), str(e)) from None
        if step.given or i:
            since = position
        for move in step.moves:
            position = _take(position, step, move)
        position, happened, here = _settled(position, since, step)
        cited |= {e.rule for e in happened}
        for move in step.expect.get("refused", {}) if not here else ():  # type: ignore[attr-defined]
            cited.add(position.why_not(move).rule or "")  # type: ignore[union-attr]
        faults += here
    return position, faults


def forced(position: Position) -> bool:
    """Whether there is one move only, a decision or a draw that can come up one way."""
    return len(position.legal) == 1 and len(position.moves) == 1


def _all_forced(position: Position) -> Position:
    for _ in range(FORCED_CAP):
        if not forced(position):
            break
        position = position.play(position.legal[0])
    return position


def _take(position: Position, step: Step, text: str) -> Position:
    """Play a listed move; forced moves that stand before it are taken."""
    at = (*step.moves_at, "moves")
    for _ in range(FORCED_CAP):
        try:
            seat, move = _seat_and_move(position, text)
            refusal = position.why_not(move)
        except UnknownName as e:
            raise _Stop(at, f"{text}: {e}\n  {position}") from None
        if refusal is None and seat in (None, position.to_move):
            return position.play(move)
        if not forced(position):
            break
        position = position.play(position.legal[0])
    if refusal is None:
        raise _Stop(at, say("check.other_seat", move=text, seat=position.to_move, position=position))
    raise _Stop(at, say("check.not_legal", move=text, refusal=refusal, position=position))


def _seat_and_move(position: Position, text: str) -> tuple[str | None, str]:
    """A listed move may begin with its seat, as in "P0 A6"."""
    moves = position.draft.ruleset.moves
    first, _, rest = text.partition(" ")
    if rest and first in position.draft.seat_names:
        try:
            moves.parse(text, position.phase)
        except UnknownName:
            return first, rest
    return None, text


def _settled(position: Position, since: Position | None, step: Step) -> tuple[Position, list[Event], list[Fault]]:
    """Where a step's expectations are compared: after its moves, or after forced moves that lead to what is expected."""
    tried = []
    for _ in range(FORCED_CAP):
        happened = _since(position, since)
        faults = [((*step.at, *at), text) for at, text in compare(position, step.expect, happened)]
        tried.append((position, happened, faults))
        only_absent = set(step.expect) == {"no_events"}
        if not step.expect or (not faults and not only_absent) or any(k in step.expect for k in HERE) or not forced(position):
            break
        position = position.play(position.legal[0])
    if set(step.expect) == {"no_events"} or not tried[-1][2]:
        best = tried[-1]
    else:  # none fits: the one nearest to what was expected, the later of equals
        best = min(reversed(tried), key=lambda t: len(t[2]))
    position, happened, faults = best
    if faults and len(tried) > 1:
        log = position.log[len(tried[0][0].log):]
        forced_by = say("check.forced", moves=", ".join(log)) if log else ""
        faults = [(at, text + forced_by) for at, text in faults]
    return position, happened, [(at, f"{text}\n  {position}") for at, text in faults]


def _since(position: Position, since: Position | None) -> list[Event]:
    """What happened after ``since`` (None: from the start), in order."""
    chain: list[Position] = []
    while position is not since and position is not None:
        chain.append(position)
        position = position.previous  # type: ignore[assignment]
    return [e for p in reversed(chain) for e in p.own_events]


# ---------------------------------------------------------------- does it show what it claims?


def _claims(ruleset: Ruleset, example: Example, cited: set[str]) -> Iterator[str]:
    """A sentence for each rule that the example claims and that did not act in it."""
    shown = cited | absent(example)
    for run in example.runs:
        named = {**run.changes, **(draft_of(ruleset, run).values if run.draft else {})}
        shown |= {p.question_id for n, p in ruleset.parameters.entries.items() if n in named and p.question_id}
    quiet = {*ruleset.game.get("uncited", ()), *ruleset.params_doc.get("settled", {})}
    for rule in example.rules:
        if rule not in ruleset.rule_ids[1:] and rule not in shown:
            yield str(UnknownName("rule", rule, ruleset.rule_ids[1:]))
        elif rule not in shown | quiet:
            yield say("check.claim", rule=rule, cited=", ".join(sorted(cited - {""})) or "–")


def absent(example: Example) -> set[str]:
    """The rules that an example shows by their not acting."""
    return {text.split()[0] for run in example.runs for s in run.steps for text in split(s.expect.get("no_events", ()))}

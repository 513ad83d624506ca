"""Check of the examples: they hold, and together they show every rule that acts and every reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.checks.examples import Example, Run, _Stop, draft_of, play_example, play_run, read_examples
from workbench.checks.text_checks import code_ids
from workbench.core.draft import Draft
from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.core.params import Parameter
from workbench.core.ruleset import Ruleset

FILE = "examples.toml"


def examples(ruleset: Ruleset, drafts: list[Draft], files: Sequence[str | Path] = ()) -> Iterator[str]:
    """Every example holds; each rule that code cites has one, and each reading has one whose result it changes.

    Args:
        files: read these instead of the ruleset's own, and ask no more than that they hold.
    """
    own = not files
    found = [e for f in files or (ruleset.folder / FILE,) for e in read_examples(f)]
    if not found:
        yield f"{ruleset.folder / FILE}: " + say("check.no_examples")
    cited: set[str] = set()
    failed = False
    for example in found:
        played = play_example(ruleset, example)
        cited |= played.cited
        failed = failed or bool(played.failures)
        yield from map(str, played.failures)
    if own and not failed:  # what is missing is told when what is there holds
        code = set().union(*map(code_ids, drafts))
        for id in sorted(code - cited - set(ruleset.game.get("uncited", ()))):
            yield f"{ruleset.folder / FILE}: " + say("check.no_example", id=id)
        yield from _unshown(ruleset, found)


def _unshown(ruleset: Ruleset, found: list[Example]) -> Iterator[str]:
    """A sentence for each reading that no example names and shows."""
    quiet = ruleset.game.get("uncited", ())
    played = [[(run, draft_of(ruleset, run).values) for run in example.runs] for example in found]
    for name, parameter in ruleset.parameters.entries.items():
        without_effect = parameter.question_id in quiet
        for reading in parameter.readings:
            named = list(_named(played, parameter, reading))
            if not named:
                if not (without_effect and reading == parameter.default):
                    yield f"{ruleset.folder / FILE}: " + say("check.no_reading", name=name, reading=reading)
            elif not without_effect and not any(_matters(ruleset, run, parameter, reading) for run in named):
                yield f"{ruleset.folder / FILE}: " + say("check.same_reading", name=name, reading=reading)


def _named(played: list[list[tuple[Run, dict]]], parameter: Parameter, reading: str) -> Iterator[Run]:
    """Runs under this reading: it stands in their changes or draft, or is set against another in their example."""
    name = parameter.name
    for runs in played:
        told = any(name in run.changes for run, _ in runs) or len({values[name] for _, values in runs}) > 1
        yield from (run for run, values in runs if values[name] == reading and (told or reading != parameter.default))


def _matters(ruleset: Ruleset, run: Run, parameter: Parameter, reading: str) -> bool:
    """Whether the run would not hold under another reading."""
    for other in parameter.readings:
        if other != reading:
            try:
                if play_run(ruleset, run, set(), changes={parameter.name: other})[1]:
                    return True
            except (_Stop, WorkbenchError):
                return True
    return False

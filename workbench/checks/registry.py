"""The list of checks, and the one function that runs them over every draft and number of players."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.checks import engine_checks, hidden_checks, play_checks
from workbench.checks.example_checks import examples as _examples
from workbench.checks.report import Report, Row
from workbench.checks.text_checks import text as _text
from workbench.checks.transcripts import transcripts as _transcripts
from workbench.checks.walks import Sample, crash, told
from workbench.core.draft import Draft, load, named_drafts, players_of
from workbench.core.errors import OutOfRange, UnknownName, WorkbenchError
from workbench.core.language import LANGUAGES, say
from workbench.core.ruleset import Ruleset, load_ruleset

GAMES = 12
"""Random games a check looks at, a draft and number of players."""


@dataclass(frozen=True)
class Check:
    """One check: ``function(sample)`` of a draft, or ``function(ruleset, drafts)`` of the whole ruleset."""

    name: str
    function: Callable[..., Iterator[str]]
    whole: bool = False

    @property
    def title(self) -> dict[str, str]:
        """What it makes sure of, in both languages."""
        return {lang: say(f"check.title.{self.name}", lang) for lang in LANGUAGES}

    def run(self, draft: Draft, *, games: int = GAMES, seed: int = 1) -> list[str]:
        """The failures of this check on one draft, as sentences; empty when it holds."""
        if self.whole:
            return told(lambda s: self.function(draft.ruleset, [draft]), Sample(draft, games, seed))
        return told(self.function, Sample(draft, games, seed))


CHECKS: dict[str, Check] = {c.name: c for c in (
    Check("text", _text, whole=True),
    Check("examples", _examples, whole=True),
    Check("transcripts", _transcripts, whole=True),
    Check("ends", play_checks.ends),
    Check("legal", play_checks.legal),
    Check("immutable", play_checks.immutable),
    Check("replay", play_checks.replay),
    Check("notation", play_checks.notation),
    Check("derived", play_checks.derived),
    Check("redaction", hidden_checks.redaction),
    Check("resample", hidden_checks.resample),
    Check("bots", hidden_checks.bots),
    Check("engines", engine_checks.engines),
    Check("rulings", engine_checks.rulings),
)}


def check(ruleset: str | Path | Ruleset, *, drafts: Iterable[str | Draft] | None = None, only: Iterable[str] | None = None,
          players: Iterable[int] | int | None = None, games: int = GAMES, seed: int = 1,
          examples: str | Path | Sequence[str | Path] | None = None,
          progress: Callable[[int, int, Row], None] | None = None) -> Report:
    """Run the checks over a ruleset: every draft, every number of players.

    Args:
        ruleset: a name, a folder, or one already read.
        drafts: names of drafts, or drafts themselves (as after a changed rule); all named ones when left out.
        only: names of checks; all when left out.
        players: these numbers of players only.
        games, seed: how many random games a check looks at, and the number they follow from.
        examples: files of worked examples to run instead of the ruleset's own.
        progress: called after each row with how many are done, how many there are, and the row.

    Raises:
        UnknownName, OutOfRange: no such check, draft or number of players. RulesetError: the ruleset cannot be read.
    """
    rules = ruleset if isinstance(ruleset, Ruleset) else load_ruleset(ruleset)
    names = list(CHECKS) if only is None else [only] if isinstance(only, str) else list(only)
    for n in names:
        if n not in CHECKS:
            raise UnknownName("check", n, CHECKS)
    if games < 1:
        raise OutOfRange(say("check.games", met=games))
    files = [examples] if isinstance(examples, (str, Path)) else list(examples or ())
    wished = list(drafts) if drafts is not None else list(named_drafts(rules)["drafts"])
    opened = [d if isinstance(d, Draft) else load(rules.folder, d) for d in wished]
    counts = _counts(rules, opened, players)
    jobs = list(_jobs(rules, [CHECKS[n] for n in CHECKS if n in names], opened, counts, games, seed, files))
    report = Report(titles={n: c.title for n, c in CHECKS.items()})
    for done, (c, draft, n, job) in enumerate(jobs, 1):
        start = time.perf_counter()
        failures = tuple(job())
        report.rows.append(Row(rules.name, draft, n, c.name, not failures, failures, time.perf_counter() - start))
        if progress is not None:
            progress(done, len(jobs), report.rows[-1])
    return report


def _counts(rules: Ruleset, drafts: list[Draft], players: Iterable[int] | int | None) -> dict[Draft, list[int]]:
    """For each draft the numbers of players to look at, of those that it is for."""
    known = {d: players_of(rules, d.name) for d in drafts}
    if players is None:
        return {d: list(ns) for d, ns in known.items()}
    wished = [players] if isinstance(players, int) else list(players)
    for n in wished:
        if not any(n in ns for ns in known.values()):
            lo, hi = (f(f(ns) for ns in known.values() if ns) for f in (min, max)) if known else (0, 0)
            raise OutOfRange(say("players", game=rules.name, n=n, lo=lo, hi=hi))
    return {d: [n for n in wished if n in ns] for d, ns in known.items()}


def _jobs(rules: Ruleset, checks: list[Check], opened: list[Draft], counts: dict[Draft, list[int]], games: int, seed: int,
          files: list) -> Iterator[tuple[Check, str, int, Callable[[], list[str]]]]:
    """Each row to come: the check, the draft's label, the players, and what to call."""
    for c in checks:
        if c.whole:
            more = (files,) if c.name == "examples" else ()
            yield c, "-", 0, lambda c=c, more=more: _guarded(rules, lambda: c.function(rules, opened, *more))
    for d in opened:
        for n in counts[d]:
            sample = Sample(d.vary(players=n), games, seed)
            for c in checks:
                if not c.whole:
                    yield c, d.label, n, lambda c=c, sample=sample: told(c.function, sample)


def _guarded(rules: Ruleset, function: Callable[[], Iterator[str]]) -> list[str]:
    """All failures of a check of the whole ruleset; an error that stops it is one of them."""
    found: list[str] = []
    try:
        for sentence in function():
            found.append(sentence)
    except WorkbenchError as e:
        found.append(str(e))
    except Exception as e:
        found.append(crash(e, rules.folder))
    return found



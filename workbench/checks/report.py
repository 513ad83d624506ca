"""What a run of the checks found, as a table for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from workbench.core.language import padded, pick, say, width


@dataclass(frozen=True)
class Row:
    """One check on one draft and number of players; ``draft`` "-" and ``players`` 0 for a check of the whole ruleset."""

    ruleset: str
    draft: str
    players: int
    check: str
    ok: bool
    failures: tuple[str, ...]
    seconds: float

    @property
    def where(self) -> str:
        """What was checked, in a word."""
        return f"{self.ruleset}:{self.draft}@{self.players}" if self.players else self.ruleset


@dataclass
class Report:
    """The rows of a run of the checks.

    Attributes:
        titles: each check's title in both languages, by name.
    """

    rows: list[Row] = field(default_factory=list)
    titles: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether something was checked and all of it held."""
        return bool(self.rows) and all(r.ok for r in self.rows)

    @property
    def failures(self) -> list[Row]:
        """The rows that failed."""
        return [r for r in self.rows if not r.ok]

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps({"ok": self.ok, "rows": [asdict(r) for r in self.rows]}, ensure_ascii=False, indent=1)

    def __str__(self) -> str:
        """A table, one line a check, then every failure."""
        head = [say(f"check.column.{c}") for c in ("check", "draft", "result", "seconds")]
        lines = [head, *self._table()]
        widths = [max(width(line[i]) for line in lines) for i in range(len(head))]
        text = ["  ".join(padded(cell, w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
        for r in self.failures:
            text.append("\n" + say("check.failed", check=r.check, where=r.where))
            text += ["- " + f.replace("\n", "\n  ") for f in r.failures]
        bad = len(self.failures)
        text.append("\n" + (say("check.none") if not self.rows else say("check.all_good", n=len(self.rows)) if not bad
                            else say("check.some_bad", n=bad, all=len(self.rows))))
        return "\n".join(text)

    def _table(self) -> Iterator[list[str]]:
        for r in self.rows:
            yield [pick(self.titles.get(r.check, r.check)), r.where,
                   say("check.good") if r.ok else say("check.bad", n=len(r.failures)), f"{r.seconds:.2f}"]

    def _repr_markdown_(self) -> str:
        return "```\n" + str(self) + "\n```"


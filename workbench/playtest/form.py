"""The form at the end of a playtest: questions from a TOML file that the designer may change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.errors import RulesetError
from workbench.core.language import say
from workbench.core.ruleset import read_toml

DEFAULT = Path(__file__).parent / "form.toml"
KINDS = ("text", "scale")
MOST = 40


@dataclass(frozen=True)
class Question:
    """One question: its id, kind ("text" or "scale") and text."""

    id: str
    kind: str
    text: dict


def questions(folder: Path | None = None) -> tuple[Question, ...]:
    """The questions of a data folder's ``form.toml``, or the usual ones.

    Raises:
        RulesetError: names the file and what was expected.
    """
    own = folder / "form.toml" if folder is not None else DEFAULT
    file = own if own.is_file() else DEFAULT
    entries = read_toml(file).get("question", [])
    found: dict[str, Question] = {}
    for e in entries if isinstance(entries, list) else [{}]:
        good = isinstance(e, dict) and e.get("kind") in KINDS and all(isinstance(e.get(k), str) and e[k] for k in ("id", "en", "ja"))
        if not good or e["id"] in found or len(found) >= MOST:
            raise RulesetError(say("playtest.form.question", met=e, n=MOST), file=file)
        found[e["id"]] = Question(e["id"], e["kind"], {"en": e["en"], "ja": e["ja"]})
    return tuple(found.values())

"""``workbench rule``: one rule with its text, numbers and rulings."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from workbench.core.language import say

if TYPE_CHECKING:
    from workbench.core.params import Parameter
    from workbench.core.ruleset import Ruleset

EXAMPLE = "workbench rule omerta OM-O6"


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    p.add_argument("ruleset", help=say("cli.option.ruleset"))
    p.add_argument("id", metavar="ID", help=say("cli.rule.id"))
    p.add_argument("--json", action="store_true", help=say("cli.option.json"))


def run(a: argparse.Namespace) -> int:
    """Print the rule."""
    from workbench.core.errors import UnknownName
    from workbench.core.language import LANGUAGES
    from workbench.core.ruleset import load_ruleset

    rules = load_ruleset(a.ruleset)
    known = list(rules.rule_ids[1:])
    if a.id not in known:
        raise UnknownName("rule", a.id, known)
    linked = [p for p in rules.parameters.entries.values() if a.id == p.rule or _about(a.id, p.question_id)]
    text = {lang: _text(rules, a.id, lang) for lang in LANGUAGES}
    if a.json:
        print(json.dumps({"id": a.id, "text": text, "parameters": [_data(p) for p in linked]}, ensure_ascii=False, indent=1))
        return 0
    print(a.id, *(f"  {t}" for t in text.values() if t), sep="\n")
    for p in linked:
        print(f"\n{p.name} = {p.default}" + (f"  ({p.range})" if not p.readings else "") + (f"  [{p.question_id}]" if p.question_id else ""))
        for lang in LANGUAGES:
            print(f"  {p.meaning[lang]}")
        for name, entry in p.readings.items():
            print(f"    {name}: {entry['en']} / {entry['ja']}")
        if isinstance(p.reason, dict):
            print(*(f"  → {p.reason[lang]}" for lang in LANGUAGES), sep="\n")
    return 0


def _about(id: str, question: str | None) -> bool:
    """Whether a ruling or proposal is this one, or has it as one of its readings ("OMV-1a" of "OMV-1")."""
    return question is not None and (id == question or id[:-1] == question and id[-1].isalpha())


def _text(rules: Ruleset, id: str, lang: str) -> str:
    """The sentence; "" for a proposal whose readings have the text."""
    from workbench.core.errors import UnknownName

    try:
        return rules.rule_text(id, lang)
    except UnknownName:
        return ""


def _data(p: Parameter) -> dict:
    return {"name": p.name, "default": p.default, "range": p.range, "unit": p.unit, "ruling": p.ruling, "question": p.question_id,
            "rule": p.rule, "meaning": p.meaning, "readings": p.readings, "reason": p.reason, "source": p.source}

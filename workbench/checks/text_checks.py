"""Check of the words: both languages say the same rules, and the code cites what the text says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from workbench.core.draft import Draft, named_drafts
from workbench.core.errors import WorkbenchError
from workbench.core.language import LANGUAGES, say
from workbench.core.meaning import names
from workbench.core.ruleset import Ruleset, read_rule_text
from workbench.core.vocabulary import Handle

SLOT = re.compile(r"\{[^}]*\}")


def cited_ids(ruleset: Ruleset, drafts: list[Draft]) -> set[str]:
    """The rule ids that the linked code names, and those of the kinds of move."""
    found = {k.rule for k in ruleset.moves.kinds.values() if k.rule}
    for d in drafts:
        found |= code_ids(d)
    return found


def code_ids(draft: Draft) -> set[str]:
    """The ids that stand as ``rule("…")`` in what a draft links."""
    values = (f.__globals__.get(n) for f in draft.linked_functions[0].values() for n in names(f.__code__))
    return {v.names[0] for v in values if isinstance(v, Handle) and v.sort == "rule"}


def text(ruleset: Ruleset, drafts: list[Draft]) -> Iterator[str]:
    """Both languages have the same ids in the same order, cited ids have text, and each text acts or is listed as ``uncited``."""
    files = {lang: ruleset.folder / f"rules.{lang}.md" for lang in LANGUAGES}
    rules = {lang: read_rule_text(f) for lang, f in files.items()}
    yield from _same_ids(files, rules)
    known = [id for id, _, _ in rules["en"]]
    uncited = list(ruleset.game.get("uncited", []))
    code = set().union(*(code_ids(d) for d in drafts))
    cited = cited_ids(ruleset, drafts)
    for id in uncited:
        if id not in known:
            yield f"{ruleset.folder / 'game.toml'}: " + say("check.uncited_unknown", id=id)
        elif id in code:
            yield f"{ruleset.folder / 'game.toml'}: " + say("check.uncited_cited", id=id)
    for id, _, line in rules["en"]:
        if id not in cited and id not in uncited:
            yield f"{files['en']}:{line}: " + say("check.no_code", id=id)
    for id in sorted(cited):
        for lang in LANGUAGES:
            try:
                if not ruleset.rule_text(id, lang).strip():
                    yield say("check.no_text", id=id, lang=lang)
            except WorkbenchError:
                yield f"{files[lang]}: " + say("check.no_text", id=id, lang=lang)
    yield from _sentences(ruleset)
    for name, doc in (("game.toml", ruleset.game), ("params.toml", ruleset.params_doc), ("say.toml", ruleset.say),
                      ("drafts.toml", named_drafts(ruleset))):
        for where in _one_sided(doc):
            yield f"{ruleset.folder / name}: " + say("check.one_language", where=where)


def _same_ids(files: dict[str, Path], rules: dict[str, list]) -> Iterator[str]:
    ids = {lang: [id for id, _, _ in entries] for lang, entries in rules.items()}
    for a, b in (LANGUAGES, LANGUAGES[::-1]):
        for id, _, line in rules[a]:
            if id not in ids[b]:
                yield f"{files[b]}: " + say("check.untranslated", id=id, file=files[a], line=line)
    both = [[id for id in ids[lang] if all(id in x for x in ids.values())] for lang in LANGUAGES]
    for a, b in zip(*both, strict=True):
        if a != b:
            yield f"{files[LANGUAGES[1]]}: " + say("check.order", expected=a, met=b, file=files[LANGUAGES[0]])
            break


def _sentences(ruleset: Ruleset) -> Iterator[str]:
    """Sentences of events and refusals: for ids that exist, with the same slots in both languages."""
    file = ruleset.folder / "say.toml"
    for table, allowed in (("events", {"seat", "n"}), ("refusals", set())):
        for id, entry in ruleset.say.get(table, {}).items():
            if id not in ruleset.rule_ids:
                yield f"{file}: " + say("check.say_unknown", table=table, id=id)
            slots = {lang: sorted(SLOT.findall(entry.get(lang, ""))) for lang in LANGUAGES}
            if slots["en"] != slots["ja"]:
                yield f"{file}: " + say("check.slots", table=table, id=id, en=slots["en"], ja=slots["ja"])
            for slot in slots["en"]:
                name, _, spec = slot.strip("{}").partition(":")
                if name not in allowed or spec not in ("", "+", "seat", *ruleset.pieces):
                    yield f"{file}: " + say("check.slot", table=table, id=id, slot=slot)


def _one_sided(entry: object, where: str = "") -> Iterator[str]:
    """Tables that have a text in one language only."""
    if isinstance(entry, dict):
        if any(lang in entry for lang in LANGUAGES) and not all(str(entry.get(lang, "")).strip() for lang in LANGUAGES):
            yield f"[{where}]"
        for k, v in entry.items():
            yield from _one_sided(v, f"{where}.{k}" if where else str(k))
    elif isinstance(entry, list):
        for i, v in enumerate(entry):
            yield from _one_sided(v, f"{where}.{i}")

"""The rulebook beside a table: the ruleset's own text in either language, what the draft changes marked."""

from __future__ import annotations

from workbench.core import meaning
from workbench.core.draft import Draft, load
from workbench.core.ruleset import read_rule_text
from workbench.core.vocabulary import Handle
from workbench.ui.words import changed_draft, new_rules


def rulebook(draft: Draft, lang: str) -> list[dict]:
    """The book as items of a sheet: changes first, then headings and rules in the order of the text."""
    usual = load(draft.ruleset.folder)
    changed = {n for n, v in draft.values.items() if usual.values[n] != v}
    touched = {p.rule for n, p in draft.ruleset.parameters.entries.items() if n in changed and p.rule} | _rewritten(usual, draft)
    items: list[dict] = [{"k": "text", "id": f"change{n}", "text": line, "look": "changed"}
                         for n, line in enumerate(changed_draft(usual, draft, lang))]
    path = draft.ruleset.folder / f"rules.{lang}.md"
    rules = {line: (id, text) for id, text, line in read_rule_text(path)}
    for n, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if n in rules:
            id, text = rules[n]
            items.append({"k": "rule", "id": f"rule {id}", "rule": id, "text": text.replace("**", ""), "changed": id in touched})
        elif line.startswith("#"):
            items.append({"k": "subhead", "id": f"head{n}", "text": line.lstrip("# ")})
    return items


def _rewritten(usual: Draft, draft: Draft) -> set[str]:
    """The rules that a replaced function cites, or cited before it was replaced."""
    pairs = [[d.replaced.get(n, draft.ruleset.functions[n]) for d in (usual, draft)] for n in new_rules(usual, draft)]
    used = [x for pair in pairs for f in pair for x in meaning.meanings(f).values()]
    return {x.names[0] for x in used if isinstance(x, Handle) and x.sort == "rule"}

"""What differs between two positions, in words, and pieces as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.language import pick, say
from workbench.core.meaning import source

if TYPE_CHECKING:
    from workbench.core.draft import Draft
    from workbench.core.position import Position


def spelled(draft: Draft, kind: str, index: int, lang: str) -> str:
    """A piece, seat or number along a dimension as people read it; cards by their short name, as they are typed."""
    if kind == "seat":
        return draft.ruleset.schema.seat_names[index]
    pieces = draft.ruleset.pieces.get(kind)
    if pieces is None:
        return str(index)
    return pieces.names[index] if pieces.titles[index] == pieces.names[index] else pieces.title_of(index, lang)


def meaning(draft: Draft, field: str, lang: str) -> str:
    """A field's one-line meaning."""
    d = draft.ruleset.schema.fields[field].declared
    return pick({"en": d.en or field, "ja": d.ja or field}, lang)


def changed_fields(a: Position, b: Position, lang: str) -> list[str]:
    """Each value that differs, as "hand cards P0: +A5 −A6" or "round: 2 → 3"; derived fields are left out."""
    found = []
    for name, f in b.draft.ruleset.schema.fields.items():
        if name == "players" or f.declared.derived:
            continue
        for where, old, new in _parts(a[name], b[name], ()):
            label = " ".join((meaning(b.draft, name, lang), *where))
            if f.sort == "many":
                was, now = (set(str(v).split()) - {"-"} for v in (old, new))
                order = list(f.pieces.names)  # type: ignore[union-attr]
                parts = [f"+{x}" for x in sorted(now - was, key=order.index)] + [f"−{x}" for x in sorted(was - now, key=order.index)]
                found.append(f"{label}: {' '.join(parts)}")
            else:
                found.append(f"{label}: {old} → {new}")
    return found


def _parts(old: object, new: object, where: tuple[str, ...]):
    if isinstance(new, dict) and isinstance(old, dict):
        for k in new:
            yield from _parts(old.get(k), new[k], (*where, k))
    elif old != new:
        yield where, old, new


def changed_draft(a: Draft, b: Draft, lang: str) -> list[str]:
    """What differs between two drafts of one game: numbers, readings, replaced rules."""
    found = []
    for name, value in b.values.items():
        if a.values[name] != value:
            p = b.ruleset.parameters[name]
            shown = [pick(p.readings[v], lang) if p.readings else str(v) for v in (a.values[name], value)]
            found.append(f"{pick(p.meaning, lang)}: {shown[0]} → {shown[1]}")
    if rules := new_rules(a, b):
        found.append(say("ui.tree.rules", lang, names=", ".join(rules)))
    return found


def new_rules(a: Draft, b: Draft) -> list[str]:
    """The rules whose code differs between two drafts of one game; the same file read twice is the same code."""
    was, now = ({n: source(f) for n, f in d.replaced.items()} for d in (a, b))
    return sorted(n for n in {*was, *now} if was.get(n) != now.get(n))


def difference(a: Position, b: Position, lang: str) -> list[str]:
    """Two positions' differences in words: the draft first, then fields, scores and whose turn."""
    found = changed_draft(a.draft, b.draft, lang) + changed_fields(a, b, lang)
    found += [say("ui.tree.score", lang, seat=n, a=a.score[n], b=b.score[n]) for n in b.score if a.score.get(n) != b.score[n]]
    return found or [say("ui.tree.same", lang)]

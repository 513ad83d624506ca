"""Games played on paper: a sheet is checked against its draft, kept as a table of the same log, and said in words.

The log of such a table is one ``sit`` a person, so that names stand where all names do, and one ``paper`` event.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from pathlib import Path

from workbench.core.draft import Draft, load, named_drafts, players_of
from workbench.core.errors import WorkbenchError
from workbench.core.language import language, say
from workbench.core.ruleset import Ruleset, folders, load_ruleset
from workbench.playtest.lobby import MOST_TABLES
from workbench.playtest.paper import Sheet, SheetError
from workbench.playtest.state import PERSON
from workbench.playtest.store import PAPER, Store
from workbench.playtest.table import PlayTable, head_of
from workbench.playtest.wishes import Wish, wish
from workbench.ui.view import DESIGNER


def draft_of(sheet: Sheet, lang: str | None = None, *, rules: Ruleset | None = None) -> Draft:
    """The draft that a sheet names, for as many players as it has names.

    Args:
        rules: no other game than this one. Else any game, by name or folder.

    Raises:
        SheetError: no such game or draft, not for so many players, another digest.
    """
    def fail(head: str, why: object) -> SheetError:
        return SheetError(say("playtest.paper.line", lang, n=sheet.lines[head], why=why))

    known = {rules.name: rules.folder} if rules is not None else folders()
    folder = next((f for n, f in known.items() if n.casefold() == sheet.ruleset.casefold()), None)
    if folder is None and rules is None and (Path(sheet.ruleset) / "game.toml").is_file():
        folder = Path(sheet.ruleset)
    if folder is None:
        raise fail("ruleset", say("playtest.paper.ruleset", lang, known=", ".join(known), met=sheet.ruleset))
    game = rules or load_ruleset(folder)
    drafts = named_drafts(game)["drafts"]
    typed, _, changes = sheet.draft.removesuffix("]").partition("[")
    wanted = typed.strip().casefold()
    name = next((n for w in (wanted, f"draft{wanted}") for n in drafts if n.casefold() == w), None)  # "6" is draft6
    if name is None:
        raise fail("draft", say("playtest.paper.draft", lang, known=", ".join(drafts), met=typed))
    counts, met = players_of(game, name), len(sheet.names)
    if met not in counts:
        few = f"{counts[0]}–{counts[-1]}" if len(counts) > 1 else counts[0]
        raise fail("names", say("playtest.paper.players", lang, draft=name, known=few, met=met, names=", ".join(sheet.names)))
    try:
        pairs = [p.partition("=") for p in changes.split(",") if p.strip()]
        draft = load(game.folder, name, players=met, **{k.strip(): game.parameters[k.strip()].parse(v.strip()) for k, _, v in pairs})
        draft.fresh  # noqa: B018 - a draft that cannot be played says so here
    except WorkbenchError as e:
        raise fail("draft", e) from None
    if sheet.digest not in (None, draft.digest):
        raise fail("digest", say("playtest.paper.other_draft", lang, expected=draft.digest, met=sheet.digest))
    return draft


def refuse_known(store: Store, games: Iterable[tuple[Sheet, Draft]], lang: str | None = None, *, most: int = MOST_TABLES) -> None:
    """See that none of these is there already, nor given twice, and that there is room for all.

    Raises:
        WorkbenchError: says what, and what to do.
    """
    games, tables = list(games), store.tables()
    if len(tables) + len(games) > most:
        raise WorkbenchError(say("playtest.lobby.most", lang, n=most))
    kept = [(id, *_kept(store, id, head)) for id, _, head in tables if head.get(PAPER)]
    for sheet, draft in games:
        mine = (_about(head_of(draft, 0, "en")), _data(sheet, draft), sheet.names)
        for id, about, data, names in kept:
            # what was erased there is no difference: else an erased name could come back with the same sheet
            text = sheet.note if "" in names else data["text"]
            if about == mine[0] and data | {"text": text} == mine[1] and all(a in ("", b) for a, b in zip(names, sheet.names)):
                raise WorkbenchError(say("playtest.paper.there", lang, id=id))
        kept.append(("–", *mine))


def keep(store: Store, sheet: Sheet, draft: Draft, lang: str | None = None) -> str:
    """Store the game, all of it or nothing; the id of its table."""
    id = secrets.token_hex(6)
    log: list[Wish] = [wish("sit", seat, {"kind": PERSON}, name=name) for seat, name in zip(draft.seat_names, sheet.names)]
    store.create(id, head_of(draft, 0, lang or language()) | {PAPER: True}, [*log, wish(PAPER, DESIGNER, _data(sheet, draft))])
    return id


def _data(sheet: Sheet, draft: Draft) -> dict:
    return {"scores": list(sheet.scores), "won": [draft.seat_names[n] for n in sheet.winners], "rows": [list(r) for r in sheet.rows],
            "date": sheet.date, "minutes": sheet.minutes, "text": sheet.note}


def _about(head: dict) -> dict:
    return json.loads(json.dumps({k: head[k] for k in ("ruleset", "draft", "changes", "players")}))


def _kept(store: Store, id: str, head: dict) -> tuple[dict, dict, tuple[str, ...]]:
    events, people = store.events(id), store.people(id)
    return _about(head), events[-1].data, tuple(people[e.person] for e in events if e.what == "sit" and e.person is not None)


# ---------------------------------------------------------------- in words


def said(id: str, sheet: Sheet, draft: Draft, lang: str | None = None) -> str:
    """What was imported, in one sentence, so that a slip of the eye or of the keyboard shows."""
    def names(which: Iterable[int]) -> str:
        return ", ".join(sheet.names[n] for n in which)

    if sheet.won is None:
        won = say(f"playtest.paper.{'most' if len(sheet.best) == 1 else 'tie'}", lang, names=names(sheet.best))
    elif not sheet.won:
        won = say("playtest.paper.nobody", lang)
    else:
        won = say(f"playtest.paper.{'won' if set(sheet.won) <= set(sheet.best) else 'won_other'}", lang, names=names(sheet.won), most=names(sheet.best))
    return say("playtest.paper.done", lang, id=id, draft=draft.label, length=_rows(len(sheet.rows), lang), won=won,
               scores=", ".join(f"{n} {v}" for n, v in zip(sheet.names, sheet.scores)))


def line(t: PlayTable, lang: str | None = None) -> str:
    """A table's paper game in one line: where it comes from, when, how long, who got what (★: won)."""
    p = t.state.paper
    assert p is not None
    when = [p.date or "", "" if p.minutes is None else say("playtest.paper.lasted", lang, n=p.minutes)]
    scores = ", ".join(f"{t.name(s) or s} {v}{' ★' if s in p.won else ''}" for s, v in p.scores.items())
    return " · ".join(filter(None, [say("playtest.paper.about", lang), t.state.draft.label, *when, _rows(len(p.rows), lang), scores]))


def lines(t: PlayTable, lang: str | None = None) -> list[str]:
    """All of a paper game: its line, that it is one, the note, and what each row added."""
    p = t.state.paper
    assert p is not None
    about = [line(t, lang), say("playtest.answer.paper", lang), t.note, p.note]
    return [*filter(None, about), *(f"{n}: " + ", ".join(f"{t.name(s) or s} {v:+d}" for s, v in zip(p.scores, row)) for n, row in enumerate(p.rows, 1))]


def _rows(n: int, lang: str | None) -> str:
    return say("playtest.paper.rows", lang, n=n) if n else say("playtest.paper.only_end", lang)

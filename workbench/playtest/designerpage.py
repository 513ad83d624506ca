"""The designer's pages: the lobby with all tables, and one table with every hand, its links, its course and its marks."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.core.draft import load, named_drafts, players_of
from workbench.core.errors import WorkbenchError
from workbench.core.language import LANGUAGES, language, pick, say
from workbench.core.ruleset import Ruleset
from workbench.playtest.besidepart import BesidePart
from workbench.playtest.lobby import Lobby
from workbench.playtest.page import LANGUAGE_NAMES, Page, TablePage, field
from workbench.playtest.paper import LONGEST_SHEET, parse
from workbench.playtest.papergame import draft_of, keep, line as paper_line, lines as paper_lines, refuse_known, said
from workbench.playtest.seatview import table_view
from workbench.playtest.state import BOT, ENDED, OPEN, PAUSED, PERSON, PLAYING, WAITING
from workbench.playtest.table import PlayTable
from workbench.playtest.texts import LONGEST_TITLE
from workbench.ui.result import Result
from workbench.ui.view import DESIGNER, SPECTATOR

SHOWN = 60
"""Tables and marks that one page lists."""


@lru_cache(maxsize=512)
def qr(url: str) -> str:
    """A QR code as a drawing."""
    import io

    import segno

    out = io.BytesIO()
    segno.make(url, micro=False).save(out, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=3)
    return out.getvalue().decode()


class ByKey:
    """Pages behind the designer's key, which was looked at when they were opened; it does not change while the server runs."""

    def allowed(self) -> bool:
        """It still opens them."""
        return True


class LobbyPage(ByKey, Page):
    """A form that opens a table, all tables, games on paper, and people beside a simulation."""

    pace = 0.5  # every move at every table changes it

    def __init__(self, lobby: Lobby, rules: Ruleset, key: str):
        super().__init__()
        self.lobby, self.rules, self.key, self.lang = lobby, rules, key, language()
        self.named = named_drafts(rules)
        self.counts = sorted({n for name in self.named["drafts"] for n in players_of(rules, name)})
        self.heard: set[str] = set()
        self.beside = BesidePart(lobby, self.later)
        self.ends.append(lobby.listen(self._new))
        self._new()

    def _new(self) -> None:
        for id, table in list(self.lobby.tables.items()):
            if id not in self.heard:
                self.heard.add(id)
                self.ends.append(table.listen(self.later))
        self.later()

    def sheet_items(self) -> list[dict]:
        """The form, then the tables, newest first."""
        drafts = [(n, f"{n} – {pick(d.get('title', n), self.lang)}") for n, d in self.named["drafts"].items()]
        items: list[dict] = [
            {"k": "head", "id": "head", "text": f"{pick(self.rules.game['title'], self.lang)} · {self.text('lobby')}"},
            {"k": "row", "id": "row", "items": [self.language_choice()]},
            {"k": "group", "id": "new", "label": self.text("new"), "items": [{"k": "row", "id": "newrow", "items": [
                {"k": "choice", "id": "draft", "label": self.text("draft"), "options": drafts, "value": self.named["default"]},
                {"k": "choice", "id": "players", "label": self.text("players"), "options": [(str(n), str(n)) for n in self.counts],
                 "value": str(self.rules.default_players)},
                {"k": "input", "id": "luck", "label": self.text("luck"), "value": "", "most": 15, "enter": True},
                {"k": "choice", "id": "table_lang", "label": self.text("table_lang"), "options": LANGUAGE_NAMES, "value": self.lang},
                {"k": "input", "id": "title", "label": self.text("title"), "value": "", "most": LONGEST_TITLE, "enter": True, "clear": True},
                {"k": "button", "id": "create", "label": self.text("create"), "form": True}]}]},
            {"k": "subhead", "id": "tables", "text": self.text("tables", n=len(self.lobby.tables))}]
        for id, table in list(self.lobby.tables.items())[::-1][:SHOWN]:
            st = table.state
            there = ", ".join(table.name(s) or s for s in st.seats if table.connected(s)) or "–"
            line = paper_line(table, self.lang) if st.paper is not None else self.text(
                "table_line", draft=st.draft.label, players=st.draft.players, status=self.text(_status(table)), step=st.here.depth,
                there=there, marks=len(st.marks))
            items.append({"k": "group", "id": f"t{id}", "items": [{"k": "row", "id": f"r{id}", "items": [
                {"k": "go", "id": f"go{id}", "label": self.text("open_table", id=table.label), "path": f"/d/{self.key}/{id}"},
                {"k": "text", "id": f"l{id}", "text": line}]}]})
        return [*items, *({"k": "text", "id": f"f{id}", "text": f"{id}: {why}"} for id, why in self.lobby.faults.items())]

    def side_items(self) -> list[dict]:
        """Games on paper, and people beside a simulation."""
        return [
            {"k": "group", "id": "paper", "label": say("playtest.paper.fold", self.lang), "fold": True, "items": [
                {"k": "text", "id": "example", "text": say("playtest.paper.example", self.lang), "look": "typed"},
                {"k": "area", "id": "sheet", "label": say("playtest.paper.sheet", self.lang), "most": LONGEST_SHEET, "form": True,
                 "value": say("playtest.paper.heads", self.lang, ruleset=self.rules.name, draft=self.named["default"])},
                {"k": "button", "id": "import", "label": say("playtest.paper.import", self.lang), "form": True}]},
            *self.beside.items(self.lang)]

    def act(self, id: str, value: object) -> Result | None:
        """Open a table, import a score sheet, or simulate."""
        if id == "import":
            return self._import(field(value, "sheet"))
        if id == "beside":
            return self.beside.run(value, self.lang)
        if id != "create":
            return self.malformed()
        luck, players, lang = (field(value, n).strip() for n in ("luck", "players", "table_lang"))
        if luck and not re.fullmatch(r"[0-9]{1,15}", luck) or not re.fullmatch(r"[0-9]{1,2}", players):
            raise WorkbenchError(self.text("numbers"))
        draft = load(self.rules.folder, field(value, "draft"), players=int(players))
        table = self.lobby.create(draft, luck=int(luck) if luck else None, lang=lang if lang in LANGUAGES else self.lang,
                                  title=field(value, "title"))
        return Result(True, "done", self.text("created", id=table.label))

    def _import(self, text: str) -> Result:
        sheet = parse(text, self.lang)
        with self.lobby.lock:
            draft = draft_of(sheet, self.lang, rules=self.rules)
            refuse_known(self.lobby.store, [(sheet, draft)], self.lang, most=self.lobby.most)
            id = keep(self.lobby.store, sheet, draft, self.lang)
        self.lobby.catch_up()
        return Result(True, "done", said(id, sheet, draft, self.lang))


class DesignerPage(ByKey, TablePage):
    """One table, all of it."""

    def __init__(self, lobby: Lobby, table: PlayTable, key: str, base: str):
        super().__init__(table)
        self.lobby, self.key, self.base, self.lang = lobby, key, base, language()

    def table_data(self) -> dict | None:
        """The table with every hand; the designer looks on. None for a game on paper."""
        return None if self.at.state.paper is not None else table_view(self.at, DESIGNER, self.lang, said=self.said["table"], seq=self.seqs["table"])

    def sheet_items(self) -> list[dict]:
        """How it stands, its course, its seats and links."""
        st = self.at.state
        if st.paper is not None:
            return [{"k": "head", "id": "head", "text": self.text("open_table", id=self.at.label)}, {"k": "row", "id": "course", "items": [self.language_choice()]},
                    *({"k": "text", "id": f"paper{n}", "text": text} for n, text in enumerate(paper_lines(self.at, self.lang)))]
        items: list[dict] = [
            {"k": "head", "id": "head", "text": self.text("table", id=self.at.label, game=st.game.number, status=self.text(_status(self.at)))},
            {"k": "row", "id": "course", "items": [*(
                {"k": "button", "id": b, "label": self.text(f"course.{b}"), "disabled": not on} for b, on in self._course().items()),
                self.language_choice()]}]
        if self.at.note:
            items.append({"k": "text", "id": "note", "text": self.at.note})
        if st.status != WAITING:
            items.append({"k": "row", "id": "games", "items": [
                {"k": "go", "id": f"game{g.number}", "label": self.text("step_through", game=g.number), "path": f"/d/{self.key}/{self.at.id}/{g.number}", "themed": True}
                for g in st.games[-SHOWN:]]})
        seats = [self._seat_items(s) for s in st.seats] + [self._link_group(SPECTATOR, self.text("spectator"), [])]
        return [*items, {"k": "group", "id": f"seats {st.status == WAITING}", "label": self.text("seats"), "fold": True,
                         "open": st.status == WAITING, "items": seats}]

    def _course(self) -> dict[str, bool]:
        st = self.at.state
        return {"start": st.status == WAITING, "pause": st.status == PLAYING, "resume": st.status == PAUSED,
                "undo": st.steps_back() > 0 and st.status != ENDED, "end": st.status != ENDED, "again": st.status != WAITING}

    def _seat_items(self, seat: str) -> dict:
        s, t = self.at.state.seats[seat], self.at
        sits = t.name(seat) if s.kind == PERSON else s.bot if s.kind == BOT else self.text(OPEN)
        label = f"{seat}: {sits}" + (f" ● {self.text('connected')}" if t.connected(seat) else "")
        options = [("", self.text("people"))] + [(b, self.text("bot_name", bot=b)) for b in t.bots()]
        return self._link_group(seat, label, [{"k": "choice", "id": f"bot {seat}", "label": self.text("who"), "options": options, "live": True,
                                               "value": s.bot if s.kind == BOT else ""}])

    def _link_group(self, seat: str, label: str, more: list[dict]) -> dict:
        key = self.lobby.keys.get((self.at.id, seat))
        path = f"/t/{self.at.id}/{key}"
        row = [{"k": "button", "id": f"newlink {seat}", "label": self.text("newlink")}, {"k": "button", "id": f"revoke {seat}", "label": self.text("revoke")}]
        items: list[dict] = [{"k": "row", "id": f"row {seat}", "items": [*more, *row]}]
        if key:
            items += [{"k": "link", "id": f"link {seat} {key[:4]}", "label": self.text("link"), "url": self.base + path, "copy": self.text("copy")},
                      {"k": "group", "id": f"qr {seat}", "label": "QR", "fold": True, "items": [
                          {"k": "drawing", "id": f"code {seat} {key[:4]}", "label": "QR", "look": "qr", "svg": qr(self.base + path)}]}]
        else:
            items.append({"k": "text", "id": f"nolink {seat}", "text": self.text("link_unknown"), "look": "small"})
        return {"k": "group", "id": f"seat {seat}", "label": label, "items": items}

    def side_items(self) -> list[dict]:
        """The marks, newest first, and what was answered."""
        st, t = self.at.state, self.at
        if st.paper is not None:
            return []
        marks = [{"k": "text", "id": f"m{n}", "text": self.text("mark_line", name=t.people.get(m.person or 0, "") or m.seat, kind=self.text(f"mark.{m.kind}"),
                                                               game=m.game, step=m.depth) + (f" {m.text}" if m.text else "")}
                 for n, m in list(enumerate(st.marks))[::-1][:SHOWN]]
        answers = [{"k": "text", "id": f"a{g} {s} {q}", "text": f"{g} · {t.name(s) or s} · {q}: {a}"} for (g, s, q), a in st.answers.items() if a]
        slow = [{"k": "text", "id": f"d{n}", "text": self.text("time_line", seat=d.seat, step=d.depth, game=d.game, seconds=f"{d.seconds:.1f}")}
                for n, d in list(enumerate(st.decisions))[::-1][:SHOWN] if d.kind == PERSON]
        return [{"k": "group", "id": "marks", "label": self.text("marks_of", n=len(st.marks)), "items": marks},
                {"k": "group", "id": "answers", "label": self.text("answers"), "fold": True, "items": answers},
                {"k": "group", "id": "times", "label": self.text("times"), "fold": True, "items": slow}]

    def play(self, value: object, version: object) -> Result:
        """The designer looks on."""
        return Result(False, "not_yours", say("playtest.answer.look_only", self.lang))

    def act(self, id: str, value: object) -> Result | None:
        """Do what a control asks."""
        t = self.at
        word, _, seat = id.partition(" ")
        if id in self._course():
            return getattr(t, id)()
        if word in ("bot", "newlink", "revoke") and seat in (*t.state.seats, SPECTATOR):
            if word == "newlink":
                self.lobby.new_link(t, seat)
            elif word == "revoke":
                self.lobby.revoke(t, seat)
            elif seat != SPECTATOR:
                return t.seat_bot(seat, value) if isinstance(value, str) and value else t.free(seat)
            return None
        return self.malformed()


def _status(table: PlayTable) -> str:
    return "over" if table.state.position.over else table.state.status

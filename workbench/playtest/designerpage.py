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
from workbench.playtest.seatview import table_view
from workbench.playtest.state import BOT, ENDED, OPEN, PAUSED, PERSON, PLAYING, WAITING
from workbench.playtest.table import PlayTable
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
    """All tables, a form that opens one, and people beside a simulation."""

    needs = ("vega",)

    def __init__(self, lobby: Lobby, rules: Ruleset, key: str):
        super().__init__()
        self.lobby, self.rules, self.key, self.lang = lobby, rules, key, language()
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
        """The form that opens a table, then people beside a simulation."""
        named = named_drafts(self.rules)
        drafts = [(n, f"{n} – {pick(d.get('title', n), self.lang)}") for n, d in named["drafts"].items()]
        counts = sorted({n for name in named["drafts"] for n in players_of(self.rules, name)})
        return [
            {"k": "head", "id": "head", "text": f"{pick(self.rules.game['title'], self.lang)} · {self.text('lobby')}"},
            {"k": "row", "id": "row", "items": [self.language_choice()]},
            {"k": "group", "id": "new", "label": self.text("new"), "items": [{"k": "row", "id": "newrow", "items": [
                {"k": "choice", "id": "draft", "label": self.text("draft"), "options": drafts, "value": named["default"]},
                {"k": "choice", "id": "players", "label": self.text("players"), "options": [(str(n), str(n)) for n in counts],
                 "value": str(self.rules.default_players)},
                {"k": "input", "id": "luck", "label": self.text("luck"), "value": "", "most": 15, "enter": True},
                {"k": "choice", "id": "table_lang", "label": self.text("table_lang"), "options": LANGUAGE_NAMES, "value": self.lang},
                {"k": "button", "id": "create", "label": self.text("create"), "form": True}]}]},
            *self.beside.items(self.lang)]

    def draw(self) -> None:
        """The chart of people beside a simulation."""
        self.beside.draw(self.lang)

    def parts(self) -> list:
        """The chart stands under what asks for it, the tables below."""
        return [self.sheet, self.beside.chart, self.side]

    def side_items(self) -> list[dict]:
        """The tables, newest first."""
        items: list[dict] = [{"k": "subhead", "id": "tables", "text": self.text("tables", n=len(self.lobby.tables))}]
        for id, table in list(self.lobby.tables.items())[::-1][:SHOWN]:
            st = table.state
            there = ", ".join(table.name(s) or s for s in st.seats if table.connected(s)) or "–"
            line = self.text("table_line", draft=st.draft.label, players=st.draft.players, status=self.text(_status(table)), step=st.here.depth,
                             there=there, marks=len(st.marks))
            items.append({"k": "group", "id": f"t{id}", "items": [{"k": "row", "id": f"r{id}", "items": [
                {"k": "go", "id": f"go{id}", "label": self.text("open_table", id=id), "path": f"/d/{self.key}/{id}"},
                {"k": "text", "id": f"l{id}", "text": line}]}]})
        items += [{"k": "text", "id": f"f{id}", "text": f"{id}: {why}"} for id, why in self.lobby.faults.items()]
        return items

    def act(self, id: str, value: object) -> Result | None:
        """Open a table, or simulate."""
        if id == "beside":
            return self.beside.run(value, self.lang)
        if id != "create":
            return self.malformed()
        luck, players, lang = (field(value, n).strip() for n in ("luck", "players", "table_lang"))
        if luck and not re.fullmatch(r"[0-9]{1,15}", luck) or not re.fullmatch(r"[0-9]{1,2}", players):
            raise WorkbenchError(self.text("numbers"))
        draft = load(self.rules.folder, field(value, "draft"), players=int(players))
        table = self.lobby.create(draft, luck=int(luck) if luck else None, lang=lang if lang in LANGUAGES else self.lang)
        return Result(True, "done", self.text("created", id=table.id))


class DesignerPage(ByKey, TablePage):
    """One table, all of it."""

    def __init__(self, lobby: Lobby, table: PlayTable, key: str, base: str):
        super().__init__(table)
        self.lobby, self.key, self.base, self.lang = lobby, key, base, language()

    def table_data(self) -> dict:
        """The table with every hand; the designer looks on."""
        data = table_view(self.at, DESIGNER, self.lang, said=self.said["table"], seq=self.seqs["table"])
        return data | {"moves": [], "refused": {}}

    def sheet_items(self) -> list[dict]:
        """How it stands, its course, its seats and links."""
        st = self.at.state
        items: list[dict] = [
            {"k": "head", "id": "head", "text": self.text("table", id=self.at.id, game=st.game.number, status=self.text(_status(self.at)))},
            {"k": "row", "id": "course", "items": [*(
                {"k": "button", "id": b, "label": self.text(f"course.{b}"), "disabled": not on} for b, on in self._course().items()),
                self.language_choice()]}]
        if self.at.note:
            items.append({"k": "text", "id": "note", "text": self.at.note})
        if st.status != WAITING:
            items.append({"k": "row", "id": "games", "items": [
                {"k": "go", "id": f"game{g.number}", "label": self.text("step_through", game=g.number), "path": f"/d/{self.key}/{self.at.id}/{g.number}"}
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
            items += [{"k": "link", "id": f"link {seat} {key[:4]}", "label": self.text("link"), "path": path, "copy": self.text("copy")},
                      {"k": "group", "id": f"qr {seat}", "label": "QR", "fold": True, "items": [
                          {"k": "drawing", "id": f"code {seat} {key[:4]}", "label": "QR", "svg": qr(self.base + path)}]}]
        else:
            items.append({"k": "text", "id": f"nolink {seat}", "text": self.text("link_unknown"), "look": "small"})
        return {"k": "group", "id": f"seat {seat}", "label": label, "items": items}

    def side_items(self) -> list[dict]:
        """The marks, newest first, and what was answered."""
        st, t = self.at.state, self.at
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

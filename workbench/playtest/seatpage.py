"""The page of a seat, and of a spectator: the table as this seat may see it, who plays, marks, form, rulebook."""

from __future__ import annotations

from workbench.core.language import pick, say
from workbench.playtest.form import Question
from workbench.playtest.lobby import Lobby
from workbench.playtest.page import TablePage, field
from workbench.playtest.rulebook import rulebook
from workbench.playtest.seatview import chosen_by, table_view
from workbench.playtest.state import ENDED, MARKS, PAUSED, PERSON, PLAYING
from workbench.playtest.table import PlayTable
from workbench.playtest.texts import LONGEST_ANSWER, LONGEST_NAME, LONGEST_TEXT
from workbench.ui.result import Result
from workbench.ui.view import SPECTATOR


class SeatPage(TablePage):
    """One browser at a seat ("-": looking on)."""

    def __init__(self, lobby: Lobby, table: PlayTable, seat: str, key: str, form: tuple[Question, ...]):
        super().__init__(table)
        self.lobby, self.seat, self.key, self.form = lobby, seat, key, form
        self.lang, self.links = table.lang, table.state.links
        self.ends.append(table.arrive(seat))

    def allowed(self) -> bool:
        """Whether the link still opens this seat."""
        return self.lobby.store.seat_of(self.at.id, self.key) == self.seat

    def refresh(self) -> str:
        """What has changed; the link is looked at again when one of this table was changed."""
        if self.links != self.at.state.links:
            self.links = self.at.state.links
            self.over = self.over or not self.allowed()
        return super().refresh()

    def table_data(self) -> dict:
        """The table for this seat."""
        return table_view(self.at, self.seat, self.lang, said=self.said["table"], seq=self.seqs["table"])

    @property
    def playing(self) -> bool:
        """Whether a person sits here, by this link."""
        return self.seat != SPECTATOR and self.at.state.seats[self.seat].kind == PERSON

    # ------------------------------------------------------------ above the table

    def sheet_items(self) -> list[dict]:
        """Who sits where, whose turn, the name, taking back."""
        t, st = self.at, self.at.state
        items: list[dict] = [{"k": "head", "id": "head", "text": (f"{st.title} · " if st.title else "") + (
            self.text("looking_on") if self.seat == SPECTATOR else self.text("you_are", seat=self.seat))}]
        mine = self.seat in st.asked
        if self.playing:
            chosen = chosen_by(t, self.seat)
            if mine or chosen:
                items.append({"k": "text", "id": "turn", "look": "turn", "text": self.text("your_turn") if mine else self.text("chosen", move=chosen)})
        who = " · ".join(self._who(s) for s in st.seats)
        items.append({"k": "text", "id": "who", "text": who, "look": "small"})
        if t.note:
            items.append({"k": "text", "id": "note", "text": t.note, "look": "small"})
        if self.seat != SPECTATOR and not self.playing:
            items.append({"k": "text", "id": "take", "text": self.text("take")})
        row: list[dict] = []
        if self.seat != SPECTATOR:
            row += [{"k": "input", "id": "name", "label": self.text("name"), "value": t.name(self.seat), "most": LONGEST_NAME, "enter": True},
                    {"k": "button", "id": "sit", "label": self.text("rename" if self.playing else "sit"), "form": True}]
        row.append(self.language_choice())
        row.append({"k": "chime", "id": "sound", "label": self.text("sound"), "on": mine, "turn": st.turn})
        items.append({"k": "group", "id": f"me {self.playing}", "label": self.text("me"), "fold": True, "open": not self.playing, "items": [{"k": "row", "id": "merow", "items": row}]})
        return items + self._undo_items()

    def _who(self, seat: str) -> str:
        s, t = self.at.state.seats[seat], self.at
        sits = t.name(seat) if s.kind == PERSON else self.text(s.kind)
        return ("▶ " if seat in t.state.asked else "") + f"{seat} {sits}" + (" ●" if s.kind == PERSON and t.connected(seat) else "")

    def _undo_items(self) -> list[dict]:
        st = self.at.state
        if not self.playing or st.status not in (PLAYING, PAUSED):
            return []
        if st.ask is None:
            return [{"k": "button", "id": "undo", "label": self.text("undo"), "disabled": not st.steps_back()}]
        name = self.at.name(st.ask.by) or st.ask.by
        if self.seat in st.ask.agreed:
            return [{"k": "row", "id": "asked", "items": [{"k": "text", "id": "undo_wait", "text": self.text("undo_wait", name=name)},
                                                          {"k": "button", "id": "undo_no", "label": self.text("undo_withdraw")}]}]
        return [{"k": "row", "id": "asked", "items": [
            {"k": "text", "id": "undo_asked", "text": self.text("undo_asked", name=name)},
            {"k": "button", "id": "undo_yes", "label": self.text("undo_yes")}, {"k": "button", "id": "undo_no", "label": self.text("undo_no")}]}]

    # ------------------------------------------------------------ below the table

    def side_items(self) -> list[dict]:
        """Marks and the form."""
        items: list[dict] = []
        if self.playing:
            items.append({"k": "group", "id": "marks", "label": self.text("marks"), "items": [
                {"k": "input", "id": "mark_text", "label": self.text("mark_text"), "value": "", "most": LONGEST_TEXT, "clear": True},
                {"k": "row", "id": "mark_row", "items": [{"k": "button", "id": f"mark {m}", "label": self.text(f"mark.{m}"), "form": True}
                                                         for m in MARKS]}]})
            items.append(self._form())
        return items

    def book_items(self) -> list[dict]:
        """The rulebook."""
        return [{"k": "group", "id": "book", "label": self.text("rulebook"), "fold": True, "items": rulebook(self.at.state.draft, self.lang)}]

    def _form(self) -> dict:
        st = self.at.state
        game = st.game.number
        items: list[dict] = []
        for q in self.form:
            field = {"id": f"answer {q.id}", "label": pick(q.text, self.lang), "value": st.answers.get((game, self.seat, q.id), "")}
            items.append({"k": "area", "most": LONGEST_ANSWER, **field} if q.kind == "text" else
                         {"k": "scale", "options": ["1", "2", "3", "4", "5"], **field})
        if (game, self.seat) in st.sent:
            items.append({"k": "text", "id": "thanks", "text": self.text("thanks")})
        items.append({"k": "button", "id": "send", "label": self.text("send")})
        over = st.status == ENDED or st.position.over
        # opens by itself at the end: another id then, so that it is made anew
        return {"k": "group", "id": f"form {game} {over}", "label": self.text("form"), "fold": True, "open": over, "items": items}

    # ------------------------------------------------------------ doing

    def play(self, value: object, version: object) -> Result:
        """A move of this seat."""
        return self.at.submit(self.seat, value, version)

    def act(self, id: str, value: object) -> Result | None:
        """Do what a control asks; what a spectator may not do is refused by the table."""
        t = self.at
        word, _, rest = id.partition(" ")
        if self.seat == SPECTATOR:
            return Result(False, "not_yours", say("playtest.answer.look_only", self.lang))
        if id == "sit":
            return t.sit(self.seat, field(value, "name"))
        if not self.playing:
            return Result(False, "not_yours", say("playtest.answer.sit_first", self.lang))
        if id == "undo":
            return t.ask_undo(self.seat)
        if id in ("undo_yes", "undo_no"):
            return t.answer_undo(self.seat, id == "undo_yes")
        if word == "mark":
            done = t.mark(self.seat, rest, field(value, "mark_text"))
            return Result(True, "done", self.text("marked")) if done.ok else done
        if word == "answer":
            return t.answer(self.seat, rest, value if isinstance(value, str) else "", tuple(q.id for q in self.form))
        if id == "send":
            return t.send(self.seat)
        return self.malformed()

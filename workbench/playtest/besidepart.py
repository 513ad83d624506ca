"""The part of the lobby page that puts people beside a simulation, played in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from workbench.analysis.charts import svg
from workbench.core.draft import Draft
from workbench.core.errors import WorkbenchError
from workbench.core.language import LANGUAGES, say
from workbench.playtest.beside import Beside, beside
from workbench.playtest.export import table_rows
from workbench.playtest.lobby import Lobby
from workbench.playtest.page import complain, field
from workbench.playtest.state import PERSON
from workbench.playtest.table import PlayTable
from workbench.ui.result import Result


class BesidePart:
    """Its controls, sentence and chart as items of a sheet."""

    def __init__(self, lobby: Lobby, tell: Callable[[], None]):
        """``tell`` is called, from any thread, when it looks different."""
        self.lobby, self.tell = lobby, tell
        self.task: Thread | None = None
        self.found: Beside | None = None
        self.fault = ""
        self.charts: dict[str, str] = {}
        """By language, drawn."""
        self._played: dict[str, tuple[int, bool]] = {}

    @property
    def busy(self) -> bool:
        """Whether it is being played."""
        return self.task is not None and self.task.is_alive()

    def drafts(self) -> dict[str, Draft]:
        """The drafts under which people have finished a game, by key."""
        return {t.state.draft.key: t.state.draft for t in list(self.lobby.tables.values()) if self._has_people(t)}

    def _has_people(self, t: PlayTable) -> bool:
        st = t.state
        if self._played.get(t.id, (-1,))[0] != st.version:
            self._played[t.id] = st.version, st.paper is not None or any(g.here.position.over for g in list(st.games)) and any(d.kind == PERSON for d in list(st.decisions))
        return self._played[t.id][1]

    # ------------------------------------------------------------ what it shows

    def items(self, lang: str) -> list[dict]:
        """What is chosen, the button, and what was found."""
        def text(key: str) -> str:
            return say(f"playtest.beside.{key}", lang)

        drafts = self.drafts()
        if drafts:
            bots = list(dict.fromkeys(b for d in drafts.values() for b in ("random", *d.ruleset.bots)))
            items: list[dict] = [{"k": "row", "id": "besiderow", "items": [
                {"k": "choice", "id": "beside_draft", "label": say("playtest.page.draft", lang), "value": next(iter(drafts)),
                 "options": [(k, say("playtest.beside.title_draft", lang, draft=d.label, players=d.players)) for k, d in drafts.items()]},
                {"k": "choice", "id": "beside_bot", "label": say("ui.bench.bot", lang), "value": bots[-1], "options": [(b, b) for b in bots]},
                {"k": "button", "id": "beside", "label": text("run"), "form": True, "disabled": self.busy}]}]
        else:
            items = [{"k": "text", "id": "beside_none", "text": text("none"), "look": "small"}]
        if self.busy:
            items.append({"k": "text", "id": "beside_busy", "text": text("busy")})
        elif self.fault:
            items.append({"k": "text", "id": "beside_fault", "text": self.fault})
        elif self.found is not None:
            items.append({"k": "text", "id": "beside_said", "text": self.found.told(lang)})
            if self.charts:
                items.append({"k": "drawing", "id": "beside_chart", "label": text("title"), "look": "chart", "svg": self.charts[lang]})
        return [{"k": "group", "id": "beside_fold", "label": text("title"), "fold": True, "items": items}]

    # ------------------------------------------------------------ what it does

    def run(self, value: object, lang: str) -> Result | None:
        """Simulate the chosen draft with the chosen bot, and put what people played beside; the page goes on meanwhile."""
        draft = self.drafts().get(field(value, "beside_draft"))
        if draft is None:
            return Result(False, "malformed", say("ui.answer.malformed", lang))
        if self.busy:
            return Result(False, "busy", say("playtest.beside.busy", lang))
        tables, bot = list(self.lobby.tables.values()), field(value, "beside_bot")

        def work() -> None:
            try:
                rows = [r for t in tables if t.state.draft.key == draft.key for r in table_rows(t, names=True)["games"]]
                found = beside(rows, draft, bot=bot)
                self.charts = {x: svg(found.chart(x)) for x in LANGUAGES} if found.counted.games else {}
                self.found, self.fault = found, ""
            except WorkbenchError as e:
                self.fault = str(e)
            except Exception as e:  # noqa: BLE001 - a designer gets one sentence, the reason stands on the server
                complain(e)
                self.fault = say("playtest.page.failed", lang)
            self.task = None
            self.tell()

        self.task = Thread(target=work, daemon=True, name="workbench-beside")
        self.task.start()
        return None

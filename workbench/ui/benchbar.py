"""What the bar, the tree and the keeping of a bench do; each method is named after its control."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from workbench.core.language import LANGUAGES, say
from workbench.ui.session import Result, Session
from workbench.ui.view import DESIGNER, SPECTATOR

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.ui.autosave import Autosave
    from workbench.ui.tree import Node

LISTED = 120
"""Most nodes that the list of the tree shows at once."""


class Bar:
    """Stepping, looking, bots, luck; the tree; saving and opening."""

    session: Session
    values: dict[str, Any]
    message: str
    done: float
    stop: Event
    lang: str
    autosave: Autosave | None
    text: Callable[..., str]
    _slow: Callable[..., None]
    _kept: dict[str, tuple]

    @property
    def all_seen(self) -> bool:
        """Whether who looks may see everything: the tabs show what a seat may not."""
        return self.session.seat == DESIGNER and not self.session.hot

    # ------------------------------------------------------------ the bar

    def press_first(self) -> Result:
        return self.session.first()

    def press_back(self) -> Result:
        return self.session.back()

    def press_forward(self) -> Result:
        return self.session.forward()

    def press_last(self) -> Result:
        return self.session.last()

    def value_at(self) -> int:
        return self.session.here.depth

    def set_at(self, value: int) -> Result:
        """Any point of the line one stands on."""
        step = int(value) - self.session.here.depth
        return self.session.forward(step) if step > 0 else self.session.back(-step)

    def options_seat(self) -> list:
        names = {DESIGNER: self.text("designer"), SPECTATOR: self.text("spectator")}
        return [(names.get(s, s), s) for s in (DESIGNER, *self.session.draft.seat_names, SPECTATOR)]

    def value_seat(self) -> str:
        return self.session.seat

    def set_seat(self, value: str) -> Result:
        return self.session.look(value)

    def value_hot(self) -> bool:
        return self.session.hot

    def set_hot(self, value: bool) -> Result:
        return self.session.hot_seat(bool(value))

    def options_lang(self) -> list:
        return [({"en": "English", "ja": "日本語"}[x], x) for x in LANGUAGES]

    def value_lang(self) -> str:
        return self.session.lang

    def set_lang(self, value: str) -> Result:
        return self.session.speak(value)

    def options_bot(self) -> list:
        return [(b, b) for b in self.session.bots()]

    def press_bot_move(self) -> Result:
        return self.session.bot_move(self.values["bot"])

    def press_bot_end(self) -> None:
        self._slow(lambda: self.session.bot_move(self.values["bot"], to_end=True, stop=self.stop))

    def press_deal(self) -> Result:
        return self.session.deal(int(self.values["luck"]))

    def press_stop(self) -> None:
        self.stop.set()

    def value_progress(self) -> float:
        return self.done

    def value_message(self) -> str:
        return self.message

    # ------------------------------------------------------------ the tree

    def _listed(self) -> list[tuple[str, int]]:
        """The line one stands on with its branches, as much of it as a list can hold."""
        s = self.session
        key = (s.version, s.lang)
        if self._kept.get("listed", (None,))[0] != key:
            with s.lock:
                self._kept["listed"] = key, listed(s.here, s.lang)
        return self._kept["listed"][1]

    def options_node(self) -> list:
        return self._listed()

    def value_node(self) -> int:
        return self.session.here.id

    def set_node(self, value: int) -> Result:
        return self.session.jump(value)

    def value_name(self) -> str:
        return self.session.here.name

    def set_name(self, value: str) -> Result:
        return self.session.name(str(value)[:80])

    def value_comment(self) -> str:
        return self.session.here.comment

    def set_comment(self, value: str) -> Result:
        return self.session.name(comment=str(value)[:4000])

    def press_promote(self) -> Result:
        return self.session.promote()

    def press_delete(self) -> Result:
        return self.session.delete()

    def press_undelete(self) -> Result:
        return self.session.undelete()

    def options_other(self) -> list:
        return self._listed()

    def value_difference(self) -> str:
        a, b = self.values["other"], self.session.here.id
        if a == b or a not in self.session.tree.nodes:
            return ""
        return "\n".join(f"• {x}" for x in self.session.difference(a, b))

    # ------------------------------------------------------------ keeping

    def press_save(self) -> Result:
        path = Path(str(self.values["file"])).expanduser()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return Result(True, "done", self.text("saved", path=self.session.save(path)))
        except OSError as e:
            return Result(False, "error", say("ui.keep.fault", self.lang, path=path, why=e.strerror or e))

    def press_open(self) -> Result:
        result = self.session.open(Path(str(self.values["file"])).expanduser())
        if result.ok:
            self.ahead, self.moves, self.shown, self.edits = {}, {}, ("", None), {}
        return result

    def value_autosaved(self) -> str:
        if self.autosave is None:
            return self.text("not_autosaved")
        return self.autosave.fault or self.text("autosaved_to", path=self.autosave.path)


def listed(here: Node, lang: str) -> list[tuple[str, int]]:
    """The nodes of the line through ``here`` with the branches that leave it, indented: as many as a list can hold."""
    end = here
    while end.children:
        end = end.last or end.children[0]
    line, n = [], end
    while n is not None:
        line.append(n)
        n = n.parent
    line.reverse()
    first = max(0, min(here.depth - LISTED // 2, len(line) - LISTED))
    found: list[tuple[str, int]] = []
    for n in line[first: first + LISTED]:
        mark = "▶" if n is here else " "
        found.append((f"{mark} {n.depth}. {n.label(lang)}" + (f" “{n.name}”" if n.name else "") + (" ✎" if n.comment else ""), n.id))
        if n.parent is not None:
            found += [(f"  └ {b.depth}. {b.label(lang)}" + (f" “{b.name}”" if b.name else ""), b.id) for b in n.parent.children if b is not n][:8]
    return found if any(i == 0 for _, i in found) else [(f"0. {line[0].label(lang)}", line[0].id), *found]

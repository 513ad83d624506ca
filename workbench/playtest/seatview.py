"""What a page of a playtest shows of the table: the view of its seat and nothing else."""

from __future__ import annotations

from workbench.core.language import pick, say
from workbench.playtest.state import PLAYING, WAITING
from workbench.playtest.table import PlayTable
from workbench.ui.view import DESIGNER, SPECTATOR, SeatView, log_of, view_of
from workbench.ui.wire import screen


def table_view(table: PlayTable, seat: str, lang: str, *, said: str = "", seq: int = 0) -> dict:
    """The table as a page of this seat (or "designer", or "-") may see it, drawn."""
    with table.lock:
        st = table.state
        # before the start nobody has looked at their cards yet, so that seats can still change hands
        eyes = SPECTATOR if st.status == WAITING and seat != DESIGNER else seat
        log = [entry for _, entry in log_of(st.here, eyes, lang)]
        view = view_of(st.position, eyes, lang, log=log, asked=st.asked, extra={"version": st.turn, "node": -1, "depth": st.here.depth, "said": said})
        data = dict(view.data)
        data["why"] = _why(table, data["why"], lang)
        for s in data["seats"]:
            s["turn"] = s["name"] in st.asked
            name = table.name(s["name"])
            s["label"] = f"{s['name']} · {name}" if name else s["name"]
        at_me = next((i for i, s in enumerate(data["seats"]) if s["mine"] or s["name"] == seat), 0)
        data["seats"] = data["seats"][at_me:] + data["seats"][:at_me]  # one's own first, the others as they sit
    return screen(SeatView(seat, lang, data)) | {"seq": seq}


def _why(table: PlayTable, why: str, lang: str) -> str:
    st = table.state
    if st.position.over:
        return why
    if st.status != PLAYING:
        return say(f"playtest.answer.{st.status}", lang)
    if st.round:
        what = " / ".join(dict.fromkeys(pick(k.title, lang) for k in st.position._kinds_now()))
        return say("playtest.page.together", lang, what=what, seats=", ".join(st.asked))
    return why


def chosen_by(table: PlayTable, seat: str) -> str:
    """The seat's own secret choice that waits for the others; "" when there is none."""
    return table.state.chosen.get(seat, "")

"""A position as a still picture (SVG) and as a text table: both from the same view as the live table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.core.language import padded, width
from workbench.ui.draw import CSS, FONT, draw, fitted, length, text
from workbench.ui.view import DESIGNER, SeatView, view_of

if TYPE_CHECKING:
    from workbench.core.position import Position

PAGE, PAD = 760, 12


@dataclass(frozen=True, repr=False)
class Still:
    """The table of one position: prints as text, shows as SVG in a notebook, and keeps both in the stored file."""

    view: SeatView

    @property
    def svg(self) -> str:
        """The picture as one SVG document."""
        return svg_of(self.view)

    def __str__(self) -> str:
        return text_of(self.view)

    __repr__ = __str__

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": str(self)}


def table(position: Position, seat: str = DESIGNER, *, lang: str | None = None) -> Still:
    """The table of a position as a picture and as text.

    Args:
        seat: as "designer" (everything), as a seat such as "P0", or "-" (a spectator). lang: "en" or "ja".

    >>> import workbench as wb
    >>> print(wb.table(wb.load("omerta").start(luck=7), "P0", lang="en"))  # doctest: +ELLIPSIS
    Omerta · draft6 · P0
    ...
    """
    return Still(view_of(position, seat, lang))


def head(v: SeatView) -> str:
    """Game, draft and who looks."""
    poked = f" · {v['say']['poked']}" if v["poked"] else ""
    return f"{v['game']} · {v['draft']}" + (f" · {v.seat}" if v.seat != DESIGNER else "") + poked


def groups(zones: list[dict], seats: list[dict]) -> list[tuple[dict | None, list[dict]]]:
    """Zones as they lie: those of all first, then those of each seat."""
    found: list[tuple[dict | None, list[dict]]] = [(None, [z for z in zones if z["seat"] is None])]
    return found + [(s, mine) for s in seats if (mine := [z for z in zones if z["seat"] == s["name"]])]


# ---------------------------------------------------------------- as SVG


def svg_of(v: SeatView, page: int = PAGE) -> str:
    """The whole table in one SVG; it needs nothing from the page it stands on."""
    out = [text(PAD, 22, head(v), size=15, bold=True), text(PAD, 42, *fitted(v["why"], PAGE - 2 * PAD, size=13, least=9))]
    y = 54.0
    for seat, zones in groups(v["zones"], v["seats"]):  # type: ignore[arg-type]
        x, tall = float(PAD), 0.0
        if seat:
            mark = "▶ " if seat["turn"] else "★ " if seat["won"] else ""
            out.append(f'<line x1="{PAD}" y1="{y + 2:g}" x2="{page - PAD}" y2="{y + 2:g}" class="wb-o"/>')
            out.append(text(PAD, y + 22, f"{mark}{seat['name']}  {v['say']['score']} {seat['score']}", size=14, bold=True))  # type: ignore[index]
            y += 30
        for z in zones:
            w, h, inner = draw(z)
            w = max(w, length(z["title"], 12))
            if x > PAD and x + w > page - PAD:
                x, y, tall = float(PAD), y + tall + 10, 0.0
            out.append(text(x, y + 13, z["title"], size=12) + f'<g transform="translate({x:g} {y + 20:g})">{inner}</g>')
            x, tall = x + w + 24, max(tall, h + 22)
        y += tall + 12
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {page} {y:.0f}" width="{page}" height="{y:.0f}" '
            f"style='max-width:100%;height:auto' font-family='{FONT}'><style>{CSS}</style>{''.join(out)}</svg>")


# ---------------------------------------------------------------- as text


def text_of(v: SeatView) -> str:
    """The whole table as text."""
    lines = [head(v), str(v["why"])]
    for seat, zones in groups(v["zones"], v["seats"]):  # type: ignore[arg-type]
        if seat:
            mark = "▶" if seat["turn"] else "★" if seat["won"] else " "
            lines.append(f"{mark} {seat['name']}  {v['say']['score']} {seat['score']}")  # type: ignore[index]
        wide = max((width(z["title"]) for z in zones if z["kind"] not in BLOCKS), default=0)
        for z in zones:
            body = TEXTS[z["kind"]](z)
            if z["kind"] in BLOCKS:
                lines += [f"  {z['title']}", *(f"    {x}" for x in body)]
            else:
                lines.append(f"  {padded(z['title'], wide)}  {body[0]}")
    return "\n".join(x.rstrip() for x in lines)


BLOCKS = ("grid", "board", "stack", "counters", "scores")


def _items(items: list[dict]) -> str:
    down = sum(p["hidden"] for p in items)
    return " ".join([p["label"] for p in items if not p["hidden"]] + ([f"?×{down}"] if down else [])) or "–"


def _grid(z: dict) -> list[str]:
    cells = [f"{c['label']}:" + (f"{c['ground']['title']} " if c["ground"] else "") + _items(c["items"]) if c else "" for c in z["cells"]]
    wide = max(map(width, cells), default=0)
    return ["  ".join(padded(x, wide) for x in cells[r * z["columns"]: (r + 1) * z["columns"]]) for r in range(z["rows"])]


def _table(rows: list[list[str]]) -> list[str]:
    wide = [max(width(r[i]) for r in rows) for i in range(len(rows[0]))]
    return ["  ".join(padded(x, w) for x, w in zip(r, wide, strict=True)) for r in rows]


TEXTS = {
    "hand": lambda z: [_items(z["items"])],
    "pile": lambda z: [_items(z["items"])],
    "row": lambda z: ["  ".join(f"{s['label']} {_items([s['item']] if s['item'] else [])}" for s in z["slots"])],
    "stack": lambda z: [f"{s['label']}: {_items(s['items'])}".removeprefix(": ") for s in z["stacks"]] or ["–"],
    "grid": _grid,
    "board": lambda z: [f"{n['label']}: {_items(n['items'])}" for n in z["nodes"]],
    "track": lambda z: ["  ".join(f"{m['label']} {'?' if m['at'] is None else m['at']}" for m in z["marks"])],
    "counters": lambda z: _table([[r["label"], str(r["value"])] for r in z["rows"]]),
    "scores": lambda z: _table([["", *z["columns"]], *([r["seat"], *map(str, r["values"])] for r in z["rows"])]),
}

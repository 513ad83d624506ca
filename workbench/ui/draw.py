"""Each zone as a small SVG fragment: the one drawing that the live table, the stored picture and the print share.

Text takes ``--wb-ink`` (a grey that reads on white and on black where a page sets nothing); pieces bring their own
light face, so that they read on any page.
"""

from __future__ import annotations

from html import escape

from workbench.core.language import width

FONT = '"Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", "Meiryo", system-ui, sans-serif'
PALETTE = {"red": "#C8401E", "blue": "#0072B2", "yellow": "#B58900", "green": "#00805E", "purple": "#A8518A", "orange": "#B86E00",
           "sky": "#2A8CC4", "grey": "#6E6E6E"}
"""Told apart by colour-blind eyes (after Okabe and Ito), dark enough to read on a light face."""
CARD, SMALL, CHIP = (40, 54), (28, 36), (26, 20)
PER_ROW, GAP = 8, 4
CSS = (".wb-i{fill:var(--wb-ink,#767676)}.wb-l{stroke:var(--wb-ink,#767676);fill:none}"
       ".wb-f{fill:var(--wb-face,#fdfcf7)}.wb-d{fill:#1b1b1b}.wb-b{fill:#8a8a8a}.wb-o{stroke:var(--wb-ink,#767676);fill:none;opacity:.35}"
       + "".join(f".wb-{n}{{fill:var(--wb-{n},{c})}}.wb-s-{n}{{stroke:var(--wb-{n},{c})}}" for n, c in PALETTE.items()))

Fragment = tuple[float, float, str]
"""Width, height and the SVG inside."""


def text(x: float, y: float, words: str, size: float = 12, *, cls: str = "wb-i", anchor: str = "start", bold: bool = False) -> str:
    """One line of text."""
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" class="{cls}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'


def length(words: str, size: float) -> float:
    """About how wide a text is: half an em for a Latin letter, a whole one for a Japanese one."""
    return width(words) * size * 0.56


def fitted(words: str, room: float, *, size: float, least: float = 7.5) -> tuple[str, float]:
    """A text and its size, made smaller and then shorter until it fits; what is cut stands in the title."""
    size = max(min(size, size * room / max(length(words, size), 0.1)), least)
    while len(words) > 1 and length(words, size) > room:
        words = words.rstrip("…")[:-1] + "…"
    return words, size


def target(inner: str, name: str | list[str] | None, title: str) -> str:
    """A group that can be clicked when a move names its target."""
    names = name if isinstance(name, list) else [name] if name else []
    mark = f' class="wb-t" data-t="{escape(" | ".join(names))}"' if names else ""
    return f"<g{mark}><title>{escape(title)}</title>{inner}</g>"


def piece(x: float, y: float, p: dict, size: tuple[int, int] = CARD) -> str:
    """A card or chip; face down when hidden."""
    w, h = size
    box = f'x="{x + 1:g}" y="{y + 1:g}" width="{w - 2}" height="{h - 2}" rx="{4 if h > 24 else h / 2 - 1:g}"'
    if p["hidden"]:
        return target(f'<rect {box} class="wb-b wb-s-grey" stroke-width="1.5"/>' + text(x + w / 2, y + h / 2 + 5, "?", size=13, cls="wb-f", anchor="middle"),
                      None, p["title"])
    big = min(h * 0.34 if h > 24 else 12, (w - 8) / max(1.3 * length(p["label"], 1), 0.1))  # bold letters are wider
    band = f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{w - 2}" height="{h * 0.2:g}" rx="3" class="wb-{p["colour"]}"/>' if h > 24 else ""
    face = f'<rect {box} class="wb-f wb-s-{p["colour"]}" stroke-width="2"/>'
    note = p.get("note", "") if h >= CARD[1] else ""
    if note:
        words, small = fitted(note, w - 6, size=9, least=6)
        face += text(x + w / 2, y + h - 6, words, size=small, cls="wb-d", anchor="middle")
    label = text(x + w / 2, y + h / 2 + big * 0.36 + (h * (0.02 if note else 0.1) if h > 24 else 0), p["label"], size=big, cls=f"wb-{p['colour']}" if h > 24 else "wb-d", anchor="middle", bold=True)
    return target(face + band + label, p["target"], p["title"])


def chip(x: float, y: float, p: dict) -> str:
    """A small token inside a cell or space, as wide as its label needs."""
    return piece(x, y, p, (chip_width(p), CHIP[1]))


def chip_width(p: dict) -> int:
    """The width of a token."""
    return max(CHIP[0], min(64, round(length(p["label"], 12)) + 12))


def flow(items: list[dict], size: tuple[int, int], per_row: int = PER_ROW) -> Fragment:
    """Pieces side by side, in rows; those face down lie on each other with their number."""
    down = [p for p in items if p["hidden"]]
    up = [p for p in items if not p["hidden"]]
    w, h = size
    out, x, y, widest = [], 0.0, 0.0, 0.0
    for i, p in enumerate(up):
        if i and i % per_row == 0:
            x, y = 0.0, y + h + GAP
        out.append(piece(x, y, p, size))
        x += w + GAP
        widest = max(widest, x - GAP)
    if down:
        if up:
            x, y = 0.0, y + h + GAP
        step = w * 0.3
        out += [piece(x + i * step, y, p, size) for i, p in enumerate(down[:12])]
        end = x + min(len(down), 12) * step + w * 0.7
        if len(down) > 1:
            out.append(text(end + 5, y + h / 2 + 5, f"×{len(down)}", size=13))
        widest = max(widest, end + (34 if len(down) > 1 else 0))
    return widest, y + h if items else 0, "".join(out)


def hand(z: dict) -> Fragment:
    """Pieces side by side, or a dash."""
    return flow(z["items"], CARD) if z["items"] else (24, 24, text(4, 17, "–", size=14))


def pile(z: dict) -> Fragment:
    """The same, small."""
    return flow(z["items"], SMALL, 11) if z["items"] else (24, 24, text(4, 17, "–", size=14))


def row(z: dict) -> Fragment:
    """Slots with their names below."""
    w, h = CARD
    out = []
    for i, slot in enumerate(z["slots"]):
        x, y = (i % PER_ROW) * (w + 12), (i // PER_ROW) * (h + 24)
        empty = f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{w - 2}" height="{h - 2}" rx="4" class="wb-o" stroke-dasharray="4 3" pointer-events="all"/>'
        out.append(piece(x, y, slot["item"]) if slot["item"] else target(empty, slot["target"], slot["label"]))
        name, size = fitted(slot["label"], w + 10, size=12)
        out.append(text(x + w / 2, y + h + 15, name, size=size, anchor="middle"))
    n = len(z["slots"])
    return min(n, PER_ROW) * (w + 12) - 12, -(-n // PER_ROW) * (h + 24) - 4, "".join(out)


def stack(z: dict) -> Fragment:
    """Each stack's pieces from the top, the lower ones small."""
    out, tall, column = [], 0.0, 84
    for i, s in enumerate(z["stacks"]):
        x, y = i * column, 0.0
        if s["label"]:
            out.append(target(text(x + 36, 14, s["label"], size=12, anchor="middle"), s["target"], s["label"]))
            y = 20
        for j, p in enumerate(s["items"]):
            w, h = (72, 40) if j == 0 else (60, CHIP[1])
            out.append(piece(x + (72 - w) / 2, y, p, (w, h)))
            y += h + 2
        if not s["items"]:
            out.append(text(x + 36, y + 20, "–", size=14, anchor="middle"))
            y += 28
        tall = max(tall, y)
    return len(z["stacks"]) * column - 12, tall, "".join(out)


def grid(z: dict) -> Fragment:
    """Cells with their ground as a tint and a name, what lies on them as tokens."""
    side = 62
    out = []
    for i, c in enumerate(z["cells"]):
        if c is None:
            continue
        x, y = (i % z["columns"]) * (side + 3), (i // z["columns"]) * (side + 3)
        colour = c["ground"]["colour"] if c["ground"] else "grey"
        cell = (f'<rect x="{x:g}" y="{y:g}" width="{side}" height="{side}" rx="5" class="wb-f"/>'
                f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{side - 2}" height="{side - 2}" rx="5" class="wb-{colour} wb-s-{colour}" stroke-width="2" fill-opacity="{0.22 if c["ground"] else 0.04}"/>')
        label = c["label"] + (f" {c['ground']['title']}" if c["ground"] else "")
        shown, size = fitted(label, side - 9, size=11)
        out.append(target(cell + text(x + 5, y + 14, shown, size=size, cls="wb-d"), c["targets"], label))
        out.append(_tokens(c["items"], x + 4, y + 19, side - 6))
    return max(z["columns"] * (side + 3) - 3, 0), max(z["rows"] * (side + 3) - 3, 0), "".join(out)


def _tokens(items: list[dict], x: float, y: float, room: float) -> str:
    out, at, line = [], 0.0, 0
    for p in items:
        w = chip_width(p)
        if at and at + w > room:
            at, line = 0.0, line + 1
        out.append(chip(x + at, y + line * (CHIP[1] + 1), p))
        at += w + 1
    return "".join(out)


def track(z: dict) -> Fragment:
    """Marks on a line: every place where there are few, else a scale."""
    span, across = z["hi"] - z["lo"], 330
    step = across / span
    out = [f'<line x1="14" y1="40" x2="{14 + across}" y2="40" class="wb-l" stroke-width="2"/>']
    every = next(k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10**6, 10**9) if span / k <= 12)
    out += [text(14 + (v - z["lo"]) * step, 58, str(v), size=11, anchor="middle") for v in range(z["lo"], z["hi"] + 1, every)]
    level: dict[int, int] = {}
    for m in z["marks"]:
        if m["at"] is not None:
            k = level[m["at"]] = level.get(m["at"], -1) + 1
            out.append(chip(14 + (m["at"] - z["lo"]) * step - CHIP[0] / 2, 17 - 18 * k, m))
    top = 18 * max(0, max(level.values(), default=0))
    return across + 28, 62 + top, f'<g transform="translate(0 {top})">{"".join(out)}</g>'


def board(z: dict) -> Fragment:
    """Spaces at their places (0 to 100 across and down), links as lines."""
    w, h, r = 420, 320, 30
    at = [(r + 8 + n["x"] / 100 * (w - 2 * r - 16), r + 4 + n["y"] / 100 * (h - 2 * r - 40)) for n in z["nodes"]]
    out = [f'<line x1="{at[a][0]:.0f}" y1="{at[a][1]:.0f}" x2="{at[b][0]:.0f}" y2="{at[b][1]:.0f}" class="wb-l" stroke-width="2" opacity=".5"/>' for a, b in z["links"]]
    for n, (x, y) in zip(z["nodes"], at, strict=True):
        spot = f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{r}" class="wb-f wb-s-{n["colour"]}" stroke-width="3"/>'
        lines = _lines(n["label"], 2 * r)
        name = "".join(text(x, y - 10 - 12 * (len(lines) - 1 - i), *fitted(line, 2 * r + 14, size=12, least=9), anchor="middle", bold=True, cls="wb-d")
                       for i, line in enumerate(lines))
        out.append(target(spot + name, n["target"], n["label"]))
        out.append(_tokens(n["items"], x - CHIP[0], y - 6, CHIP[0] * 2 + 3))
    return w, h, "".join(out)


def _lines(words: str, room: float) -> list[str]:
    """A label in one line, or in two where it is long and has a space."""
    spaces = [i for i, c in enumerate(words) if c == " "]
    if not spaces or length(words, 12) <= room:
        return [words]
    at = min(spaces, key=lambda i: abs(i - len(words) / 2))
    return [words[:at], words[at + 1:]]


def counters(z: dict) -> Fragment:
    """Names and values, one a line."""
    left = max((length(r["label"], 12) for r in z["rows"]), default=0) + 14
    out = [text(0, 15 + 20 * i, r["label"], size=12) + text(left, 15 + 20 * i, r["value"], size=13, bold=True) for i, r in enumerate(z["rows"])]
    return left + max((length(str(r["value"]), 13) for r in z["rows"]), default=0) + 4, 20 * len(z["rows"]), "".join(out)


def scores(z: dict) -> Fragment:
    """A table: a row a seat."""
    heads = [_wrapped(c) for c in z["columns"]]
    tall = 15 * max(map(len, heads))
    widths = [max(44, max(length(x, 11) for x in h) + 12) for h in heads]
    out = []
    x = 40.0
    for h, w in zip(heads, widths, strict=True):
        out += [text(x + w - 6, 12 + 15 * i, line, size=11, anchor="end") for i, line in enumerate(h)]
        x += w
    for i, r in enumerate(z["rows"]):
        y = tall + 4 + 22 * i
        out.append(chip(0, y, {"hidden": False, "label": r["seat"], "title": r["seat"], "colour": r["colour"], "target": f"seat:{r['seat']}"}))
        x = 40.0
        for k, (v, w) in enumerate(zip(r["values"], widths, strict=True)):
            x += w
            out.append(text(x - 6, y + 15, str(v), size=13, anchor="end", bold=k == 0))
    return x, tall + 4 + 22 * len(z["rows"]), "".join(out)


def _wrapped(words: str, most: int = 9) -> list[str]:
    """A heading in lines: at spaces, and for Japanese anywhere."""
    lines = [""]
    for w in words.split(" ") if " " in words or width(words) == len(words) else words:
        joint = " " if lines[-1] and len(w) > 1 else ""
        if lines[-1] and width(lines[-1] + joint + w) > most:
            lines.append(w)
        else:
            lines[-1] += joint + w
    return lines


DRAWERS = {"hand": hand, "row": row, "pile": pile, "grid": grid, "track": track, "board": board, "stack": stack, "counters": counters, "scores": scores}


def draw(z: dict) -> Fragment:
    """The fragment of one zone."""
    w, h, inner = DRAWERS[z["kind"]](z)
    return round(w, 1), round(h, 1), inner


def svg(fragment: Fragment, label: str = "") -> str:
    """A fragment as an SVG element of its own, for a page that brings the styles."""
    w, h, inner = fragment
    return (f'<svg viewBox="-2 -2 {w + 4:g} {h + 4:g}" width="{w + 4:g}" height="{h + 4:g}" role="group" aria-label="{escape(label)}" '
            f'xmlns="http://www.w3.org/2000/svg">{inner}</svg>')

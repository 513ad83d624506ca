"""What lies in each zone, as plain data made from named, redacted fields; ``draw`` and ``still`` show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.language import pick, say
from workbench.ui.words import meaning, spelled
from workbench.ui.zones import TOGETHER, Zone, colours, inner, notes, per_seat, space_names, zones_of

if TYPE_CHECKING:
    from workbench.core.draft import Draft
    from workbench.core.schema import Field

SEATS = ("blue", "orange", "green", "purple", "sky", "red", "yellow", "grey")
"""The colours of seats, in order."""


class Contents:
    """Reads named fields (:meth:`Position.fields` or what a seat has seen of them) into zones."""

    def __init__(self, draft: Draft, fields: dict, viewer: str, lang: str):
        self.draft, self.fields, self.viewer, self.lang = draft, fields, viewer, lang
        self.schema, self.colours, self.notes = draft.ruleset.schema, colours(draft.ruleset), notes(draft.ruleset)

    # ------------------------------------------------------------ single things

    def piece(self, kind: str, name: str) -> dict:
        """A piece by its short name; "?" for one that is hidden."""
        if name == "?":
            return {"hidden": True, "label": "?", "title": say("ui.table.hidden", self.lang), "colour": "grey", "target": None}
        pieces = self.schema.pieces[kind]
        title = pieces.title_of(pieces.index(name), self.lang)
        looks = self.colours.get(kind, {})
        best = max((n for n in looks if name.startswith(n)), key=len, default=None)
        found = {"hidden": False, "label": name, "title": title, "colour": looks.get(best, "grey"), "target": f"{kind}:{name}"}
        if kind in self.notes:
            found["note"] = self.notes[kind].format(**{c: v[pieces.index(name)] for c, v in pieces.columns.items()})
        return found

    def seat(self, name: str) -> dict:
        """A seat as a token."""
        n = self.schema.seat_names.index(name) if name in self.schema.seat_names else -1
        return {"hidden": n < 0, "label": name, "title": name, "colour": SEATS[n % len(SEATS)] if n >= 0 else "grey",
                "target": f"seat:{name}" if n >= 0 else None}

    def things(self, f: Field, value: object) -> tuple[list[dict], int]:
        """The pieces, token or number that a field holds at one place, and how many there are (hidden ones too)."""
        text = str(value)
        if value is None or text == "-":
            return [], 0
        if f.sort == "many":
            if text.startswith("?"):
                n = int(text[1:])
                return [self.piece(f.pieces.kind, "?")] * n, n  # type: ignore[union-attr]
            found = [self.piece(f.pieces.kind, x) for x in text.split()]  # type: ignore[union-attr]
            return found, len(found)
        if f.sort == "one":
            return [self.piece(f.pieces.kind, text)], 1  # type: ignore[union-attr]
        if f.sort == "seat":
            return [self.seat(text)], 1
        if text == "0":
            return [], 0
        return [{"hidden": text == "?", "label": text, "title": f"{meaning(self.draft, f.name, self.lang)}: {text}", "colour": "grey",
                 "target": None, "number": True}], 1

    def value(self, f: Field, value: object) -> str:
        """A value as text for a counter: pieces by title, a flag as a tick."""
        text = str(value)
        if f.sort == "one" and text not in ("-", "?"):
            return spelled(self.draft, f.pieces.kind, f.pieces.index(text), self.lang)  # type: ignore[union-attr]
        if f.sort == "number" and (f.declared.lo, f.declared.hi) == (0, 1) and text in "01":
            return "✓" if text == "1" else "–"
        return "–" if text == "-" else text

    # ------------------------------------------------------------ zones

    def views(self, z: Zone) -> list[dict]:
        """A zone's instances: one for each seat, or one for all."""
        fields = [self.schema.fields[n] for n in z.fields]
        if z.kind in TOGETHER:
            return self._some(z, None, getattr(self, z.kind)(z, fields))
        found = []
        for seat in (None, *self.draft.seat_names):
            mine = [f for f in fields if per_seat(f) == (seat is not None)]
            if mine:
                found += self._some(z, seat, getattr(self, z.kind)(z, mine, seat))
        return found

    def _some(self, z: Zone, seat: str | None, made: dict) -> list[dict]:
        if z.hide_empty and not made.pop("count"):
            return []
        made.pop("count", None)
        return [{"id": f"{z.id}/{seat}" if seat else z.id, "kind": z.kind, "title": pick(z.title, self.lang), "seat": seat, **made}]

    def _of(self, f: Field, seat: str | None) -> object:
        return self.fields[f.name][seat] if seat is not None and per_seat(f) else self.fields[f.name]

    def hand(self, z: Zone, fields: list[Field], seat: str | None) -> dict:
        """Pieces side by side."""
        items: list[dict] = []
        for f in fields:
            value = self._of(f, seat)
            for v in value.values() if isinstance(value, dict) else (value,):
                items += self.things(f, v)[0]
        return {"items": items, "targets": _targets(items), "count": len(items)}

    pile = hand

    def stack(self, z: Zone, fields: list[Field], seat: str | None) -> dict:
        """Stacks, each from its top."""
        stacks = []
        for f in fields:
            value = self._of(f, seat)
            dims = inner(f)
            for name, column in value.items() if len(dims) == 2 else [("", value)]:
                items = [x for v in column.values() for x in self.things(f, v)[0]]
                stacks.append({"label": self._place(dims[0][0], name) if name else "", "items": items,
                               "target": f"{dims[0][0]}:{name}" if name else None})
        items = [x for s in stacks for x in s["items"][:1]]
        return {"stacks": stacks, "targets": _targets(items) + [s["target"] for s in stacks if s["target"]], "count": sum(len(s["items"]) for s in stacks)}

    def row(self, z: Zone, fields: list[Field]) -> dict:
        """One slot for each seat from the one that begins, or for each place."""
        slots = []
        for f in fields:
            names = list(self.fields[f.name])
            start = self.fields[z.start] if z.start else None
            if start in names:
                names = names[names.index(start):] + names[: names.index(start)]
            for n in names:
                items, _ = self.things(f, self.fields[f.name][n])
                slots.append({"label": n if per_seat(f) else self._place(inner(f)[0][0], n), "item": items[0] if items else None,
                              "target": f"seat:{n}" if per_seat(f) else f"{inner(f)[0][0]}:{n}"})
        items = [s["item"] for s in slots if s["item"]]
        return {"slots": slots, "targets": _targets(items) + [s["target"] for s in slots], "count": len(items)}

    def grid(self, z: Zone, fields: list[Field], seat: str | None) -> dict:
        """Cells with their ground and what lies on each, row by row; None: no such cell, for want of ground or of a piece."""
        dims = inner(fields[0])
        rows, columns = (len(dims[0][1]), len(dims[1][1])) if len(dims) == 2 else (-(-len(dims[0][1]) // z.columns), z.columns)
        ground = self.schema.fields[z.ground] if z.ground else None
        cells: list[dict | None] = [None] * (rows * columns)
        total = 0
        for r in range(rows):
            for c in range(columns):
                if len(dims) == 1 and r * columns + c >= len(dims[0][1]):
                    break
                path = (dims[0][1][r], dims[1][1][c]) if len(dims) == 2 else (dims[0][1][r * columns + c],)
                items: list[dict] = []
                for f in fields:
                    found, n = self.things(f, _at(self._of(f, seat), path))
                    items, total = items + found, total + n
                base = self.things(ground, _at(self._of(ground, seat), path))[0] if ground else []
                if base or items or not ground:
                    cells[r * columns + c] = {
                        "label": " ".join(self._place(d, p) for (d, _), p in zip(dims, path, strict=True)), "items": items,
                        "ground": base[0] if base else None, "targets": [f"{d}:{p}" for (d, _), p in zip(dims, path, strict=True)]}
        lines = [r for r in range(rows) if any(cells[r * columns:(r + 1) * columns])]
        files = [c for c in range(columns) if any(cells[c::columns])]
        cells = [cells[r * columns + c] for r in lines for c in files]
        there = [c for c in cells if c is not None]
        return {"rows": len(lines), "columns": len(files), "cells": cells, "count": total,
                "targets": sorted({t for c in there for t in c["targets"]} | set(_targets([x for c in there for x in c["items"]])))}

    def track(self, z: Zone, fields: list[Field]) -> dict:
        """Marks on a line."""
        marks = []
        for f in fields:
            value = self.fields[f.name]
            for name, v in value.items() if per_seat(f) else [("", value)]:
                token = self.seat(name) if name else {"hidden": False, "label": "●", "title": meaning(self.draft, f.name, self.lang),
                                                      "colour": "grey", "target": None}
                marks.append({**token, "at": v if isinstance(v, int) else None})
        return {"lo": z.lo, "hi": z.hi, "marks": marks, "targets": [], "count": len(marks)}

    def board(self, z: Zone, fields: list[Field]) -> dict:
        """Spaces with what stands on them, and the links between."""
        names = space_names(self.schema, self.draft.ruleset.dims, z.spaces)
        on: dict[str, list[dict]] = {n: [] for n in names}
        total = 0
        for f in fields:
            for seat in self.draft.seat_names if per_seat(f) else (None,):
                value, dims = self._of(f, seat), inner(f)
                if dims and dims[0][0] == z.spaces:
                    for n in names:
                        items, k = self.things(f, value[n])  # type: ignore[index]
                        on[n] += [{**x, "title": f"{seat} {x['title']}" if seat else x["title"]} for x in items]
                        total += k
                    continue
                for who, v in value.items() if dims else [(None, value)]:  # type: ignore[union-attr]
                    if v in on:
                        on[str(v)].append(self._token(f, seat, dims[0][0] if dims else None, who))
                        total += 1
        nodes = [{"label": self._place(str(z.spaces), n), "x": z.at[n][0], "y": z.at[n][1], "items": on[n], "target": f"{z.spaces}:{n}",
                  "colour": self.piece(str(z.spaces), n)["colour"] if z.spaces in self.schema.pieces else "grey"} for n in names]
        return {"nodes": nodes, "links": [[names.index(a), names.index(b)] for a, b in z.links], "count": total,
                "targets": [n["target"] for n in nodes] + _targets([x for n in nodes for x in n["items"]])}

    def _token(self, f: Field, seat: str | None, dim: str | None, who: str | None) -> dict:
        """What stands on a space: a piece, a seat's token (numbered where it has several), or a dot."""
        owner = self.seat(seat) if seat else None
        if dim in self.schema.pieces:
            token = self.piece(dim, str(who))
        else:
            label = f"{seat or '●'}{f'·{who}' if who is not None else ''}"
            token = {"hidden": False, "label": label, "title": f"{meaning(self.draft, f.name, self.lang)} {label}", "colour": "grey",
                     "target": f"{dim}:{who}" if dim else owner["target"] if owner else None}
        return {**token, "colour": owner["colour"]} if owner else token

    def counters(self, z: Zone, fields: list[Field], seat: str | None) -> dict:
        """Values with their names."""
        rows = []
        for f in fields:
            value = self._of(f, seat)
            for k, v in value.items() if isinstance(value, dict) else [("", value)]:
                rows.append({"label": f"{self._label(z, f)} {k}".strip(), "value": self.value(f, v)})
        return {"rows": rows, "targets": [], "count": sum(r["value"] not in ("–", "0") for r in rows)}

    def scores(self, z: Zone, fields: list[Field]) -> dict:
        """A row a seat; the score itself is put first by the view."""
        rows = [{"seat": n, "colour": self.seat(n)["colour"], "values": [self.value(f, self.fields[f.name][n]) for f in fields]}
                for n in self.draft.seat_names]
        columns = [say("ui.table.score", self.lang), *(self._label(z, f) for f in fields)]
        return {"columns": columns, "rows": rows, "targets": [], "count": len(rows)}

    def _label(self, z: Zone, f: Field) -> str:
        return pick(z.labels[f.name], self.lang) if f.name in z.labels else meaning(self.draft, f.name, self.lang)

    def _place(self, dim: str, name: str) -> str:
        if dim in self.schema.pieces and name in self.schema.pieces[dim].names:
            return spelled(self.draft, dim, self.schema.pieces[dim].index(name), self.lang)
        return name


def _targets(items: list[dict]) -> list[str]:
    return [x["target"] for x in items if x["target"]]


def _at(value: object, path: tuple[str, ...]) -> object:
    for p in path:
        value = value[p]  # type: ignore[index]
    return value


def zone_views(draft: Draft, fields: dict, viewer: str, lang: str) -> list[dict]:
    """Every zone of the table with what lies in it."""
    contents = Contents(draft, fields, viewer, lang)
    return [v for z in zones_of(draft.ruleset) for v in contents.views(z)]

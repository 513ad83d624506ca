"""The zones of a table as ``game.toml`` lays them out, checked; a ruleset without ``[zones]`` gets them from its schema.

A zone names fields of the state and how they lie on the table:

- ``hand`` pieces side by side; ``pile`` the same, small (a field of pieces, ``many`` or ``one``);
- ``row`` one slot a seat in play order, ``from`` naming the seat that begins, or one slot for each place of a row;
- ``stack`` pieces on each other, the first on top (``one`` per depth, or per place and depth);
- ``grid`` cells: fields of one common shape, of two dimensions, or of one laid out in ``columns``; ``ground`` is the cell itself (without it there is none);
- ``track`` numbers as marks along a line; ``board`` a graph of ``spaces`` with places ``at`` and ``links``, both written out
  or taken from tables: ``at = ["x", "y"]`` names two columns, ``links = ["path", "from", "to"]`` a kind of piece and its ends;
- ``counters`` values with their names (``empty = "hide"``: not while all are nothing or 0); ``scores`` the score of each seat, and more columns.

A field whose first dimension is the seat makes a zone for each seat, but in ``row``, ``track``, ``board`` and ``scores``,
which show all seats in one. ``labels`` names fields shortly. ``[look.<kind of piece>] colours = {A = "blue"}`` colours pieces whose names begin so;
``note = "{cost}: {force}"`` puts columns of their table on the cards.
"""

from __future__ import annotations

from dataclasses import dataclass, field as _field
from typing import TYPE_CHECKING

from workbench.core.errors import RulesetError, UnknownName
from workbench.core.language import LANGUAGES, say

if TYPE_CHECKING:
    from workbench.core.pieces import Pieces
    from workbench.core.ruleset import Ruleset
    from workbench.core.schema import Field, Schema

KINDS = ("hand", "row", "pile", "grid", "track", "board", "stack", "counters", "scores")
TOGETHER = ("row", "track", "board", "scores")
"""Kinds that show all seats in one zone."""
COLOURS = ("red", "blue", "yellow", "green", "purple", "orange", "sky", "grey")
KEYS = {"kind", "title", "field", "fields", "empty", "from", "columns", "ground", "lo", "hi", "spaces", "at", "links", "labels"}
BUILT_IN = ("players", "phase", "turn")


@dataclass(frozen=True)
class Zone:
    """One zone: its id, kind and title, the fields it shows, and what its kind needs beside them."""

    id: str
    kind: str
    title: dict
    fields: tuple[str, ...] = ()
    hide_empty: bool = False
    start: str | None = None
    columns: int = 0
    ground: str | None = None
    lo: int = 0
    hi: int = 0
    spaces: str | None = None
    at: dict[str, tuple[float, float]] = _field(default_factory=dict)
    links: tuple[tuple[str, str], ...] = ()
    labels: dict[str, dict] = _field(default_factory=dict)
    """Shorter names for fields than their meanings."""


def per_seat(f: Field) -> bool:
    """Whether a field has a part for each seat."""
    return f.declared.per[:1] == ("seat",)


def inner(f: Field) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The dimensions of a field below the seat: (what it is called, names along it)."""
    dims = tuple(zip(map(str, f.declared.per), f.axes, strict=True))
    return dims[1:] if per_seat(f) else dims


def zones_of(rules: Ruleset) -> tuple[Zone, ...]:
    """The zones of a ruleset in order, read once.

    Raises:
        RulesetError: names the file, the zone, what was expected and what was met.
    """
    found = rules.__dict__.get("_zones")
    if found is None:
        entries = rules.game.get("zones")
        colours(rules)
        found = read_zones(rules, entries) if entries is not None else default_zones(rules.schema)
        rules.__dict__["_zones"] = found
    return found


def colours(rules: Ruleset) -> dict[str, dict[str, str]]:
    """Colour names by kind of piece and beginning of its name, from ``[look.…]``."""
    found = {}
    for kind, entry in rules.game.get("look", {}).items():
        if kind not in rules.pieces:
            raise RulesetError(f"[look.{kind}] {UnknownName('piece_kind', kind, rules.pieces)}", file=rules.folder / "game.toml")
        for name, colour in entry.get("colours", {}).items():
            if colour not in COLOURS:
                raise RulesetError(say("ui.zone.colour", kind=kind, name=name, met=colour, known=", ".join(COLOURS)),
                                   file=rules.folder / "game.toml")
        found[kind] = entry.get("colours", {})
    return found


def notes(rules: Ruleset) -> dict[str, str]:
    """What a card of a kind shows below its name, from ``[look.…]``: columns of its table in a text.

    Raises:
        RulesetError: names a column that the table does not have.
    """
    found = {}
    for kind, entry in rules.game.get("look", {}).items():
        if "note" in entry:
            try:
                entry["note"].format(**dict.fromkeys(rules.pieces[kind].columns, 0))
            except (KeyError, IndexError, ValueError, AttributeError) as e:
                raise RulesetError(say("ui.zone.note", kind=kind, met=entry["note"], why=e, known=", ".join(rules.pieces[kind].columns) or "–"),
                                   file=rules.folder / "game.toml") from None
            found[kind] = entry["note"]
    return found


def read_zones(rules: Ruleset, entries: dict) -> tuple[Zone, ...]:
    """Every ``[zones.<id>]`` table, checked against the schema."""
    file = rules.folder / "game.toml"
    zones = []
    for id, entry in entries.items():
        try:
            zones.append(_read(rules.schema, rules.dims, id, entry))
        except (RulesetError, UnknownName) as e:
            raise RulesetError(f"[zones.{id}] {e}", file=file) from None
    return tuple(zones)


def _read(schema: Schema, dims: dict[str, int], id: str, e: dict) -> Zone:
    if not isinstance(e, dict) or e.get("kind") not in KINDS:
        raise RulesetError(say("ui.zone.kind", met=e.get("kind") if isinstance(e, dict) else e, known=", ".join(KINDS)))
    for key in e:
        if key not in KEYS:
            raise UnknownName("key", key, KEYS)
    kind = e["kind"]
    names = tuple(e["fields"]) if "fields" in e else (e["field"],) if "field" in e else ()
    if not names and kind != "scores":
        raise RulesetError(say("ui.zone.fields"))
    if e.get("empty", "show") not in ("show", "hide"):
        raise RulesetError(say("ui.zone.empty", met=e["empty"]))
    fields = [_known(schema, n) for n in names]
    title = e.get("title") or ({"en": fields[0].declared.en or id, "ja": fields[0].declared.ja or id} if fields else _title("score"))
    if not isinstance(title, dict) or any(not title.get(lang) for lang in LANGUAGES):
        raise RulesetError(say("ui.zone.title"))
    zone = Zone(id, kind, title, names, e.get("empty") == "hide", e.get("from"), e.get("columns", 0), e.get("ground"),
                e.get("lo", fields[0].declared.lo if fields else 0), e.get("hi", fields[0].declared.hi if fields else 0),
                e.get("spaces"), _places(schema, e), _links(schema, e), e.get("labels", {}))
    _check(schema, dims, zone, fields)
    return zone


def _places(schema: Schema, e: dict) -> dict[str, tuple[float, float]]:
    """Where the spaces of a board lie: written out, or in two columns of their table."""
    at = e.get("at", {})
    if isinstance(at, dict):
        return {k: tuple(v) for k, v in at.items()}
    spaces = schema.pieces.get(e.get("spaces"))
    return dict(zip(spaces.names, zip(*(_column(spaces, c) for c in at), strict=True), strict=True)) if spaces else {}


def _links(schema: Schema, e: dict) -> tuple[tuple[str, str], ...]:
    """Which spaces of a board are joined: written out, or a kind of piece with the two columns that name its ends."""
    links = e.get("links", ())
    if len(links) == 3 and all(isinstance(part, str) for part in links):
        kind, *ends = links
        if kind not in schema.pieces:
            raise UnknownName("piece_kind", kind, schema.pieces)
        spaces = schema.pieces[e["spaces"]].names if e.get("spaces") in schema.pieces else ()
        return tuple(tuple(spaces[i] for i in pair) for pair in zip(*(_column(schema.pieces[kind], c) for c in ends), strict=True))
    return tuple(map(tuple, links))


def _column(kind: Pieces, name: str) -> tuple[int, ...]:
    if name not in kind.columns:
        raise UnknownName("column", name, kind.columns)
    return kind.columns[name]


def _known(schema: Schema, name: str) -> Field:
    if name not in schema.fields:
        raise UnknownName("field", name, [n for n in schema.fields if n not in BUILT_IN])
    return schema.fields[name]


def _check(schema: Schema, dims: dict[str, int], z: Zone, fields: list[Field]) -> None:
    """What each kind asks of its fields."""
    wants = say(f"ui.zone.wants.{z.kind}")
    for name, label in z.labels.items():
        if name not in z.fields:
            raise UnknownName("field", name, z.fields)
        if not isinstance(label, dict) or any(not label.get(lang) for lang in LANGUAGES):
            raise RulesetError(say("ui.zone.title"))
    for f in fields:
        deep, pieces = len(inner(f)), f.sort in ("many", "one")
        good = {"hand": pieces and deep <= 1, "pile": pieces and deep <= 1, "stack": f.sort == "one" and deep in (1, 2),
                "row": f.sort == "one" and (deep == 0 and per_seat(f) or deep == 1), "grid": deep in (1, 2),
                "track": f.sort == "number" and deep == 0, "board": _on_board(f, z.spaces), "counters": f.sort != "many" and deep <= 1,
                "scores": per_seat(f) and deep == 0 and f.sort != "many"}[z.kind]
        if not good:
            raise RulesetError(say("ui.zone.shape", field=f.name, kind=z.kind, wants=wants))
    if z.start and (_known(schema, z.start).sort != "seat" or _known(schema, z.start).shape):
        raise RulesetError(say("ui.zone.start", met=z.start))
    if z.kind == "grid":
        shapes = {tuple(d for d, _ in inner(f)) for f in [*fields, *([_known(schema, z.ground)] if z.ground else [])]}
        if len(shapes) > 1:
            raise RulesetError(say("ui.zone.grid"))
        if len(inner(fields[0])) == 1 and not 1 <= z.columns <= len(inner(fields[0])[0][1]):
            raise RulesetError(say("ui.zone.columns", n=len(inner(fields[0])[0][1]), met=z.columns))
    if z.kind == "track" and not z.lo < z.hi:
        raise RulesetError(say("ui.zone.track", lo=z.lo, hi=z.hi))
    if z.kind == "board":
        spaces = space_names(schema, dims, z.spaces)
        for name in spaces:
            if name not in z.at or len(z.at[name]) != 2:
                raise RulesetError(say("ui.zone.at", name=name))
        for name in [*z.at, *(n for link in z.links for n in link)]:
            if name not in spaces:
                raise UnknownName("place", name, spaces)


def _on_board(f: Field, spaces: str | None) -> bool:
    """Whether the field stands on spaces (its value is one) or holds something for each of them."""
    dims = [d for d, _ in inner(f)]
    stands = f.pieces is not None and f.pieces.kind == spaces and len(dims) <= 1
    return stands or dims[:1] == [spaces] and len(dims) == 1


def space_names(schema: Schema, dims: dict[str, int], spaces: str | None) -> tuple[str, ...]:
    """The names of a board's spaces: a kind of piece or a dimension."""
    if spaces in schema.pieces:
        return schema.pieces[spaces].names
    if spaces in dims:
        return tuple(map(str, range(dims[spaces])))
    raise UnknownName("place", str(spaces), [*schema.pieces, *dims])


# ---------------------------------------------------------------- without [zones]


def default_zones(schema: Schema) -> tuple[Zone, ...]:
    """A plain table for any schema: hands, slots, piles, grids and counters in the order of the fields, then scores."""
    zones: list[Zone] = []
    loose: list[str] = []
    for f in schema.fields.values():
        if f.name in BUILT_IN:
            continue
        kind = _default_kind(f)
        if kind == "counters":
            loose.append(f.name)
        elif kind:
            size = len(inner(f)[0][1]) if kind == "grid" else 0
            columns = next(c for c in range(max(1, round(size**0.5)), size + 1) if c * c >= size) if size else 0
            title = {"en": f.declared.en or f.name, "ja": f.declared.ja or f.name}
            zones.append(Zone(f.name, kind, title, (f.name,), f.declared.sees == "all" and kind in ("pile", "row"), columns=columns))
    if loose:
        zones.append(Zone("counters", "counters", _title("counters"), tuple(loose)))
    return (*zones, Zone("scores", "scores", _title("score")))


def _default_kind(f: Field) -> str | None:
    deep = len(inner(f))
    if f.sort == "many":
        return None if deep > 1 else "hand" if per_seat(f) and f.declared.sees == "owner" else "pile"
    if deep == 0:
        return "counters" if f.sort != "one" else "pile" if not per_seat(f) else "row" if f.declared.sees == "all" else "hand"
    return "grid" if deep <= 2 else None


def _title(key: str) -> dict:
    return {lang: say(f"ui.{key}", lang) for lang in LANGUAGES}

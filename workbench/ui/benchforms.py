"""The forms of the bench, made from the schema and the parameters: editing a position, changing a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.core.errors import WorkbenchError
from workbench.core.language import pick
from workbench.core.notation import shown_axes
from workbench.ui.session import Result
from workbench.ui.words import meaning

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.core.schema import Field
    from workbench.ui.session import Session

NOT_EDITED = ("players",)


class Forms:
    """Edits are gathered field by field, tried together, and kept as one branch."""

    session: Session
    values: dict[str, Any]
    inputs: dict[str, Any]
    edits: dict[str, Any]
    lang: str
    text: Callable[..., str]
    _tell: Callable[[], None]

    # ------------------------------------------------------------ moving one piece

    def options_piece(self) -> list:
        """Every piece that lies somewhere."""
        schema = self.session.draft.ruleset.schema
        kinds = dict.fromkeys(f.pieces.kind for f in schema.fields.values() if f.pieces is not None and f.declared.place)
        return [(n if len(kinds) == 1 else f"{k} {n}", f"{k} {n}") for k in kinds for n in schema.pieces[k].names]

    def options_to(self) -> list:
        """Every place for that piece."""
        kind = str(self.values["piece"]).partition(" ")[0]
        draft, found = self.session.draft, []
        for f in draft.ruleset.schema.fields.values():
            if f.pieces is None or f.pieces.kind != kind or not f.declared.place or len(f.shape) > 1:
                continue
            axes = shown_axes(draft.ruleset.schema, f, draft.players)
            label = meaning(draft, f.name, self.lang)
            found += [(f"{label} {n}", f"{f.name} {n}") for n in axes[0]] if axes else [(label, f"{f.name} ")]
        return found

    def press_move_piece(self) -> Result:
        """Move the chosen piece to the chosen place."""
        kind, _, name = str(self.values["piece"]).partition(" ")
        field, _, place = str(self.values["to"]).partition(" ")
        return self.session.move_piece(kind, name, field, place or None)

    # ------------------------------------------------------------ editing fields

    def options_field(self) -> list:
        """Every field by its meaning."""
        draft = self.session.draft
        return [(meaning(draft, n, self.lang), n) for n, f in draft.ruleset.schema.fields.items()
                if n not in NOT_EDITED and not f.declared.derived]

    def value_form(self) -> list[dict]:
        """The inputs of the chosen field: one for each of its parts, with what can stand there."""
        name = self.values["field"] or (self.options_field() or [("", "")])[0][1]
        draft = self.session.draft
        f = draft.ruleset.schema.fields.get(name)
        if f is None:
            return []
        value = self.edits.get(name, self.session.position[name])
        faults = "; ".join(why for n, why in self.faults() if n == name)
        return [{"id": "/".join((name, *where)), "label": " ".join(where) or meaning(draft, name, self.lang), "value": v,
                 "fault": "" if i else faults, **self._input(f)} for i, (where, v) in enumerate(_flat(value))]

    def _input(self, f: Field) -> dict:
        draft = self.session.draft
        if f.sort == "number" and f.name != "phase":
            return {"kind": "number", "least": f.declared.lo, "most": f.declared.hi}
        if f.sort == "many":
            return {"kind": "text", "help": " ".join(f.pieces.names)}  # type: ignore[union-attr]
        names = draft.ruleset.phases if f.name == "phase" else draft.seat_names if f.sort == "seat" else f.pieces.names  # type: ignore[union-attr]
        none = [] if f.name == "phase" else ["-"]
        return {"kind": "choice", "options": [(n, n) for n in (*none, *names)]}

    def set_input(self, id: str, value: object) -> None:
        """An input of a form was changed: it is gathered, and tried with the others."""
        name, *where = id.split("/")
        if name == "=":
            self.inputs[where[0]] = value
            return
        whole = self.edits.get(name, self.session.position[name])
        changed = _put(whole, where, value)
        if changed != whole:
            self.edits[name] = changed
            self._tell()

    def faults(self) -> tuple[tuple[str, str], ...]:
        """What breaks the gathered edits, by field."""
        return self.session.poke(self.edits, keep=False).faults if self.edits else ()

    def value_pending(self) -> str:
        """The gathered edits, with the faults or notes they would bring."""
        if not self.edits:
            return self.text("no_edits")
        tried = self.session.poke(self.edits, keep=False)
        lines = [self.text("edited_fields", fields=", ".join(meaning(self.session.draft, n, self.lang) for n in self.edits))]
        lines += [f"✗ {_field_text(self.session, n, self.lang)}: {why}" for n, why in tried.faults] + [f"△ {x}" for x in tried.notes]
        return "\n".join(lines if tried.faults else [*lines, self.text("sound")])

    def press_keep_edit(self) -> Result | None:
        """Keep the gathered edits as a branch."""
        if not self.edits:
            return None
        result = self.session.poke(self.edits)
        if result.ok:
            self.edits = {}
        return result

    def press_drop_edit(self) -> None:
        """Forget the gathered edits."""
        self.edits = {}

    def press_undo_edit(self) -> Result:
        """Take back the last edit that was kept."""
        return self.session.undo_poke()

    # ------------------------------------------------------------ drafts and parameters

    def options_named_draft(self) -> list:
        """The named drafts."""
        return [(n, n) for n in self.session.drafts()]

    def press_open_draft(self) -> Result:
        """Open the position under the chosen draft."""
        return self.session.under(str(self.values["named_draft"]))

    def options_parameter(self) -> list:
        """Every number and ruling by its meaning."""
        entries = self.session.draft.ruleset.parameters.entries
        return [(pick(p.meaning, self.lang), n) for n, p in entries.items()]

    def value_parameter_form(self) -> list[dict]:
        """One input for the chosen parameter."""
        draft = self.session.draft
        name = self.values["parameter"] or next(iter(draft.ruleset.parameters.entries), "")
        p = draft.ruleset.parameters.entries.get(name)
        if p is None:
            return []
        value = self.inputs.get(name, draft.values[name])
        common = {"id": f"=/{name}", "label": name, "value": value, "fault": ""}
        if p.readings:
            return [{**common, "kind": "choice", "options": [(pick(r, self.lang), k) for k, r in p.readings.items()]}]
        if p.length:
            return [{**common, "kind": "text", "value": " ".join(map(str, value)) if isinstance(value, tuple) else value, "help": p.range}]
        return [{**common, "kind": "number", "least": p.lo, "most": p.hi}]

    def value_about(self) -> str:
        """Range, reason and rule of the chosen parameter."""
        draft = self.session.draft
        p = draft.ruleset.parameters.entries.get(self.values["parameter"])
        if p is None:
            return ""
        ids = " ".join(x for x in (p.rule, p.question_id) if x)
        return "\n".join(x for x in (p.range if not p.readings else "", pick(p.reason, self.lang), ids) if x)

    def press_change(self) -> Result:
        """The position with the changed number or reading, as a branch."""
        name = str(self.values["parameter"])
        if name not in self.inputs:
            return Result(False, "error", self.text("no_change"))
        value = self.inputs.pop(name)
        p = self.session.draft.ruleset.parameters.entries[name]
        try:
            value = tuple(int(x) for x in str(value).split()) if p.length else value
        except ValueError as e:
            return Result(False, "broken", str(e))
        return self.session.vary(**{name: value})


def _field_text(session: Session, name: str, lang: str) -> str:
    try:
        return meaning(session.draft, name, lang)
    except (KeyError, WorkbenchError):
        return name


def _flat(value: object, where: tuple[str, ...] = ()):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from _flat(v, (*where, k))
    else:
        yield where, value


def _put(whole: object, where: list[str], value: object) -> object:
    if not where:
        return value
    return {k: _put(v, where[1:], value) if k == where[0] else v for k, v in whole.items()}  # type: ignore[union-attr]

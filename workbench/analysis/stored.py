"""Studies on disk: Parquet, with where they come from and a digest of their rows in the file's metadata."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import polars as pl

from workbench.analysis.study import Study
from workbench.core.draft import Draft, draft_of_key
from workbench.core.errors import DamagedFile
from workbench.core.language import say

FORMAT = 1
KEPT = ("luck", "rows", "games", "asked", "capped", "cap", "engine", "stopped", "digest")
"""What of a study stands in the metadata as it is."""


def save(study: Study, path: Path) -> Path:
    """Write a study; the old file stays until the new one is whole."""
    head = {"workbench": "study", "format": FORMAT, "draft": study.draft.key, "alias": study.draft.alias, "bots": list(study.bots),
            "content": content(study.frame)} | {name: getattr(study, name) for name in KEPT}
    part = path.with_name(path.name + ".part")
    study.frame.write_parquet(part, metadata={"workbench": json.dumps(head, ensure_ascii=False)})
    os.replace(part, path)
    return path


def load(path: Path, draft: Draft | None) -> Study:
    """The study of a file.

    Raises:
        DamagedFile: not a study, another format, rows that are not those that were saved, or a draft with other columns.
    """
    try:
        head = json.loads(pl.read_parquet_metadata(path).get("workbench", "{}"))
    except (OSError, ValueError, pl.exceptions.PolarsError) as e:
        raise DamagedFile(say("saved.unreadable", path=path, why=str(e).split("\n")[0])) from None
    if head.get("workbench") != "study":
        raise DamagedFile(say("study.foreign", path=path))
    if head.get("format") != FORMAT:
        raise DamagedFile(say("saved.format", path=path, met=head.get("format"), known=FORMAT))
    try:
        frame = pl.read_parquet(path)
        whole = content(frame) == head["content"]
    except (OSError, KeyError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as e:
        raise DamagedFile(say("saved.unreadable", path=path, why=str(e).split("\n")[0])) from None
    if not whole:
        raise DamagedFile(say("study.changed", path=path))
    d = draft or draft_of_key(head["draft"])
    if head["alias"] and draft is None:
        d = d.vary(alias=head["alias"])
    study = Study(frame, d, bots=tuple(head["bots"]), **{name: head[name] for name in KEPT})
    if frame.columns != [c.name for c in study.declared]:
        raise DamagedFile(say("study.other_columns", path=path, draft=d.key))
    return study


def content(frame: pl.DataFrame) -> str:
    """A digest of names, types and values."""
    h = hashlib.sha256(repr([(n, str(t)) for n, t in frame.schema.items() if t != pl.Categorical]).encode())
    for s in frame.iter_columns():
        if s.dtype in (pl.String, pl.Categorical):
            h.update("\0".join(s.cast(pl.String).fill_null("").to_list()).encode())
            continue
        values = s.to_physical() if s.dtype == pl.Enum else s
        h.update(values.is_null().to_numpy().tobytes())
        h.update(values.fill_null(0 if s.dtype != pl.Boolean else False).to_numpy().tobytes())
    return h.hexdigest()

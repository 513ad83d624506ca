"""Golden transcripts: one readable game a draft, compared exactly, so that no change of play goes unnoticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.checks.walks import CAP
from workbench.core.draft import Draft, load, named_drafts
from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.core.loops import bot_stream
from workbench.core.position import Position
from workbench.core.ruleset import Ruleset
from workbench.core.vocabulary import mix

LUCK = 1
FOLDER = "transcripts"


def golden_game(draft: Draft, luck: int = LUCK) -> Position:
    """The game of a transcript: the ruleset's first bot at every seat, or random moves where there is none."""
    bot = 1 if draft.ruleset.bots else 0
    position, stream, k = draft.start(luck=luck), bot_stream(luck, 0), 0
    while not position.over:
        s, w = position.state, draft.workspace()
        n = draft.plain.legal(draft.p, s, w)
        if n == 0 or k == CAP:
            raise WorkbenchError(say("check.endless", n=k) + f"\n  {position}")
        who = position.seat_index(position.to_move)
        code = w.found[0] if n == 1 else draft.plain.choose(bot, draft.p, s, draft.ruleset.schema.blank(draft.players),
                                                            who, w, n, mix(stream, k))
        position, k = position.play(code), k + 1
    return position


def transcript(draft: Draft, luck: int = LUCK) -> str:
    """The text of a draft's golden game: every move with what it brought about, in English."""
    moves = draft.ruleset.moves
    bot = next(iter(draft.ruleset.bots), "random")
    last = golden_game(draft, luck)
    lines = [f"{draft.key}  luck {luck}  bot {bot}"]
    for i, p in enumerate(last.history):
        if p.previous is not None:
            who = p.previous.to_move
            lines.append(f"\n{i}. {who}: {moves.name(p.code)}" + ("  (forced)" if p.previous.forced else ""))  # type: ignore[arg-type]
        lines += [f"   {e.sentence('en')} [{e.rule}]" for e in p.own_events]
    lines += ["", "  ".join(f"{n} {v}" for n, v in last.score.items()), "won: " + (", ".join(last.winners) or "nobody"), str(last)]
    return "\n".join(lines) + "\n"


def transcripts(ruleset: Ruleset, drafts: list[Draft]) -> Iterator[str]:
    """The golden game of each draft goes as it is written down."""
    for name in dict.fromkeys(d.name for d in drafts):
        file = path_of(ruleset, name)
        if not file.is_file():
            yield f"{file}: " + say("check.no_transcript", name=ruleset.name)
            continue
        met, expected = transcript(load(ruleset.folder, name)), file.read_text("utf-8")
        if met != expected:
            a, b = expected.splitlines(), met.splitlines()
            line = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            shown = [x[line] if line < len(x) else say("check.end_of_file") for x in (a, b)]
            yield f"{file}:{line + 1}: " + say("check.transcript", expected=shown[0].strip(), met=shown[1].strip(), name=ruleset.name)
    known = named_drafts(ruleset)["drafts"]
    for file in sorted((ruleset.folder / FOLDER).glob("*.txt")):
        if file.stem not in known:
            yield f"{file}: " + say("check.stray_transcript", known=", ".join(known))


def path_of(ruleset: Ruleset, draft: str) -> Path:
    """Where a draft's transcript lies."""
    return ruleset.folder / FOLDER / f"{draft}.txt"


def write_transcripts(ruleset: Ruleset) -> list[Path]:
    """Write the golden game of each draft anew, after a change of play that was meant; the files written."""
    (ruleset.folder / FOLDER).mkdir(exist_ok=True)
    written = []
    for name in named_drafts(ruleset)["drafts"]:
        written.append(path_of(ruleset, name))
        written[-1].write_text(transcript(load(ruleset.folder, name)), "utf-8", newline="\n")
    return written

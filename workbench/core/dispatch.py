"""Writes the small functions that join a ruleset's own: from a move's code to its function and back.

A ruleset says, for each kind of move, ``forbids_<kind>`` (which rule stands against it) and
``do_<kind>`` (what it does); a chance kind has ``weight_<kind>`` instead of ``forbids_<kind>``.
From these the text of ``to_move``, ``legal``, ``pick``, ``forbids``, ``apply``, ``chance``, ``redact``
and ``choose`` is written here and linked like any rule, in both engines.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable

from workbench.core.errors import RulesetError
from workbench.core.language import say
from workbench.core.moves import LUCK_BITS, Kind, Moves
from workbench.core.schema import Field, Schema

ARGS = ("a", "b")
ALL, OWNER, NOBODY = "0", "1", "2"
"""How a field's visibility stands in the written code."""


def source(schema: Schema, moves: Moves, functions: dict[str, Callable], sees: Callable[[Field], str]) -> str:
    """The text of the joining functions of one ruleset; ``sees`` gives a field's visibility as an expression."""
    _complete(moves, functions)
    parts = [_to_move(schema, moves), _legal(schema, moves, functions), _pick(schema, moves, functions), _forbids(moves), _apply(moves),
             _chance(schema, moves), _kind_of(moves), _redact(schema, sees)]
    return "\n\n".join(parts) + "\n"


def _complete(moves: Moves, functions: dict[str, Callable]) -> None:
    """Every kind has its functions with the right parameters.

    Raises:
        RulesetError: names the missing function or what its parameters should be.
    """
    wanted = {"setup": 2, "score": 3, "won": 3}
    for k in moves.kinds.values():
        n = 1 if k.luck else len(k.args)
        wanted[f"do_{k.name}"] = 2 + n
        if not k.luck:
            wanted[f"weight_{k.name}" if k.chance else f"forbids_{k.name}"] = 2 + n
        if _has_set(k, functions):
            wanted[f"legal_{k.name}"] = 2
    for name, n in wanted.items():
        if name not in functions:
            raise RulesetError(say("ruleset.function", name=name, n=n))
        if len(inspect.signature(functions[name]).parameters) != n:
            code = functions[name].__code__  # type: ignore[attr-defined]
            raise RulesetError(say("ruleset.parameters", name=name, n=n), file=code.co_filename, line=code.co_firstlineno)


def _phases(schema: Schema, names: Iterable[str]) -> str:
    return " or ".join(f"s.phase == {schema.phases.index(p)}" for p in names)


def _to_move(schema: Schema, moves: Moves) -> str:
    chance = sorted({p for k in moves.kinds.values() if k.chance for p in k.phases})
    lines = ["def to_move(p, s):", f"    if {_phases(schema, ['over'])}:", "        return OVER"]
    if chance:
        lines += [f"    if {_phases(schema, chance)}:", "        return CHANCE"]
    return "\n".join([*lines, "    return s.turn"])


def _loops(kind: Kind, functions: dict[str, Callable]) -> tuple[list[str], str]:
    """Loop headers over a kind's arguments, and the expression of its code."""
    if _has_set(kind, functions):
        return [f"for a in cards(legal_{kind.name}(p, s)):"], f"{kind.base} + a"
    code, heads = str(kind.base), []
    for name, size, arg in zip(ARGS, kind.sizes, kind.args, strict=False):
        heads.append(f"for {name} in {'seats(s)' if arg == 'seat' else f'range({size})'}:")
    if len(kind.args) == 1:
        code = f"{kind.base} + a"
    elif len(kind.args) == 2:
        code = f"{kind.base} + a * {kind.sizes[1]} + b"
    return heads, code


def _call(prefix: str, kind: Kind) -> str:
    return f"{prefix}_{kind.name}(" + ", ".join(["p", "s", *ARGS[: 1 if kind.luck else len(kind.args)]]) + ")"


def _by_phase(schema: Schema, kinds: list[Kind]) -> list[tuple[str, list[Kind]]]:
    return [(ph, [k for k in kinds if ph in k.phases]) for ph in schema.phases if any(ph in k.phases for k in kinds)]


def _legal(schema: Schema, moves: Moves, functions: dict[str, Callable]) -> str:
    lines = ["def legal(p, s, w):", "    found = w.found", "    n = 0"]
    for i, (ph, kinds) in enumerate(_by_phase(schema, [k for k in moves.kinds.values() if not k.chance])):
        lines.append(f"    {'if' if i == 0 else 'elif'} {_phases(schema, [ph])}:")
        for k in kinds:
            heads, code = _loops(k, functions)
            lines += ["        " + "    " * j + h for j, h in enumerate(heads)]
            pad = "        " + "    " * len(heads)
            if _has_set(k, functions):
                lines += [f"{pad}found[n] = {code}", f"{pad}n += 1"]
            else:  # written first and counted after: no branch for the processor to guess wrong
                lines += [f"{pad}found[n] = {code}", f"{pad}if {_call('forbids', k)} == ALLOWED:", f"{pad}    n += 1"]
    return "\n".join([*lines, "    return n"])


def _pick(schema: Schema, moves: Moves, functions: dict[str, Callable]) -> str:
    """``pick(p, s, w, luck)``: the legal move that ``random`` takes, or NONE; where sets tell what is legal, without listing it."""
    lines = ["def pick(p, s, w, luck):"]
    for ph, kinds in _by_phase(schema, [k for k in moves.kinds.values() if not k.chance]):
        if not all(_has_set(k, functions) or not k.args for k in kinds):
            continue
        lines.append(f"    if {_phases(schema, [ph])}:")
        total = []
        for i, k in enumerate(kinds):
            if k.args:
                lines += [f"        set{i} = legal_{k.name}(p, s)", f"        n{i} = count(set{i})"]
            else:
                lines.append(f"        n{i} = 1 if {_call('forbids', k)} == ALLOWED else 0")
            total.append(f"n{i}")
        lines += [f"        n = {' + '.join(total)}", "        if n == 0:", "            return NONE", "        k = below(luck, n)"]
        for i, k in enumerate(kinds):
            code = f"{k.base} + nth(set{i}, k)" if k.args else str(k.base)
            if i < len(kinds) - 1:
                lines += [f"        if k < n{i}:", f"            return {code}", f"        k -= n{i}"]
            else:
                lines.append(f"        return {code}")
    return "\n".join([*lines, "    n = legal(p, s, w)", "    return w.found[below(luck, n)] if n else NONE"])


def _has_set(kind: Kind, functions: dict[str, Callable]) -> bool:
    """Whether the ruleset gives all that is legal of a kind as one set of pieces."""
    return f"legal_{kind.name}" in functions and len(kind.args) == 1


def _decoded(moves: Moves, body: Callable[[Kind], list[str]], kinds: list[Kind]) -> list[str]:
    lines = []
    for k in kinds:
        lines.append(f"    if code < {k.base + k.size}:")
        if len(k.args) == 1:
            lines.append(f"        a = code - {k.base}")
        elif len(k.args) == 2:
            lines += [f"        a = (code - {k.base}) // {k.sizes[1]}", f"        b = (code - {k.base}) % {k.sizes[1]}"]
        lines += ["        " + x for x in body(k)]
    return lines


def _forbids(moves: Moves) -> str:
    plain = [k for k in moves.kinds.values() if not k.luck]
    return "\n".join(["def forbids(p, s, code):",
                      *_decoded(moves, lambda k: [f"return {'ALLOWED' if k.chance else _call('forbids', k)}"], plain),
                      "    return ALLOWED"])


def _apply(moves: Moves) -> str:
    lines = ["def apply(p, s, code):"]
    lucky = [k for k in moves.kinds.values() if k.luck]
    if lucky:
        lines += [f"    if code >> {LUCK_BITS}:", f"        a = code & {(1 << LUCK_BITS) - 1}"]
        for k in lucky:
            lines += [f"        if code >> {LUCK_BITS} == {k.index + 1}:", f"            {_call('do', k)}", "            return"]
    plain = [k for k in moves.kinds.values() if not k.luck]
    return "\n".join(lines + _decoded(moves, lambda k: [_call("do", k), "return"], plain) + ["    return"])


def _chance(schema: Schema, moves: Moves) -> str:
    """``chance(p, s, luck, turned)``: the chance move that a luck number picks; seats are turned by ``turned``."""
    lines = ["def chance(p, s, luck, turned):"]
    for ph, kinds in _by_phase(schema, [k for k in moves.kinds.values() if k.chance]):
        lines.append(f"    if {_phases(schema, [ph])}:")
        if kinds[0].luck:
            lines.append(f"        return {(kinds[0].index + 1) << LUCK_BITS} | luck")
            continue
        lines.append("        total = 0")
        for k in kinds:
            heads, _ = _loops(k, {})
            lines += ["        " + "    " * j + h for j, h in enumerate(heads)]
            lines.append("        " + "    " * len(heads) + f"total += {_call('weight', k)}")
        lines.append("        ticket = below(mix(luck, 1), total)")
        for k in kinds:
            heads, code = _loops(k, {})
            lines += ["        " + "    " * j + h for j, h in enumerate(heads)]
            pad = "        " + "    " * len(heads)
            lines += [f"{pad}ticket -= {_call('weight', k)}", f"{pad}if ticket < 0:"]
            if k.args == ("seat",):
                lines += [f"{pad}    b = (a + turned) % s.players",
                          f"{pad}    if weight_{k.name}(p, s, b) == weight_{k.name}(p, s, a):",
                          f"{pad}        a = b", f"{pad}    return {k.base} + a"]
            else:
                lines.append(f"{pad}    return {code}")
    return "\n".join([*lines, "    return NONE"])


def _kind_of(moves: Moves) -> str:
    lines = ["def kind_of(code):"]
    if any(k.luck for k in moves.kinds.values()):
        lines += [f"    if code >> {LUCK_BITS}:", f"        return (code >> {LUCK_BITS}) - 1"]
    for k in moves.kinds.values():
        if not k.luck:
            lines += [f"    if code < {k.base + k.size}:", f"        return {k.index}"]
    return "\n".join([*lines, "    return NONE"])


def _redact(schema: Schema, sees: Callable[[Field], str]) -> str:
    """``redact(p, s, seat)``: blank what this seat may not see; a seat of NONE is a spectator."""
    lines = ["def redact(p, s, seat):"]
    for f in schema.fields.values():
        seen = sees(f)
        if seen == ALL:
            continue
        lines += [f"    sees = {seen}", "    if sees != 0:"]
        depth, target = 1, f"s.{f.name}"
        for i, size in enumerate(f.shape):
            lines.append("    " * (depth + 1) + f"for i{i} in range({size}):")
            target += f"[i{i}]"
            depth += 1
        pad = "    " * (depth + 1)
        if f.shape:
            lines.append(f"{pad}if sees == 2 or i0 != seat:")
            pad += "    "
        if f.sort == "one":
            lines += [f"{pad}if {target} != NONE:", f"{pad}    {target} = HIDDEN"]
        else:
            lines.append(f"{pad}{target} = {f.blank}")
    return "\n".join([*lines, "    return"])


def chooser(bots: list[str]) -> str:
    """``choose(bot, …)``: which legal move a bot takes; bot 0 is ``random``, the others like one move best."""
    lines = ["def choose(bot, p, s, view, who, w, n, luck):",
             "    if bot == 0:", "        return w.found[below(luck, n)]",
             "    if n == 1:", "        return w.found[0]", "    copy_state(view, s)", "    redact(p, view, who)",
             "    best = 0", "    chosen = w.found[0]", "    ties = 0", "    for i in range(n):"]
    for j, name in enumerate(bots):
        lines += [f"        {'if' if j == 0 else 'elif'} bot == {j + 1}:",
                  f"            liking = {name}(p, view, who, w.found[i])"]
    lines += ["        else:", "            liking = 0",
              "        if ties == 0 or liking > best:", "            best = liking", "            chosen = w.found[i]",
              "            ties = 1", "        elif liking == best:", "            ties += 1",
              "            if below(mix(luck, i), ties) == 0:", "                chosen = w.found[i]",
              "    return chosen"]
    if not bots:
        lines = lines[:3] + ["    return w.found[0]"]
    return "\n".join(lines) + "\n"

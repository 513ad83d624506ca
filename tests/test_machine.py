"""The language of compiled rules against Python itself: the same functions, called both ways."""

import linecache
import subprocess
import sys
import types

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests import machine_rules as rules
from workbench.core.kernel import link_plain
from workbench.core.machine import code
from workbench.core.machine.kinds import INT, Outside, Record, Row
from workbench.core.machine.program import Program
from workbench.core.meaning import CONSTANTS, WORDS

OWN = {n: g for n, g in vars(rules).items() if isinstance(g, types.FunctionType) and g.__module__ == rules.__name__}
VALUES = {n: getattr(rules, n) for n in ("STEPS", "GRID", "HALVES")}
CELL = np.dtype([("n", "i1"), ("big", "i8"), ("row", "i2", (4,)), ("grid", "i1", (3, 2)), ("ratio", "f8")])


def compiled(f, *kinds, bounds=False, instructions=None):
    """A function as machine code, with those beside it that it calls."""
    program = Program(WORDS | OWN | {f.__name__: f}, CONSTANTS | VALUES, words=frozenset(WORDS), bounds=bounds,
                      instructions=code.instructions() if instructions is None else instructions)
    text = program.text(f.__name__, kinds)
    loaded = code.Loaded(code.machine_code(text), kinds)

    def run(*args):
        result, fault = loaded(*args)
        return program.faults[fault - 1][0] if fault else result

    return run


# ---------------------------------------------------------------- numbers

FUNCTIONS = [rules.arithmetic, rules.powers, rules.truths, rules.floats, rules.several, rules.loops, rules.sets, rules.rows,
             rules.given_by_name, rules.variables_named_like_words]


def plain(f):
    return getattr(link_plain(OWN, VALUES), f.__name__)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_machine_code_does_what_python_does(f):
    ours, theirs = compiled(f, INT, INT), plain(f)

    @settings(max_examples=300, deadline=None, database=None)
    @given(*[st.one_of(st.integers(-12, 12), st.integers(-(2**40), 2**40))] * 2)
    def same(a, b):
        if f in (rules.sets, rules.rows):
            a, b = abs(a), abs(b)
        assert ours(a, b) == theirs(a, b)

    same()


def test_without_the_extension_that_finds_a_piece_by_number_all_is_the_same():
    ours, theirs = compiled(rules.sets, INT, INT, instructions=frozenset()), plain(rules.sets)
    assert all(ours(a, a * a) == theirs(a, a * a) for a in range(300))


# ---------------------------------------------------------------- memory


def test_fields_are_read_and_written_where_numpy_has_them():
    cell = Record(CELL, known=(("players", 6),))
    ours = compiled(rules.fields, cell, cell, INT)
    s, t = np.zeros(1, CELL), np.zeros(1, CELL)
    s["row"], s["n"] = [5, 6, 7, 8], 126
    p, q = (types.SimpleNamespace(**{n: x[n][0].tolist() for n in CELL.names}, players=6) for x in (s, t))
    assert ours(s[0], t[0], 2) == plain(rules.fields)(p, q, 2)
    assert all(s[n][0].tolist() == getattr(p, n) and t[n][0].tolist() == getattr(q, n) for n in CELL.names)
    assert s["n"][0] == 127 and s["ratio"][0] != 0


def test_records_are_copied_whole():
    ours = compiled(rules.records, Row(Record(CELL), (None,), ""), INT)
    all = np.zeros(3, CELL)
    all["big"] = [1, 2, 3]
    assert ours(all, 2) == 3 and all["big"].tolist() == [3, 2, 3]


# ---------------------------------------------------------------- what should never happen


@pytest.mark.parametrize(("f", "args", "fault"), [
    (rules.divides, (4, 0), "machine.zero"), (rules.divides, (4, -1), "machine.zero"), (rules.divides, (-7, 2), -4 + 2), (rules.asserts, (3, 3), "machine.assertion"),
    (rules.asserts, (2, 3), 3), (rules.reaches, (4, 0), "machine.index"), (rules.reaches, (-5, 0), "machine.index"), (rules.reaches, (2, 0), 4),
    (rules.long_row, (65, 0), "machine.long_row"), (rules.long_row, (64, 0), 64)])
def test_the_impossible_is_noted_and_does_not_stop_the_process(f, args, fault):
    assert compiled(f, INT, INT, bounds=True)(*args) == fault


# ---------------------------------------------------------------- what lies outside

OUTSIDE = ["return {a: b}", "return sorted(a)", "return a.b", "return [x for x in range(a)]", "return f'{a}'", "x = 'a'\n    return 1",
           "if a:\n        return 1", "return unknown", "for i in a:\n        pass\n    return 1", "return recursive(a, b)", "yield a",
           "x = [0] * 3\n    return x", "global y\n    return 1", "try:\n        return 1\n    finally:\n        pass", "return max(a, key=b)",
           "x = STEPS\n    x = a\n    return 1", "return pair(a)", "return a[0]", "return x\n    x = 1", "return lambda: a", "return STEPS[1:]"]


@pytest.mark.parametrize("body", OUTSIDE)
def test_what_the_language_does_not_have_is_said_with_its_line(tmp_path, body):
    text, file = f"def recursive(a, b):\n    {body}\n", str(tmp_path / "rules.py")
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {}
    exec(compile(text, file, "exec"), scope)
    with pytest.raises(Outside) as met:
        compiled(scope["recursive"], INT, INT)
    assert met.value.file == file and 1 <= met.value.line <= 1 + text.count("\n")


def test_a_text_that_no_longer_says_what_runs_is_not_used(tmp_path):
    file = str(tmp_path / "rules.py")
    scope = {}
    exec(compile("def arithmetic(a, b):\n    return a + b\n", file, "exec"), scope)
    linecache.cache[file] = (1, None, ["def arithmetic(a, b):\n", "    return a - b\n"], file)
    with pytest.raises(Outside):
        compiled(scope["arithmetic"], INT, INT)


def test_a_rule_without_a_text_is_still_compiled():
    """Typed into Python itself: the other way to machine code needs no text."""
    script = """
import warnings
import workbench as wb
omerta = wb.load("omerta", play="hand", players=3)
def hero(p, s, seat):
    return 5
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    study = wb.simulate(omerta.replace(hero), games=300, luck=1, progress=False)
assert any("hero" in str(w.message) for w in said), said
plain = wb.simulate(omerta.replace(hero), games=300, luck=1, progress=False, engine="plain")
assert study.frame.equals(plain.frame)
print(study.games)
"""
    done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True)
    assert done.stdout == "300\n", done.stderr


# ---------------------------------------------------------------- on disk


def test_machine_code_is_kept_and_a_damaged_file_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    made = []
    assert code.stored("a key", lambda: made.append(1) or b"first") == b"first"
    assert code.stored("a key", lambda: made.append(2) or b"second") == b"first"
    file, = (tmp_path / "workbench").iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    assert code.stored("a key", lambda: made.append(3) or b"third") == b"third"
    assert code.stored("another", lambda: made.append(4) or b"fourth") == b"fourth" and made == [1, 3, 4]


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert code.stored("a key", lambda: b"made") == b"made"


def test_old_programs_make_room(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(code, "KEPT", 3)
    for i in range(6):
        code.stored(f"key {i}", lambda: b"code")
    assert len(list((tmp_path / "workbench").iterdir())) == 3


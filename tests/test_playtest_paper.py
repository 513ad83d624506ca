"""Games played on paper: what a score sheet may look like, what is wrong with one, and what becomes of a good one."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

pytest.importorskip("sqlalchemy")
pytest.importorskip("panel")

from workbench.cli import main  # noqa: E402
from workbench.core.draft import load  # noqa: E402
from workbench.core.errors import WorkbenchError  # noqa: E402
from workbench.core.language import LANGUAGES, say, width  # noqa: E402
from workbench.core.ruleset import load_ruleset  # noqa: E402
from workbench.playtest.designerpage import DesignerPage, LobbyPage  # noqa: E402
from workbench.playtest.export import export, frames, rows  # noqa: E402
from workbench.playtest.lobby import Lobby  # noqa: E402
from workbench.playtest.paper import LONGEST_SHEET, Sheet, SheetError, decoded, parse  # noqa: E402
from workbench.playtest.papercells import plain, words  # noqa: E402
from workbench.playtest.papergame import draft_of, keep, line, lines, refuse_known, said  # noqa: E402
from workbench.playtest.store import Store  # noqa: E402
from workbench.playtest.texts import clean  # noqa: E402

HERE = Path(__file__).parent
GAMES = {"omerta": ("draft6", 4), "nyanbar-one": ("later", 2), "maid-mafia": ("first-edition", 3), str(HERE / "rulesets" / "bids"): ("first", None),
         str(HERE / "rulesets" / "zoo"): ("first", None)}
TYPED = """ruleset: omerta
draft: 6
date: 2026-11-21
minutes: 40
note: at the club
       Aki   Bo   Chi   Dan
1       3     0    1     0
2       0     4    0     1
total   3     4    1     1
won           x
"""
MEANT = Sheet("omerta", "6", ("Aki", "Bo", "Chi", "Dan"), ((3, 0, 1, 0), (0, 4, 0, 1)), (3, 4, 1, 1), (1,), "2026-11-21", 40, "at the club")


def imported(lobby, text=TYPED):
    sheet = parse(text)
    draft = draft_of(sheet)
    refuse_known(lobby.store, [(sheet, draft)])
    id = keep(lobby.store, sheet, draft)
    lobby.catch_up()
    return lobby.tables[id]


def without(word, text=TYPED):
    return "\n".join(x for x in text.split("\n") if not x.startswith(word))


def table(*rows):
    return "ruleset: omerta\ndraft: 6\n" + "\n".join(rows)


def test_the_sheet_as_it_is_typed():
    assert parse(TYPED) == MEANT and parse(TYPED).winners == (1,)


@pytest.mark.parametrize("text", [
    TYPED.replace("\n", "\r\n"), "\ufeff" + TYPED, TYPED.replace(": ", ":"), TYPED.replace("won           x", "won: Bo"), TYPED.replace("won           x", "won  Bo"),
    TYPED.replace("won           x", "won:          x"), TYPED.replace("won           x", "winner - x - -"), TYPED.replace("won           x", "won 0 1 0 0"),
    TYPED.replace("1       3 ", "hand 1  3 ").replace("2       0", "round 2 0"), TYPED.replace("1       3", "1.  3").replace("2       0", "2:  0"),
    TYPED.replace("       Aki ", "hand   Aki "), TYPED.replace("total ", "------------\nSum: "), TYPED.replace("2026-11-21", "2026/11/21").replace("40", "40 min"),
    re.sub(r"(?<=\S) {2,}(?=\S)", "\t", TYPED).replace("       Aki", "\tAki").replace("won\tx", "won\t\tx"),  # from a spreadsheet
    "ruleset,omerta,,,,,\ndraft,6,,,,,\ndate,2026-11-21,,,,,\nminutes,40,,,,,\nnote,at the club,,,,,\n,,,,,,\n,Aki,Bo,Chi,Dan,,\n1,3,0,1,0,,\n2,0,4,0,1,,\ntotal,3,4,1,1,,\nwon,,x,,,,\n",
    '"ruleset:";"omerta"\n"draft:";"6"\n"date:";"2026-11-21"\n"minutes:";"40"\n"note:";"at the club"\n"";"Aki";"Bo";"Chi";"Dan"\n"1";"3";"0";"1";"0"\n'
    '"2";"0";"4";"0";"1"\n"total:";"3";"4";"1";"1"\n"won:";"";"x";"";""\n',
    "ruleset: omerta\ndraft: 6\ndate: 2026-11-21\nminutes: 40\nnote: at the club\nAki, Bo, Chi, Dan\n1: 3, 0, 1, 0\n2 0, 4, 0, 1\ntotal: 3, 4, 1, 1\nwon: Bo",
    "ルールセット：ｏｍｅｒｔａ\n草稿：６\n日付：２０２６年１１月２１日\n分：４０分\nメモ：at the club\n　　　Ａｋｉ　Ｂｏ　Ｃｈｉ　Ｄａｎ\n第１回　３　０　１　０\n第２回　０　４　０　１\n"
    "合計　　３　４　１　１\n勝者　×　○　×　×",
    "草案、6\nルール、omerta\n日、2026.11.21\n所要時間、40\n備考、at the club\nハンド、Ａｋｉ、Ｂｏ、Ｃｈｉ、Ｄａｎ\n１、３、０、１、０\n２、０、４、０、１\n計、３、４、１、１\n優勝、、◯、、",
])
def test_other_ways_to_type_it_mean_the_same(text):
    met = parse(text)
    assert tuple(map(plain, met.names)) == tuple(map(plain, MEANT.names))
    assert Sheet(**{**vars(met), "names": MEANT.names}) == MEANT


@pytest.mark.parametrize(("won", "winners"), [("", (1,)), ("won", (1,)), ("won,,,,", (1,)), ("won: -", ()), ("won - - - -", ()), ("won: Aki, Dan", (0, 3)),
                                              ("won x x - -", (0, 1)), ("won:    x          x", (0, 2)), ("won    x                x", (0, 3)), ("won x", None), ("won                       x", (3,))])
def test_who_won(won, winners):
    text = without("won") + won
    if winners is None:
        with pytest.raises(SheetError, match="Line 10: It is not clear under which name"):
            parse(text)
    else:
        assert parse(text).winners == winners and (parse(text).won is None) == (not any(c in won for c in "x-:"))


def test_marks_stand_below_japanese_names_as_an_editor_shows_them():
    names = ("愛子", "文太", "千代")
    for n, name in enumerate(names):
        row = "      " + "  ".join(names)
        at = width(row[:row.index(name)])
        assert parse(table(row, "1  3  0  1", "won" + " " * (at - 3) + "○")).winners == (n,)


def test_only_the_end_and_negative_and_large_numbers():
    assert parse(without("2", without("1", TYPED))) == Sheet(**{**vars(MEANT), "rows": ()})
    assert parse(table("Aki\tBo\tChi", "1\t-3\t▲1,200\t+4", "2\t−1\t△2\t0")).scores == (-4, -1202, 4)
    assert parse(table("Aki Bo Chi", "1 2 2 0")).best == (0, 1)


SPACED = table("Aki, Bo", "1 2 3")


@pytest.mark.parametrize(("text", "line_", "said_"), [
    ("", 1, ["“ruleset: …” is missing"]), (without("draft"), 1, ["“draft: …” is missing"]), (TYPED.replace("draft: 6", "draft:"), 2, ["Nothing stands after “draft”"]),
    (TYPED.replace("date:", "dat:"), 3, ["“dat”", "date, minutes, note"]), (TYPED.replace("date: ", "date "), 3, ["colon after “date”"]),
    (TYPED.replace("-21", "-31"), 3, ["year-month-day", "2026-11-31"]), (TYPED.replace("40", "an hour"), 4, ["“an hour”", "such as 40"]),
    (TYPED.replace("at the", "x" * 500), 5, ["500", "505"]), (TYPED.replace("minutes: 40", "draft: 5"), 4, ["“draft”", "line 2"]),
    (without(" "), 6, ["names of the players"]), (TYPED.replace("Chi", "aki"), 6, ["“Aki”", "Two"]), (TYPED.replace("Chi", "x" * 41), 6, ["at most 40"]),
    (table(",Aki,,Chi", "1,1,1,1"), 3, ["Name 2 is empty"]), ("\n".join(TYPED.split("\n")[:6]), 6, ["row of numbers", "there is none"]),
    (TYPED.replace("1       3", "        3"), 7, ["4 numbers after “3”", "Aki, Bo, Chi, Dan", "met 3"]), (without("1"), 7, ["row 1", "“2”"]),
    (TYPED.replace("2       0", "3       0"), 8, ["row 2", "“3”"]), (TYPED.replace("1     0\n", "1     0   9\n", 1), 7, ["met 5"]),
    (TYPED.replace("0    1     0", "0    x     0"), 7, ["Chi", "“x”", "whole number"]), (TYPED.replace("3     0", "3.5   0"), 7, ["Aki", "“3.5”"]),
    (table(",Aki,Bo,Chi", "1,3,,1"), 4, ["Bo", "“–”", "Write 0"]), (TYPED.replace("3     4    1", "3     5    1"), 9, ["Bo", "expected 4", "met 5"]),
    (TYPED.replace("won  ", "total"), 10, ["4 numbers after “total”", "met 1"]), (TYPED + "total 3 4 1 1", 11, ["“total”", "line 9"]),
    (TYPED.replace("won           x", "won: Eve"), 10, ["“Eve”", "Aki, Bo, Chi, Dan"]), (TYPED.replace("won           x", "won ○ x - -"), 10, ["“○ x - -”"]),
    (TYPED.replace("won           x", "won            x"), 10, ["not clear under which name"]), (TYPED.replace("won           x", "won × - - -"), 10, ["“× - - -”"]),
    (table("X Bo Chi", "1 3 0 1", "won     x"), 5, ["“x”"]), (TYPED.replace("note", "digest"), 5, ["twelve"]), (TYPED + "x" * LONGEST_SHEET, None, [str(LONGEST_SHEET)]),
])
def test_what_is_wrong_is_said_with_its_line_in_both_languages(text, line_, said_):
    with pytest.raises(SheetError) as e:
        parse(text, "en")
    assert all(x in str(e.value) for x in said_), str(e.value)
    assert line_ is None or str(e.value).startswith(f"Line {line_}: ")
    with pytest.raises(SheetError) as e:
        parse(text, "ja")
    assert any("\u3040" <= c <= "\u30ff" for c in str(e.value)) and (line_ is None or str(e.value).startswith(f"{line_}行目："))


@pytest.mark.parametrize(("old", "new", "line_", "said_"), [
    ("omerta", "omerda", 1, ["omerta", "nyanbar-one", "“omerda”"]), ("draft: 6", "draft: 7", 2, ["draft6", "proposed", "“7”"]),
    ("draft: 6", "draft: draft6[hero_points=99]", 2, ["hero_points", "99"]), ("draft: 6", "draft: draft6[heropoints=9]", 2, ["hero_points"]),
    ("   Dan", "  Dan Eve", 6, ["3–4 players", "met 5"]), ("note: at the club", "digest: 0123456789ab", 5, [load("omerta").digest, "0123456789ab"]),
])
def test_a_sheet_that_names_no_such_draft(old, new, line_, said_):
    text = TYPED.replace(old, new)
    if "Eve" in new:
        text = re.sub(r"(?m)^([12]|total) .*$", r"\g<0> 0", without("won", text))
    for rules in (None, load_ruleset("omerta")):
        with pytest.raises(SheetError) as e:
            draft_of(parse(text), rules=rules)
        assert str(e.value).startswith(f"Line {line_}: ") and all(x in str(e.value) for x in said_ if x != "nyanbar-one" or rules is None), str(e.value)


def test_a_sheet_may_name_changes_and_the_digest_and_a_page_takes_its_own_game_only():
    draft = load("omerta", "proposed", players=3).vary(hero_points=3)
    text = table("Aki Bo Chi", "1 3 0 1", f"digest: {draft.digest}").replace("draft: 6", "draft: Proposed[hero_points=3]").replace("omerta", "Omerta")
    assert draft_of(parse(text)) == draft
    for other in ("nyanbar-one", str(HERE / "rulesets" / "bids")):
        with pytest.raises(SheetError, match="Line 1: .*omerta"):
            draft_of(parse(text.replace("Omerta", other)), rules=load_ruleset("omerta"))


# ---------------------------------------------------------------- any good sheet, in any form


NAMES = st.text(st.sampled_from("abcXYZé愛子ｱ.'-() <>=&;,\"1{}%"), min_size=1, max_size=12).map(lambda s: clean(s, 40)).filter(
    lambda s: plain(s) and not any(plain(s) in words(w) for w in ("total", "won", "corner", "ruleset", "draft", "date", "minutes", "note", "digest")))
FORMS = ("spaces", "wide", ",", ";", "\t")


@st.composite
def sheets(draw):
    form, quoted = draw(st.sampled_from(FORMS)), draw(st.booleans())
    free = NAMES if form == "\t" or form in ",;" and quoted else NAMES.filter(lambda s: not set(s) & set(";," if form in ",;" else " ,;\""))
    names = draw(st.lists(free, min_size=3, max_size=4, unique_by=plain).filter(lambda x: not all(c in "1.- '" for n in x for c in n)))
    number = st.integers(-999, 9999)
    rows = draw(st.lists(st.tuples(*[number] * len(names)), min_size=0, max_size=5))
    scores = tuple(map(sum, zip(*rows))) or draw(st.tuples(*[number] * len(names)))
    won = draw(st.none() | st.sets(st.integers(0, len(names) - 1)).map(lambda s: tuple(sorted(s))))
    return form, quoted, Sheet("omerta", "draft6", tuple(names), tuple(rows), scores, won, draw(st.none() | st.dates().map(lambda d: d.isoformat())),
                       draw(st.none() | st.integers(1, 9999)), draw(st.sampled_from(["", "at the club", "文化祭、2回目", 'a "b"; c: d'])))


def written(form, quoted, s, lang, draw):
    """The sheet as somebody could type it."""
    def word(w):
        return draw(st.sampled_from(say(f"playtest.paper.words.{w}", lang).split(",")))

    heads = {"ruleset": s.ruleset, "draft": s.draft, "date": s.date, "minutes": s.minutes, "note": s.note}
    out = [f"{word(k)}{draw(st.sampled_from([':', ': ', '：', ' : ']))}{v}" for k, v in draw(st.permutations(list(heads.items()))) if v not in (None, "") or k == "date"]
    out = [x.replace("None", "") for x in out]
    cells = [["", *s.names], *([str(n), *map(str, r)] for n, r in enumerate(s.rows, 1))]
    if not s.rows or draw(st.booleans()):
        cells.append([word("total"), *map(str, s.scores)])
    if s.won is not None:
        yes, no = draw(st.sampled_from([("x", "-"), ("○", "×"), ("○", "-"), ("1", "0")] if s.won else [("x", "-")]))
        cells.append([word("won"), *(yes if n in s.won else no for n in range(len(s.names)))])
    if form in ",;\t":
        text = io.StringIO()
        csv.writer(text, delimiter=form, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL, lineterminator="\n").writerows(
            [[*c, *[""] * draw(st.integers(0, 3))] for c in cells])
        out += text.getvalue().splitlines()
    else:
        gap = "  " if form == "spaces" else "\u3000"
        out += [gap.join(c) for c in cells]
    text = "\n".join(out)
    typed = (s.note, *s.names) if form == "wide" else (text,)  # what is taken as it was typed
    for c, wide in zip("0123456789-", "０１２３４５６７８９" + draw(st.sampled_from("−ー－"))):
        text = text if any(c in x for x in typed) else text.replace(c, wide)
    return text


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_good_sheet_in_any_form_comes_back_the_same(data):
    form, quoted, sheet = data.draw(sheets())
    text = written(form, quoted, sheet, data.draw(st.sampled_from(LANGUAGES)), data.draw)
    met = parse(text)
    assert met == sheet or [plain(n) for n in met.names] == [plain(n) for n in sheet.names] and Sheet(**{**vars(met), "names": sheet.names}) == sheet, text


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("Aki Bo1234,;\t:：\n\r\"'x○-total won draft\x00\u202e\u2028　{}%[]=<>"), max_size=200), st.sampled_from(["", TYPED, "ruleset: omerta\ndraft: 6\n"]))
def test_hostile_text_is_a_sheet_or_an_error_and_nothing_else(noise, before):
    for text in (before + noise, noise + before):
        try:
            sheet = parse(text)
            assert len(sheet.scores) == len(sheet.names) > 0
        except SheetError as e:
            assert "\x00" not in str(e) and "\u202e" not in str(e) and len(str(e)) < 1_500


# ---------------------------------------------------------------- kept


@pytest.mark.parametrize("game", GAMES)
def test_a_good_sheet_of_each_game_is_kept_and_comes_back(lobby, game):
    draft, players = GAMES[game]
    d = load(game, draft, players=players)
    names = [f"名{n}" for n in range(d.players)]
    text = f"ruleset: {game}\ndraft: {draft}\n{','.join(names)}\n1,{','.join(str(n) for n in range(d.players))}"
    t = imported(lobby, text)
    assert t.state.draft == d and t.state.paper.won == (d.seat_names[-1],) and t.state.paper.length == 1
    assert [t.name(s) for s in t.state.seats] == names and t.state.status == "ended" and not t.note
    assert Lobby(lobby.store).tables[t.id].state.paper == t.state.paper


def test_nobody_sits_or_plays_at_it_and_no_link_is_made(lobby):
    t = imported(lobby)
    version = t.state.version
    asked = [t.sit("P0", "x"), t.seat_bot("P0", "random"), t.free("P0"), t.start(), t.pause(), t.resume(), t.end(), t.again(), t.undo(), t.ask_undo("P0"),
             t.mark("P0", "great"), t.answer("P0", "fun", "5", ("fun",)), t.send("P0"), t.submit("P0", "omerta A1", t.state.turn)]
    assert not any(r.ok for r in asked) and {r.text for r in asked} == {say("playtest.answer.paper")}
    with pytest.raises(WorkbenchError, match="on paper"):
        lobby.new_link(t, "P0")
    assert t.state.version == version == len(t.store.events(t.id)) == 5 and lobby.keys == {} and not t.bot_due()


def test_the_same_sheet_twice_is_refused_until_it_differs(lobby):
    first = imported(lobby)
    for same in (TYPED, TYPED.replace("draft: 6", "draft: draft6"), without("total"), TYPED.replace("\n1 ", "\n\n1 ")):
        with pytest.raises(WorkbenchError, match=first.id):
            imported(lobby, same)
    for other in (TYPED.replace("the club", "home"), TYPED.replace("40", "41"), TYPED.replace("Bo ", "Bob"), without("date"), without("won") + "won: Aki",
                  TYPED.replace("draft: 6", "draft: proposed"), without("1", without("2", TYPED))):
        imported(lobby, other)
    assert len(lobby.tables) == 8
    with pytest.raises(WorkbenchError, match="already"):  # given twice at once
        refuse_known(Store("sqlite://"), [(parse(TYPED), draft_of(parse(TYPED)))] * 2)
    with pytest.raises(WorkbenchError, match="8 tables"):
        refuse_known(lobby.store, [(parse(table("A B C", "1 1 1 1")), load("omerta"))], most=8)


def test_nothing_is_kept_when_the_database_breaks_off_in_the_middle(lobby, monkeypatch):
    from workbench.playtest import store

    real, calls = store._write, []

    def breaks(*a):
        calls.append(a)
        if len(calls) == 3:
            raise OSError("gone")
        return real(*a)

    monkeypatch.setattr(store, "_write", breaks)
    with pytest.raises(WorkbenchError, match="cannot be reached"):
        imported(lobby)
    assert len(calls) == 3 and lobby.store.tables() == []
    monkeypatch.undo()
    assert imported(lobby).state.paper is not None


def test_a_person_is_erased_with_the_note_and_the_scores_stay(lobby, tmp_path):
    t = imported(lobby)
    other = imported(lobby, TYPED.replace("at the club", "Aki was looking on").replace("Aki   Bo", "Eva   Bo"))
    third = imported(lobby, TYPED.replace("at the club", "taking turns").replace("Aki   Bo", "Eva   Bo"))
    titled, open_ = lobby.create(load("omerta"), title="Aki's evening"), lobby.create(load("omerta"), title="takiy")
    assert lobby.store.erase_person("aki") == 1
    later = Lobby(lobby.store)
    assert later.tables[t.id].name("P0") == "" and later.tables[t.id].name("P1") == "Bo" and later.tables[t.id].state.paper.note == ""
    assert later.tables[t.id].state.paper.scores == t.state.paper.scores
    assert later.tables[other.id].state.paper.note == "" and later.tables[third.id].state.paper.note == "taking turns"
    assert later.tables[titled.id].state.title == "" and later.tables[open_.id].state.title == "takiy"
    with pytest.raises(WorkbenchError, match=t.id):  # the erased name does not come back with the same sheet
        imported(lobby)
    raw = b"".join(f.read_bytes() for f in tmp_path.glob("playtests.sqlite"))
    lobby.store.backup(tmp_path / "copy.sqlite")
    assert b"at the club" not in (tmp_path / "copy.sqlite").read_bytes() and b"taking turns" in raw + (tmp_path / "copy.sqlite").read_bytes()


def test_it_is_exported_beside_what_was_played_here(lobby, tmp_path):
    t, end, played = imported(lobby), imported(lobby, without("1", without("2", TYPED)).replace("at the", "=1+1")), lobby.create(load("omerta"), luck=3)
    found = rows(lobby.store)[0]
    mine = [r for r in found["games"] if r["table"] == t.id]
    assert [(r["score"], r["won"]) for r in mine] == [(3, False), (4, True), (1, False), (1, False)]
    assert {(r["source"], r["length"], r["steps"], r["over"], r["luck"], r["minutes"], r["date"], r["note"]) for r in mine} == {
        ("paper", 2, None, True, None, 40, "2026-11-21", "at the club")}
    assert {(r["source"], r["length"]) for r in found["games"] if r["table"] == played.id} == {("table", None)}
    assert {r["length"] for r in found["games"] if r["table"] == end.id} == {None}
    assert found["decisions"] == [] and found["marks"] == []
    names = [f.name for f in export(lobby.store, tmp_path / "out", names=True)]
    assert [n for n in names if n.endswith(".jsonl")] == [f"table-{played.id}-game1.jsonl"]
    games = frames(lobby.store)["games"]
    assert games.height == 12 and games["score"].dtype.is_integer() and games["length"].dtype.is_integer()
    with (tmp_path / "out" / "games.csv").open(encoding="utf-8-sig") as f:
        read = list(csv.DictReader(f))
    assert {r["person"] for r in read if r["table"] == t.id} == {"Aki", "Bo", "Chi", "Dan"} and {r["note"] for r in read if r["table"] == end.id} == {"'=1+1 club"}


# ---------------------------------------------------------------- ways in


def shown(page):
    page.refresh()
    return page.shown["sheet"]


def texts(items):
    for i in items:
        yield i.get("text") or i.get("label") or ""
        yield from texts(i.get("items", []))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_lobby_takes_a_sheet_and_shows_the_game(lobby, lang):
    page = LobbyPage(lobby, load_ruleset("omerta"), "k")
    page.lang = lang
    area = next(x for i in page.side_items() for x in i.get("items", []) if x["id"] == "sheet")
    with pytest.raises(SheetError, match="names|名前"):  # what stands there already is right as far as it goes
        parse(area["value"], lang)
    example = say("playtest.paper.example", lang).split("\n", 1)[1]
    assert parse(area["value"] + example).scores == (3, 4, 1)
    hostile = "</p><img src=x onerror=alert(1)>"
    text = TYPED.replace("at the club", hostile)
    for n, (sheet, words_) in enumerate([(7, "names|ruleset|ルールセット"), (text.replace("40", "?"), "40"), (text, "Aki 3, Bo 4"), (text, "already|既に")], 1):
        page.received("side", {"seq": n, "id": "import", "value": {"sheet": sheet}})
        assert re.search(words_, page.said["side"]), page.said
        assert len(lobby.tables) == (n > 2)
    t = next(iter(lobby.tables.values()))
    all_of_it = list(texts(shown(page)["items"]))
    assert any("Bo 4 ★" in x and "2026-11-21" in x for x in all_of_it) and t.lang == lang
    page.close()
    one = DesignerPage(lobby, t, "k", "http://x")
    one.lang = lang
    items = shown(one)["items"]
    assert "table" not in one.shown and one.shown["side"]["items"] == []
    assert hostile in list(texts(items)) and not any(i["k"] in ("button", "link") for i in items for i in [i, *i.get("items", [])])
    before = t.state.version
    for n, id in enumerate(("start", "again", "newlink P0", "bot P0", "revoke P0", "newlink -"), 1):
        one.received("sheet", {"seq": n, "id": id, "value": "random"})
        assert id == "revoke P0" or say("playtest.answer.paper", lang) == one.said["sheet"]
    assert t.state.version == before and lobby.keys == {}
    one.close()


def test_the_sentence_says_how_the_winner_was_found():
    def of(text):
        sheet = parse(text)
        return said("id", sheet, draft_of(sheet))

    assert "mark: Bo." in of(TYPED) and "with the most: Bo" in of(without("won")) and "tie" in of(table("A B C", "1 2 2 0"))
    assert "Aki, although Bo has the most" in of(without("won") + "won: Aki") and "Nobody won" in of(without("won") + "won: -")
    assert "only the end" in of(without("1", without("2", TYPED))) and "rows: 2" in of(TYPED)


def test_the_command_imports_all_of_several_sheets_or_none(tmp_path, capsys):
    data = ["--data", str(tmp_path / "new")]
    files = {"a.txt": TYPED.encode(), "b.csv": TYPED.replace("Aki", "愛子").replace("40", "50").encode("cp932"),
             "c.txt": TYPED.replace("Aki", "Zoë").replace("40", "60").encode("utf-16")}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "bad.txt").write_text(TYPED.replace("3     4", "3     5"), "utf-8")
    a, b, c, bad = (str(tmp_path / n) for n in (*files, "bad.txt"))
    assert main(["playtest", "import", a, bad, *data]) == 2 and f"{bad}: Line 9: " in capsys.readouterr().err
    assert main(["playtest", "import", a, b, c, a, *data]) == 2 and "already" in capsys.readouterr().err
    assert main(["playtest", "import", a, b, c, *data]) == 0
    out = capsys.readouterr().out
    assert out.count("Imported as table") == 3 and "愛子 3" in out and "Zoë 3" in out
    assert main(["playtest", "import", b, *data]) == 2 and main(["playtest", "import", str(tmp_path / "none.txt"), *data]) == 2
    assert main(["playtest", "export", str(tmp_path / "out"), "more", *data]) == 2 and "one target" in capsys.readouterr().err
    assert main(["playtest", "export", str(tmp_path / "out"), *data]) == 0
    assert len(json.loads((tmp_path / "out" / "playtests.json").read_text("utf-8"))["games"]) == 12
    with pytest.raises(SheetError, match="UTF-8"):
        decoded(b"Zo\xeb\x00\xff\xff")
    with pytest.raises(SheetError, match="at most"):
        decoded(b"x" * 10**6)


def test_the_line_of_a_game_leaves_out_what_was_not_written(lobby):
    t = imported(lobby, table("A B C", "total 1 2 0"))
    assert line(t, "en") == "Played on paper · draft6 · only the end · A 1, B 2 ★, C 0" and len(lines(t, "en")) == 2
    assert lines(imported(lobby), "en")[-1] == "2: Aki +0, Bo +4, Chi +0, Dan +1"

"""People beside a simulation: what counts, intervals that know games and tables, words that claim no more than these."""

import json
import random
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("altair")

import workbench as wb  # noqa: E402
from workbench.analysis import simulate, stats  # noqa: E402
from workbench.cli import main  # noqa: E402
from workbench.core.draft import load  # noqa: E402
from workbench.core.errors import UnknownName, WorkbenchError  # noqa: E402
from workbench.core.language import say  # noqa: E402
from workbench.playtest.beside import FEW, SLOWER, Beside, beside, clustered  # noqa: E402
from workbench.playtest.counted import counted  # noqa: E402
from workbench.playtest.export import table_rows  # noqa: E402
from workbench.playtest.store import file_url  # noqa: E402

HERE = Path(__file__).parent
OMERTA = load("omerta")


@pytest.fixture(scope="module")
def study():
    return simulate(OMERTA, 2_000, bots="heuristic")


def row(table, game=1, seat="P0", **more):
    return {"table": table, "game": game, "ruleset": "omerta", "draft": OMERTA.label, "digest": OMERTA.digest, "players": 4, "over": True, "seat": seat,
            "kind": "person", "person": f"{table} {seat}", "score": 5, "won": seat == "P0", "steps": 60} | more


def game(table, number=1, **more):
    return [row(table, number, s, **more) for s in OMERTA.seat_names]


def drawn(study, rnd, games=10, tables=5, more=0):
    """Games by people that play as the bot does, or score so much more."""
    rows = []
    for n in range(games):
        g = study.frame.row(rnd.randrange(study.games), named=True)
        rows += [row(f"t{n % tables}", n, s, score=g[f"score_{s}"] + more, won=g[f"won_{s}"] > 0, steps=g["decisions"]) for s in OMERTA.seat_names]
    return rows


# ---------------------------------------------------------------- what counts


@pytest.mark.parametrize("name", ["omerta", "nyanbar-one", "bids", "zoo"])
def test_a_table_counts_length_scores_and_wins_as_a_simulation_does(lobby, name):
    d = load(name if (HERE.parent / "rulesets" / name).is_dir() else HERE / "rulesets" / name)
    s = simulate(d, 4 * d.players, bots="random", luck=9)
    for n in range(0, s.games, d.players):  # the turn of the seats as they sit
        g = s.frame.row(n, named=True)
        t = lobby.create(d, luck=g["luck"])
        for seat in d.seat_names:
            t.sit(seat, seat)
        t.start()
        for p in s.game(n).history[1:]:
            if p.previous._who >= 0:  # a decision: the table takes the chance moves itself
                assert t.submit(p.previous.to_move, d.ruleset.moves.name(p.code), t.state.turn).ok
        rows = table_rows(t)["games"]
        assert t.state.position.over and {r["steps"] for r in rows} == {g["decisions"]}
        assert [(r["seat"], r["score"]) for r in rows] == [(x, g[f"score_{x}"]) for x in d.seat_names]
        assert [x for x in d.seat_names if g[f"won_{x}"]] == [r["seat"] for r in rows if r["won"]]
        assert t.state.here.depth > g["decisions"] or name in ("bids", "zoo")  # chance moves are steps of the tree, no decisions


def test_only_finished_games_by_people_under_todays_draft_count():
    rows = [*game("a"), *game("a", 2, over=False), *game("b", digest="older"), *game("c", kind="bot", person=None), *game("d", draft="proposed"),
            *game("e", players=3), *game("f")]
    rows[-1] |= {"kind": "bot", "person": None}
    rows[-2] |= {"kind": "both"}
    c = counted(rows, OMERTA)
    assert (len(c.games), c.tables, c.cut, c.older, c.seats, c.sat) == (2, 2, 1, 1, 6, 8) and c.persons == 7
    assert list(c.games[1].seats) == ["P0", "P1"]
    assert counted(rows, OMERTA.vary(alias="mine")) == c  # a name of one's own changes nothing


def test_paper_counts_for_scores_and_wins_and_for_length_only_where_it_is_known(study):
    rows = [*game("a", source="table", length=None), *game("b", source="paper", length=5, steps=None, person=None)]
    b = Beside(rows, study)
    by = {d.measure: d.people for d in b.differences}
    assert by["score"].n == 8 and by["length"].n == 1 and b.counted.no_length == 1 and b.counted.persons == 8
    assert "not known (paper): 1." in b.told("en") and "紙" in b.told("ja") and "paper" not in Beside(rows[:4], study).told("en")
    assert {d.measure for d in Beside(rows[4:], study).differences} == {"score", "win"}


def test_a_win_that_is_shared_counts_in_parts(study):
    rows = game("a", won=True)
    assert [s for _, s in counted(rows, OMERTA).games[0].seats.values()] == [0.25] * 4
    assert [s for _, s in counted(game("a", won=False), OMERTA).games[0].seats.values()] == [0.0] * 4


def test_a_seat_that_was_handed_over_is_nobodys_score(lobby):
    t = lobby.create(OMERTA, luck=3)
    for s in t.state.seats:
        t.sit(s, s)
    t.start()
    for _ in range(6):
        seat, at = next(iter(t.state.asked.items()))
        t.submit(seat, at.moves[0], t.state.turn)
    t.seat_bot("P0", "random")
    while not t.state.position.over:
        if not t.bot_move():
            seat, at = next(iter(t.state.asked.items()))
            t.submit(seat, at.moves[0], t.state.turn)
    for s in ("P1", "P2", "P3"):
        t.seat_bot(s, "random")
    t.again(luck=5)
    while t.bot_move():
        pass
    kinds = {(r["game"], r["seat"]): r["kind"] for r in table_rows(t)["games"]}
    assert [kinds[1, s] for s in t.state.seats] == ["both", "person", "person", "person"]  # who sat then, not who sits now
    assert [kinds[2, s] for s in t.state.seats] == ["bot"] * 4
    assert len(counted(table_rows(t)["games"], OMERTA).games) == 1


def test_a_game_under_an_older_state_of_the_draft_keeps_its_digest(lobby):
    t = lobby.create(OMERTA, luck=3)
    t.head["digest"] = "0" * 12
    assert {r["digest"] for r in table_rows(t)["games"]} == {"0" * 12}


# ---------------------------------------------------------------- intervals


def test_the_wider_of_both_intervals_counts():
    values, games, tables = [1, 2, 9, 10], [0, 1, 2, 3], ["a", "a", "b", "b"]
    both = clustered(values, games, tables)
    by_game, by_table = stats.mean(values, games), stats.mean(values, tables)
    assert by_table.low < by_game.low and (both.low, both.high) == (by_table.low, by_table.high)
    agree = clustered([1, 9, 1, 9], games, tables)  # tables that agree by accident
    assert (agree.low, agree.high) == (stats.mean([1, 9, 1, 9], games).low, stats.mean([1, 9, 1, 9], games).high)
    assert clustered([5, 5], [0, 1], ["a", "b"]).high == float("inf")  # two equal values say nothing
    share = clustered([1, 1, 1], [0, 1, 2], ["a", "a", "a"], share=True)
    assert (share.low, share.high) == stats.exact(3, 3) and clustered([1], [0], ["a"]).low == -float("inf")
    half = clustered([0.5, 1, 0], [0, 1, 2], ["a", "a", "a"], share=True)
    assert half.value == 0.5 and (half.low, half.high) == (stats.exact(1, 3)[0], stats.exact(2, 3)[1])


def test_a_seat_that_people_took_at_one_table_alone_is_not_said_to_differ(study):
    rows = drawn(study, random.Random(5), games=12, tables=3)
    for r in rows:
        if r["seat"] == "P0":
            r |= {"won": True}
            if r["table"] != "t0":
                r |= {"kind": "bot", "person": None}
    by = {d.seat: d for d in Beside(rows, study).differences if d.measure == "win"}
    assert by["P0"].people.value > 0.5 and not by["P0"].differs and by["P0"].apart.high == float("inf") > by["P1"].apart.high


def test_people_who_play_as_the_bot_does_are_seldom_said_to_differ_and_others_often(study):
    rnd, said = random.Random(4), {0: 0, 4: 0}
    for more in said:
        for _ in range(60):
            said[more] += any(d.differs for d in Beside(drawn(study, rnd, more=more), study).differences)
    assert said[0] <= 6 and said[4] >= 45


# ---------------------------------------------------------------- words, frame, chart


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_words_claim_no_more_than_the_intervals(study, lang):
    def said(key):
        return say(f"playtest.beside.{key}", lang, games=3, least=FEW, n=6, what="@").split("@")[0].split("3")[0]

    rnd = random.Random(1)
    far = {n: Beside(drawn(study, rnd, games=n, tables=t, more=30), study).told(lang) for n, t in ((3, 3), (12, 6))}
    assert said("few") in far[3] and said("differ") not in far[3]
    assert said("differ") in far[12] and said("few") not in far[12] and say("playtest.beside.score", lang) in far[12]
    one = Beside(drawn(study, rnd, games=12, tables=1, more=30), study).told(lang)
    assert said("one_table") in one and said("differ") not in one
    near = Beside(drawn(study, random.Random(2), games=12, tables=6), study)
    assert said("same") in near.told(lang) and said("differ") not in near.told(lang) and said("together") in near.told(lang)
    for word in ("12", "6", "2,000", "heuristic", study.label):
        assert word in near.told(lang)
    assert said("hides") in near.told(lang) and said("hides") not in far[12]
    assert said("none_yet") in Beside([], study).told(lang)
    assert said("older") not in near.told(lang) and say("playtest.beside.older", lang, n=1) in Beside(game("x", digest="old"), study).told(lang)


def test_the_frame_keeps_people_and_bot_apart(study):
    b = Beside(drawn(study, random.Random(3)), study)
    f = b.frame
    assert set(f["source"]) == {"people", "heuristic"} and set(f["measure"]) == {"score", "scores", "length", "win"}
    for source, games in (("people", 10), ("heuristic", 2_000)):
        mine = f.filter(source=source)
        assert set(mine["games"]) == {games} and mine.filter(measure="scores")["value"].sum() == pytest.approx(1)
        assert mine.filter(measure="win")["value"].sum() == pytest.approx(1) and mine.filter(measure="win")["seat"].to_list() == list(OMERTA.seat_names)
    row = f.filter(source="heuristic", measure="score").row(0, named=True)
    e = study.estimate("score")
    assert (row["value"], row["low"], row["high"]) == (e.value, e.low, e.high)
    length, e = f.filter(source="heuristic", measure="length")["value"][0], study.estimate("decisions")
    assert length == e.value
    assert repr(b).count("\n") == 6 and "<table>" in b._repr_html_()


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_chart_is_data_in_either_language(study, lang):
    rows = drawn(study, random.Random(3), games=1)
    spec = json.loads(Beside(rows, study).chart(lang).to_json())  # with one game the means have no bounds: no NaN, no infinity in it
    assert len(spec["vconcat"]) == 4 and ("人" in json.dumps(spec, ensure_ascii=False)) == (lang == "ja")
    assert json.dumps(spec, allow_nan=False) and study.label in spec["title"]["subtitle"][0]


@pytest.mark.filterwarnings("ignore")
def test_a_draft_that_cannot_be_compiled_is_played_on_the_slower_engine():
    def won(p, s, seat):
        return len(f"{seat:>3}") == 3 and {0: 1}.get(seat, 0)

    found = beside([], OMERTA.replace(won), games=1_000, bot="random")
    assert found.study.engine == "plain" and found.study.games == SLOWER and beside([], OMERTA, games=40).study.engine == "compiled"


# ---------------------------------------------------------------- where it is asked for


def finished(lobby, luck, people=("P0", "P1", "P2", "P3")):
    t = lobby.create(OMERTA, luck=luck)
    for n, s in enumerate(t.state.seats):
        t.sit(s, f"Person {n}") if s in people else t.seat_bot(s, "random")
    t.start()
    while not t.state.position.over:
        if not t.bot_move():
            seat, at = next(iter(t.state.asked.items()))
            t.submit(seat, at.moves[0], t.state.turn)
    return t


def test_a_notebook_and_the_command_line_open_what_was_played(lobby, tmp_path, capsys):
    with pytest.raises(WorkbenchError, match="no playtests"):
        wb.playtests(tmp_path / "none")
    with pytest.raises(UnknownName):
        wb.playtests(tmp_path).beside()
    finished(lobby, 1)
    finished(lobby, 2, people=("P0",))
    p = wb.playtests(tmp_path)
    assert p.games.height == 8 and p.decisions.height > 50 and p.marks.height == p.answers.height == 0 and list(p.drafts) == ["omerta:draft6@4"]
    assert p.games["person"].dtype.is_integer() and wb.playtests(tmp_path / "playtests.sqlite", names=True).games["person"][0] == "Person 0"
    b = p.beside(bot="random", games=400)
    assert (len(b.counted.games), b.counted.persons, b.counted.seats) == (2, 4, 5) and b.bot == "random" and b.draft == OMERTA
    assert "omerta:draft6@4" in repr(p) and "<li>" in p._repr_html_() and wb.playtests(file_url(tmp_path / "playtests.sqlite")).games.height == 8
    with pytest.raises(UnknownName, match="omerta:draft6@4"):
        p.beside("omerta:draft7@4")
    assert main(["playtest", "beside", "omerta:draft6@4", "--data", str(tmp_path)]) == 0
    assert "Finished games by people: 2" in capsys.readouterr().out


def test_the_lobby_simulates_in_a_thread_and_shows_sentence_and_chart(lobby):
    from workbench.core.ruleset import load_ruleset
    from workbench.playtest.designerpage import LobbyPage

    def words(page):
        page.refresh()
        return page.shown["side"]["items"]

    page = LobbyPage(lobby, load_ruleset("omerta"), "k")
    page.refresh()
    assert "As soon as people" in json.dumps(words(page)) and page.act("beside", {"beside_draft": "omerta:draft6@4"}).kind == "malformed"
    finished(lobby, 1)
    finished(lobby, 2, people=())
    page.refresh()
    fold = next(i for i in words(page) if i["id"] == "beside_fold")
    controls = {i["id"]: i for i in fold["items"][0]["items"]}
    assert controls["beside_draft"]["options"] == [("omerta:draft6@4", "draft6, 4 players")] and controls["beside_bot"]["value"] == "heuristic"
    assert page.beside._has_people(list(lobby.tables.values())[0]) and not page.beside._has_people(list(lobby.tables.values())[1])
    for n, (bot, word) in enumerate((("no such bot", "no such bot"), ("random", "bot random")), 1):
        page.received("sheet", {"seq": n, "id": "beside", "value": {"beside_draft": "omerta:draft6@4", "beside_bot": bot}})
        task = page.beside.task
        if task is not None:
            task.join(120)
        page.refresh()
        assert word in json.dumps(words(page), ensure_ascii=False)
    chart = {}
    for n, lang in enumerate(("en", "ja"), 5):
        page.received("sheet", {"seq": n, "id": "lang", "value": lang})
        chart[lang] = next(i["svg"] for g in words(page) for i in g["items"] if i["k"] == "drawing")
    assert all(x.startswith("<svg") for x in chart.values()) and "席ごとの勝率" in chart["ja"] and "席ごとの勝率" not in chart["en"]
    assert page.beside.found.counted.persons == 4
    page.close()

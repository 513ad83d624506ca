"""What a refusal costs tells no card: the same work for every deal that a seat cannot tell apart, so that no timing gives one away."""

import gc
import sys
from itertools import islice

import pytest

pytest.importorskip("sqlalchemy")

from workbench.core.draft import load  # noqa: E402
from workbench.playtest.lobby import Lobby  # noqa: E402
from workbench.playtest.store import Store  # noqa: E402
from workbench.playtest.together import together  # noqa: E402
from workbench.ui.session import bot_code  # noqa: E402

GAMES = {"omerta": 6, "nyanbar-one": 4, "maid-mafia": 12}
"""Each ruleset, and how many steps lie between two positions that are looked at."""
KEPT = 25
"""Refused moves that are tried in one position, of each phase's kind."""


def lines_of(f):
    """Every line that runs while ``f()`` does, in order, and what it returns."""
    ran = []

    def line(frame, event, arg):
        ran.append((frame.f_code.co_filename, frame.f_lineno, event))
        return line

    before = sys.gettrace()
    gc.disable()  # others may want to be called when it runs
    sys.settrace(line)
    try:
        result = f()
    finally:
        sys.settrace(before)
        gc.enable()
    return ran, result


def standing_at(t, position):
    """The same table in another deal: a fresh position, so that nothing is known about it yet."""
    p = t.state.position
    t.state.here.position = type(p)(p.draft, position.data, previous=p.previous, code=p.code, luck=p.luck, turned=p.turned, chances=p.chances,
                                    events=p._events)
    t.state.round = together(t.state.here.position)


def moves_like(position):
    """Moves of the kinds that are asked for now, legal or not."""
    moves = position.draft.ruleset.moves
    for kind in position._kinds_now():
        yield from islice(moves.names_of(kind), 200)


def work_of(t, position, seat, move):
    """What runs when the seat asks for the move in this deal."""
    def ask():
        standing_at(t, position)
        return lines_of(lambda: t.submit(seat, move, t.state.turn))

    assert not ask()[1].ok  # what is looked up once is known from here on
    return ask()


def playing(game, lobby):
    t = lobby.create(load(game, players=3), luck=5)
    for s in t.state.seats:
        t.sit(s, s)
    t.start()
    return t


@pytest.fixture
def lobby():
    made = Lobby(Store("sqlite://"))
    yield made
    made.store.close()


@pytest.mark.parametrize("game", GAMES)
def test_a_refusal_runs_the_same_lines_whatever_lies_hidden_from_who_asks(lobby, game):
    t = playing(game, lobby)
    compared = differed = 0
    for n in range(12 * GAMES[game]):
        if t.state.position.over:
            break
        if n % GAMES[game] == 0:
            p, version = t.state.position, t.state.version
            p = type(p)(p.draft, p.data, previous=p.previous, code=p.code, luck=p.luck, turned=p.turned, chances=p.chances, events=p._events)
            can = {who: set(q.moves) for who, q in t.state.asked.items()}
            for who in t.state.seats:
                refused = [m for m in moves_like(p) if m not in can.get(who, ())]
                for luck in (n, n + 1):
                    other = p.resample(who, luck)
                    differed += str(other) != str(p)
                    for move in refused[luck % 3::max(1, len(refused) // KEPT)]:
                        first, said = work_of(t, p, who, move)
                        second, said_too = work_of(t, other, who, move)
                        assert not said.ok and said == said_too, (who, move)
                        assert first == second, (who, move, next((a, b) for a, b in zip(first, second, strict=False) if a != b))
                        compared += 1
            standing_at(t, p)
            assert t.state.version == version
        seat, at = next(iter(t.state.asked.items()))
        assert t.submit(seat, at.draft.ruleset.moves.name(bot_code(at, "heuristic", n)), t.state.turn).ok
    assert compared > 100 and differed > 10


def test_a_rule_that_looked_at_hidden_cards_would_be_seen(lobby):
    """The control: the same comparison finds a refusal that works longer the more of a kind another seat holds."""
    t = playing("omerta", lobby)
    p = t.state.position
    other = next(x for x in (p.resample("P0", n) for n in range(50)) if x["hand"]["P1"].count("A") != p["hand"]["P1"].count("A"))
    wrong = next(m for m in moves_like(p) if m not in t.state.asked["P0"].moves)
    honest = type(t)._checked

    def leaky(self, *args):
        for card in self.state.position["hand"]["P1"].split():
            if card.startswith("A"):
                pass
            else:
                continue
        return honest(self, *args)

    assert work_of(t, p, "P0", wrong) == work_of(t, other, "P0", wrong)
    type(t)._checked = leaky
    try:
        assert work_of(t, p, "P0", wrong)[0] != work_of(t, other, "P0", wrong)[0]
    finally:
        type(t)._checked = honest

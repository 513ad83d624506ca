"""Speed of OpenSpiel's own C++ random playout loop on a few card games.

Each figure is for whole games under uniformly random play, deal included, with
no Python between the steps. The Python module offers no call that does just
this: its search starts random rollouts in C++, but crashes on a state that
still has to be dealt. So two parts are timed in C++ and added:

- the play: a search of one simulation is nothing but n rollouts of the
  random rollout evaluator from a state already dealt;
- the deal: the game loop that plays random bots, once from the undealt and
  once from the dealt state; the difference is what the deal takes.

A decision is a player's action; the cards dealt are not counted.
"""

import json
import random
import sys
import time

GAMES = ("spades", "oh_hell", "dou_dizhu", "hearts")
ROLLOUTS = 100  # from one deal; every search starts from a new one
SAMPLE = 1000   # games played in Python to count the decisions


def deal(game, rng):
    """A new state of the game, dealt at random up to the first decision."""
    state = game.new_initial_state()
    while state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes())
        state.apply_action(rng.choices(actions, weights)[0])
    return state


def decisions(game, rng):
    """How many decisions one random game has."""
    state = deal(game, rng)
    count = 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes())
            state.apply_action(rng.choices(actions, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            count += 1
    return count


def play_seconds(spiel, game, seconds, rng):
    """Seconds the C++ rollouts take to play one dealt game."""
    evaluator = spiel.RandomRolloutEvaluator(n_rollouts=ROLLOUTS, seed=rng.randrange(2**31))
    search = spiel.MCTSBot(game, evaluator, uct_c=1.0, max_simulations=1, max_memory_mb=10,
                           solve=False, seed=1, verbose=False)
    spent, playouts = 0.0, 0
    while spent < seconds:
        state = deal(game, rng)  # off the clock
        start = time.perf_counter()
        search.mcts_search(state)
        spent += time.perf_counter() - start
        playouts += ROLLOUTS
    return spent / playouts


def deal_seconds(spiel, game, seconds, rng):
    """Seconds one deal takes in C++, as the difference of two game loops."""
    bots = [spiel.make_uniform_random_bot(seat, rng.randrange(2**31))
            for seat in range(game.num_players())]
    spent, count = {"undealt": 0.0, "dealt": 0.0}, 0
    while sum(spent.values()) < seconds:
        for kind, state in (("undealt", game.new_initial_state()), ("dealt", deal(game, rng))):
            start = time.perf_counter()
            spiel.evaluate_bots(state, bots, count)
            spent[kind] += time.perf_counter() - start
        count += 1
    return max(0.0, spent["undealt"] - spent["dealt"]) / count


def measure(games=GAMES, seconds=2.0, seed=1):
    """Playouts and decisions per second for each game; {} without OpenSpiel.

    seconds counts C++ time for each game; dealing in Python between makes the
    wait about three times as long. Games that the installed build lacks are
    left out. The play_ figures leave the deal out, which flatters OpenSpiel.
    """
    try:
        import pyspiel
    except ImportError:
        return {}
    known = set(pyspiel.registered_names())
    found = {}
    for name in games:
        if name not in known:
            continue
        game = pyspiel.load_game(name)
        rng = random.Random(seed)
        length = sum(decisions(game, rng) for _ in range(SAMPLE)) / SAMPLE
        play = play_seconds(pyspiel, game, seconds / 2, rng)
        whole = play + deal_seconds(pyspiel, game, seconds / 2, rng)
        found[name] = {
            "playouts_per_s": 1 / whole,
            "decisions_per_s": length / whole,
            "decisions_per_playout": length,
            "play_playouts_per_s": 1 / play,
            "play_decisions_per_s": length / play,
        }
    return found


if __name__ == "__main__":
    print(json.dumps(measure(seconds=float(sys.argv[1]) if len(sys.argv) > 1 else 2.0), indent=1))

"""Omerta, draft 6, as one plain Python class written from the rules audit.

It shares no code with the project, so that it can serve the tests as an
independent oracle and the benchmark as the hand-written Python baseline.
Comments quote the rule (OM-*), question (OMQ-*) and variant (OMV-*) ids.

A card is an int from 0 to 31, suit * 8 + number - 1; seats go clockwise.
"""

import random
from collections import namedtuple

SUITS = "AICJ"  # American, Italian, Chinese, Japanese (OM-C2)
NUMBER = [index % 8 + 1 for index in range(32)]
SUIT = [index // 8 for index in range(32)]

PEACE, ASSASSINATION, CONSPIRACY, FOUR, DOMINATION, HERO, CURTAIN, PROPHECY = range(1, 9)
ROUNDS = 7
MATCH_CAP = 200  # hands; the text sets no limit (OMQ-25)

# Every option with its readings, the default first.
READINGS = {
    "omerta4": ("none", "failed_all", "failed_survivors"),       # OMV-1
    "base": ("order", "flat"),                                   # OMV-4
    "peace": ("points", "win_match"),                            # OMV-3
    "omerta_choice": ("as_written", "choose_first", "know_first"),  # OMQ-2
    "scope": ("round", "table"),                                 # OMQ-3
    "highest_of": ("all", "family"),                             # OMQ-4
    "elimination": ("stop", "finish"),                           # OMQ-8
    "eliminated_total": ("base_only", "total_zero"),             # OMQ-10
    "eliminated_omerta": ("only_curtain", "condition"),          # OMQ-11
    "position": ("seat", "played", "survivors"),                 # OMQ-12
    "curtain_loss": ("hand", "match"),                           # OMQ-15
    "peace_scope": ("hand", "match"),                            # OMQ-17
    "target_check": ("after_all", "in_order"),                   # OMQ-19
}

# vp per seat, the same by source; winners: none while the match goes on, several draw.
Result = namedtuple("Result", "vp sources next_leader winners")


def parse(names):
    """The cards of a blank-separated list of names such as "A5 J1"."""
    return [SUITS.index(name[0]) * 8 + int(name[1:]) - 1 for name in names.split()]


class Omerta:
    """A match of Omerta: deal, choose, name the leader, play, score, and again."""

    def __init__(self, players=3, *, base_points=2, played_bonus=1, **options):
        if players not in (3, 4):
            raise ValueError("3 or 4 players")  # OM-C1
        for name, readings in READINGS.items():
            value = options.pop(name, readings[0])
            if value not in readings:
                raise ValueError(f"{name} is one of {readings}, not {value!r}")
            setattr(self, name, value)
        if options:
            raise TypeError(f"unknown options: {sorted(options)}")
        self.players = players
        self.base_points, self.played_bonus = base_points, played_bonus
        self.new_match()

    def new_match(self):
        """Forget everything that happened before; the next hand is a first hand."""
        self.totals = [0] * self.players
        self.winners = []
        self.next_leader = None
        self.blood = False  # was anybody eliminated in an earlier hand?

    def deal(self, hands=None, rng=None):
        """Give every seat 8 cards: those listed, or a shuffled deck's (OM-S1 to S3)."""
        if hands is None:
            deck = list(range(8 * self.players))
            (rng or random).shuffle(deck)
            hands = [deck[8 * seat:8 * seat + 8] for seat in range(self.players)]
        self.hands = [sorted(hand) for hand in hands]
        self.omertas = [None] * self.players     # the face-down cards
        self.face_up = [[] for _ in self.hands]  # OM-R3
        self.table = {}                          # seat -> card, this round
        self.order = []                          # seats in this round's play order
        self.round = 0
        self.eliminated = set()
        self.moves, self.over = [], False
        # OMQ-2: only the first hand's leader is open; later ones follow OM-N1,
        # but 'choose_first' keeps them from counting until all have chosen.
        self.leader = None if self.omerta_choice == "choose_first" else self.next_leader

    def choose(self, seat, card):
        """Set one card of the hand face down as the seat's omerta (OM-S4)."""
        if self.omertas[seat] is not None or card not in self.hands[seat]:
            raise ValueError("one omerta a seat, from its own hand")
        if self.omerta_choice == "know_first" and self.leader is None:
            raise ValueError("the leader is named before the omertas are chosen")
        self.hands[seat].remove(card)
        self.omertas[seat] = card
        leader = self.next_leader if self.leader is None else self.leader
        if leader is not None and None not in self.omertas:
            self._start_round(leader)

    def name_leader(self, seat):
        """Fix the first hand's start player (OM-S6), before or after the choices."""
        if self.next_leader is not None or self.leader is not None:
            raise ValueError("the leader is already fixed")
        if self.omerta_choice != "know_first" and None in self.omertas:
            raise ValueError("the omertas are chosen before the leader is named")
        self.leader = seat
        if None not in self.omertas:
            self._start_round(seat)

    def legal(self):
        """The cards the seat to move may play; never empty before the hand is over."""
        return self.moves

    def play(self, card):
        """Play a card for the seat to move, and go on to the next decision."""
        if card not in self.moves:
            raise ValueError("not a legal card")
        self.hands[self.seat].remove(card)
        self.face_up[self.seat].append(card)
        self.table[self.seat] = card
        self.turn += 1
        self._advance()

    def playable(self, seat):
        """The cards of a seat's hand that the rules let it play now (OM-P1, P4, P5)."""
        if not self.table:
            return list(self.hands[seat])
        family = SUIT[self.table[self.order[0]]]  # OM-P2
        shown = self.table.values()
        if self.scope == "table":
            shown = [card for row in self.face_up for card in row]
        if self.highest_of == "family":
            shown = [card for card in shown if SUIT[card] == family]
        highest = max(NUMBER[card] for card in shown)
        return [card for card in self.hands[seat]
                if SUIT[card] == family or NUMBER[card] > highest]

    def _start_round(self, leader):
        self.round += 1
        self.leader = leader
        self.order = [(leader + step) % self.players for step in range(self.players)]
        self.table = {}
        self.turn = 0
        self._advance()

    def _advance(self):
        """Find the next seat that can play, eliminating those that cannot (OM-P6)."""
        while self.turn < self.players:
            self.seat = self.order[self.turn]
            self.moves = self.playable(self.seat)
            if self.moves:
                return
            self.eliminated.add(self.seat)
            if self.elimination == "stop":
                break
            self.turn += 1
        if self.eliminated or self.round == ROUNDS:  # OM-F1, OMQ-9
            self.moves, self.over = [], True
        else:
            self._start_round(self.lowest())  # OM-R2

    def lowest(self):
        """The seat with the round's lowest card: it leads next (OM-R2, OM-N1)."""
        numbers = sorted((NUMBER[card], seat) for seat, card in self.table.items())
        assert len(numbers) == 1 or numbers[0][0] < numbers[1][0], "OMQ-6: no such tie"
        return numbers[0][1]

    def score(self):
        """Score the finished hand, add it to the totals, and settle the match."""
        if not self.over:
            raise ValueError("the hand is not over")
        sources = [self._sources(seat) for seat in range(self.players)]
        vp = [sum(source.values()) for source in sources]
        self.totals = [before + gained for before, gained in zip(self.totals, vp)]
        self.winners = self._winners()
        self.next_leader = self.lowest()  # OM-N1; an unplayed seat never is (OMQ-21)
        self.blood = self.blood or bool(self.eliminated)
        self.over = False  # a hand is scored once
        return Result(vp, sources, self.next_leader, self.winners)

    def _sources(self, seat):
        out = seat in self.eliminated
        base = 0 if out else self._base(seat)  # OM-V1, OMQ-10
        barred = out and self.eliminated_total == "total_zero"
        bonus = self._bonus(seat) if self.achieved(seat) and not barred else 0
        loss = 0
        if NUMBER[self.omertas[seat]] == CURTAIN and not out:  # OM-O7, OMQ-15
            loss = base + (self.totals[seat] if self.curtain_loss == "match" else 0)
        return {"base": base, "omerta": bonus, "loss": -loss}

    def _base(self, seat):
        """A survivor's base points: its place in the final round (OM-V2) or flat (OMV-4)."""
        if self.base == "flat":
            return self.base_points + (self.played_bonus if seat in self.table else 0)
        counted = self.order
        if self.position == "played":
            counted = [other for other in self.order if other in self.table]
        elif self.position == "survivors":
            counted = [other for other in self.order if other not in self.eliminated]
        return counted.index(seat) + 1 if seat in counted else 0

    def achieved(self, seat):
        """Whether the seat's omerta came true; 4 asks for nothing."""
        omerta = NUMBER[self.omertas[seat]]
        out = seat in self.eliminated
        if omerta == CURTAIN:
            return out
        if out and self.eliminated_omerta == "only_curtain":  # OM-X1
            return False
        if omerta == PEACE:
            return not self.eliminated and not (self.peace_scope == "match" and self.blood)
        if omerta == ASSASSINATION:
            return (seat + 1) % self.players in self.eliminated
        if omerta == CONSPIRACY:
            return bool(self.eliminated - {seat})
        if omerta == FOUR:
            return True
        if omerta == DOMINATION:
            return seat == self.order[0]
        if seat not in self.table:  # 6 and 8 look at the card played (OMQ-13, 16)
            return False
        mine = NUMBER[self.table[seat]]
        if omerta == HERO:  # OMQ-7, OMQ-14: alone on top of what lies on the table
            numbers = [NUMBER[card] for card in self.table.values()]
            return mine == max(numbers) and numbers.count(mine) == 1
        return mine == self.round  # PROPHECY

    def _bonus(self, seat):
        """What the seat's omerta pays once it is achieved (OM-O1 to O8)."""
        omerta = NUMBER[self.omertas[seat]]
        if omerta == PEACE:  # OMV-3
            return self.players if self.peace == "points" else 0
        if omerta == FOUR:  # OMV-1: other seats' failures; a 4 itself never fails
            if self.omerta4 == "none":
                return 0
            spared = self.eliminated if self.omerta4 == "failed_survivors" else ()
            return sum(not self.achieved(other) for other in range(self.players)
                       if NUMBER[self.omertas[other]] != FOUR and other not in spared)
        return {ASSASSINATION: 2, CONSPIRACY: 1, DOMINATION: 1, HERO: 2, CURTAIN: 3,
                PROPHECY: self.round}[omerta]

    def _winners(self):
        """Who wins the match after this hand (OM-F3, N2, N3); nobody if it goes on."""
        peaceful = [seat for seat in range(self.players)
                    if NUMBER[self.omertas[seat]] == PEACE and self.achieved(seat)]
        if peaceful and self.peace == "win_match":  # beats the target (OMV-3)
            return peaceful
        reached = [seat for seat in self.order if self.totals[seat] >= 2 * self.players]
        if not reached or self.target_check == "in_order":
            return reached[:1]  # OMQ-19 b: seats score in the final round's order
        return [max(reached, key=self.totals.__getitem__)]  # the earlier seat on a tie


def random_hand(game, rng):
    """Play one dealt-from-scratch hand at random; return its result and decisions."""
    game.deal(rng=rng)
    if game.omerta_choice == "know_first" and game.next_leader is None:
        game.name_leader(rng.randrange(game.players))
    for seat in range(game.players):
        game.choose(seat, rng.choice(game.hands[seat]))
    if game.leader is None:
        game.name_leader(rng.randrange(game.players))
    while not game.over:
        game.play(rng.choice(game.legal()))
    played = sum(len(row) for row in game.face_up)
    return game.score(), game.players + played + len(game.eliminated)


def random_hands(n, players=3, seed=0, **options):
    """Play n separate hands at random and return totals over them.

    A move is an omerta choice, a card played or an elimination declared.
    """
    rng = random.Random(seed)
    game = Omerta(players, **options)
    totals = {"hands": n, "moves": 0, "eliminations": 0, "vp": [0] * players,
              "vp_by_omerta": [0] * 9, "times_chosen": [0] * 9}
    for _ in range(n):
        game.new_match()
        result, moves = random_hand(game, rng)
        totals["moves"] += moves
        totals["eliminations"] += len(game.eliminated)
        for seat, vp in enumerate(result.vp):
            omerta = NUMBER[game.omertas[seat]]
            totals["vp"][seat] += vp
            totals["vp_by_omerta"][omerta] += vp
            totals["times_chosen"][omerta] += 1
    return totals


def random_match(players=3, seed=0, **options):
    """Play hands at random until the match is won; no winners if the cap is hit."""
    rng = random.Random(seed)
    game = Omerta(players, **options)
    for _ in range(MATCH_CAP):
        if not game.winners:
            random_hand(game, rng)
    return game

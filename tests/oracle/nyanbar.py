"""Nyan-bar One, draft 6, as one plain Python class written from the rules audit.

It shares no code with the project, so that it can serve the tests as an independent oracle.
Comments quote the rule (NB-*), question (NBQ-*) and variant (NBV-*) ids. A whole game is one
generator: it yields who has to decide and between what, and is sent what was chosen.

    game = Nyanbar(4, tribes=["Kansai", ...], tiles=[("T1", 0), ...], start=2)
    play = game.play()
    what, seat, options = next(play)      # ("deal", None, None): send the hands, as lists of names
    what, seat, options = play.send(hands)  # ("card", 2, {"R5", "B7", ...}): send one of the options

Cards, areas and choices have the names that people use: "R5", "R3^" for the R3 with a ▲, "r1c2", "assist P1".
"""

import random
from dataclasses import dataclass

# NBQ-2: the suits of a tile's corners clockwise from the north-west; then that of the middle of a five-area tile (NBV-4).
TILES = {"T1": "RRBYB", "T2": "RRYBY", "T3": "RBRYR", "T4": "BBYRY", "T5": "BBRYR", "T6": "BYBRB", "T7": "YYRBR", "T8": "YYBRB", "T9": "YRYBY"}
COSTS = {"Kansai": 1, "Samurai": 2, "Yozakura": 2, "Charmont": 3}

# Every option with its readings, the default first.
READINGS = {
    "triangle": ("none", "higher", "lower", "first"),                          # NBV-3
    "kick": ("yes", "no"),                                                     # NBV-4
    "stack": ("no", "yes"),                                                    # NBV-6
    "recovery": ("none", "unoccupied_with_cube", "unoccupied"),                # NBV-7
    "blue": ("as_written", "when_void"),                                       # NBV-9
    "follow": ("must", "may"),
    "leader_when": ("void", "any"),
    "map3": ("L", "row", "two"),                                               # NBQ-1
    "tile_shape": ("square_turned", "square_fixed", "strip"),                  # NBQ-2
    "cube_colours": ("neutral", "coloured"),                                   # NBQ-3
    "off_suit": ("mark", "nothing"),                                           # NBQ-4
    "lead_leader": ("no", "yes"),                                              # NBQ-6
    "leader_alone": ("against_lead", "alone"),                                 # NBQ-8
    "tie_next": ("same", "nearer", "clockwise"),                               # NBQ-11
    "tie_assist": ("nothing", "number"),                                       # NBQ-13
    "must_act": ("must", "may"),                                               # NBQ-14
    "own_area": ("no", "yes"),                                                 # NBQ-15
    "act_order": ("modified", "printed"),                                      # NBQ-18
    "assist_points": ("modified", "printed"),                                  # NBQ-19
    "red_when": ("playing", "before_judgement"),                               # NBQ-20
    "leader_red": ("no", "red"),                                               # NBQ-21
    "blue_number": ("printed", "modified"),                                    # NBQ-22
    "blue_follow": ("no_evasion", "evasion"),                                  # NBQ-22
    "spent_to": ("supply", "gone"),                                            # NBQ-24
    "markers_return": ("persist", "collect"),                                  # NBQ-25
    "gem_zero": ("nobody", "share"),                                           # NBQ-31
    "majority": ("all_connected", "largest", "pairs"),                         # NBQ-33
    "neighbours": ("sides", "tile", "corners"),                                # NBQ-34
    "samurai_half": ("base", "doubled"),                                       # NBQ-36
    "yozakura_when": ("judgement", "playing"),                                 # NBQ-38
    "charmont": ("no_target", "no_effect"),                                    # NBQ-40
    "kansai": ("same_turn", "next_trick"),                                     # NBQ-41
    "take": ("all", "one"),                                                    # with NBV-7
    "blue_target": ("lead", "any"),                                            # with NBV-9
    "kick_removes": ("one", "all"),                                            # with NBV-6
    "triangle_duel": ("tie", "breaks"),                                        # with NBV-3
}
NUMBERS = {"leader_number": 12, "tricks": 6, "rounds": 3, "markers": 8, "cubes": 16, "areas_per_tile": 4, "red": 1,
           "marker_points": 1, "gem_bonus": 6, "majority_each": 2}
SOURCES = ("duel", "assist", "marks", "gems", "majority")


@dataclass
class Played:
    """What a seat has on the table."""

    name: str
    suit: str | None
    printed: int
    triangles: int = 0
    more: int = 0  # NB-E1

    @property
    def number(self):
        return self.printed + self.more

    @property
    def leader(self):
        return self.name == "leader"


def card(name):
    """A turf card from its name."""
    body = name.rstrip("^")
    return Played(name, body[0], int(body[1:]), len(name) - len(body))


class Nyanbar:
    """One game."""

    def __init__(self, players, *, tribes, tiles, start, skill_cost=None, **options):
        for name, readings in READINGS.items():
            value = options.pop(name, readings[0])
            assert value in readings, (name, value)
            setattr(self, name, value)
        for name, value in NUMBERS.items():
            setattr(self, name, options.pop(name, value))
        assert not options, options
        self.n, self.tribes, self.start = players, list(tribes), start
        self.costs = dict(zip(COSTS, skill_cost)) if skill_cost else COSTS
        self.seats = list(range(players))
        self.lay(tiles)
        self.owner = {}                                           # area -> seat
        self.height = {}                                          # area -> markers on it
        self.stock = [dict.fromkeys("RBY", 0) for _ in self.seats]
        self.supply, self.gone = self.cubes, dict.fromkeys("RBY", 0)
        self.on = dict.fromkeys(self.suit_of, 0)                  # area -> cubes
        self.add_cubes(self.suit_of)                              # NB-S3
        self.ready = [True] * players                             # NB-T5
        self.hands = [set() for _ in self.seats]
        self.vp = [dict.fromkeys(SOURCES, 0) for _ in self.seats]
        self.ties = self.lone = 0
        self.winners = []
        self.round = 0

    # ------------------------------------------------------------ the map

    def lay(self, tiles):
        """Colours and neighbours of the areas (NB-S2, NB-C6, NBQ-1, NBQ-2, NBQ-34)."""
        places = [(0, 0), (0, 1), (1, 0), (1, 1)]
        if self.n == 3 and self.map3 == "row":
            places = [(0, 0), (1, 0), (2, 0)] if self.tile_shape == "strip" else [(0, 0), (0, 1), (0, 2)]
        self.suit_of, at, tile_of = {}, {}, {}
        for slot, (name, turns) in enumerate(tiles):
            nw, ne, se, sw, middle = TILES[name]
            top, left = places[slot]
            if self.tile_shape == "strip":
                row = [nw, ne, se, sw]
                cells = {(top, 4 * left + i): s for i, s in enumerate(row[::-1] if turns else row)}
            else:
                square = [[nw, ne], [sw, se]]
                for _ in range(turns):  # a quarter clockwise: the left column, read upwards, becomes the top row
                    square = [list(r) for r in zip(*square[::-1])]
                cells = {(2 * top + r, 2 * left + c): square[r][c] for r in (0, 1) for c in (0, 1)}
            for (r, c), s in cells.items():
                area = f"r{r + 1}c{c + 1}"
                self.suit_of[area], at[area], tile_of[area] = s, (r, c), slot
            if self.areas_per_tile == 5:
                self.suit_of[f"m{slot + 1}"], tile_of[f"m{slot + 1}"] = middle, slot
        self.near = {a: set() for a in self.suit_of}
        for a in self.suit_of:
            for b in self.suit_of:
                if a != b and self.touch(a, b, at, tile_of):
                    self.near[a].add(b)

    def touch(self, a, b, at, tile_of):
        if a not in at or b not in at:  # the middle of a tile touches the four around it
            return tile_of[a] == tile_of[b]
        dr, dc = abs(at[a][0] - at[b][0]), abs(at[a][1] - at[b][1])
        if self.neighbours == "tile" and tile_of[a] != tile_of[b]:
            return False
        return dr + dc == 1 or self.neighbours == "corners" and dr == dc == 1

    def add_cubes(self, areas):
        """One more on each area in the order of the map, as long as there are any (NB-C7, NBQ-3)."""
        for area in sorted(areas, key=lambda a: (a[0] == "m", int(a[1]), a)):
            suit = self.suit_of[area]
            left = self.supply
            if self.cube_colours == "coloured":
                made = {"R": self.cubes + 2, "B": self.cubes + 1, "Y": self.cubes}[suit] // 3
                used = sum(k for a, k in self.on.items() if self.suit_of[a] == suit) + sum(x[suit] for x in self.stock)
                left = made - used - self.gone[suit]
            if left > 0:
                self.on[area] += 1
                self.supply -= 1

    def areas(self, seat):
        return {a for a, who in self.owner.items() if who == seat}

    def at_hand(self, seat):
        """Markers that the seat has not placed (NB-K5)."""
        return self.markers - sum(self.height[a] for a in self.areas(seat))

    def nearness(self, seat):
        """Steps clockwise from the start player (NBQ-10)."""
        return (seat - self.start) % self.n

    # ------------------------------------------------------------ the game

    def play(self):
        """The whole game, decision by decision."""
        for number in range(1, self.rounds + 1):
            self.round = number
            hands = yield "deal", None, None
            self.hands = [set(h) for h in hands]
            self.counted = [set() for _ in self.seats]  # what earlier cards of this round counted as
            self.earlier = [set() for _ in self.seats]  # and what was printed on them
            for _ in range(self.tricks):
                yield from self.trick()
            if self.round < self.rounds:  # NB-R2, NBQ-30
                for k in range(self.n):
                    seat = (self.start + k) % self.n
                    if self.hands[seat]:
                        choice = yield "carry", seat, {f"carry {c}" for c in self.hands[seat]} | {"discard"}
                        self.hands[seat] = set() if choice == "discard" else {choice.split()[1]}
            for seat in self.seats:  # NB-R3
                self.vp[seat]["marks"] += self.marker_points * sum(self.height[a] for a in self.areas(seat))
            if self.round < self.rounds:
                if self.recovery != "none":  # NBV-7
                    free = [a for a in self.suit_of if a not in self.owner]
                    self.add_cubes([a for a in free if self.on[a] or self.recovery == "unoccupied"])
                if self.markers_return == "collect":  # NBQ-25
                    self.owner.clear()
                    self.height.clear()
        self.bonuses()

    def bonuses(self):
        """NB-B1 to NB-B3."""
        most = max(x["Y"] for x in self.stock)
        holders = [s for s in self.seats if self.stock[s]["Y"] == most]
        if most or self.gem_zero == "share":
            for s in holders:
                self.vp[s]["gems"] += self.gem_bonus // len(holders)
        for s in self.seats:
            self.vp[s]["majority"] += self.majority_each * self.connected(self.areas(s))
        best = max((self.total(s), len(self.areas(s))) for s in self.seats)
        self.winners = [s for s in self.seats if (self.total(s), len(self.areas(s))) == best]

    def total(self, seat):
        return sum(self.vp[seat].values())

    def connected(self, mine):
        """NBQ-33."""
        if self.majority == "all_connected":
            return sum(bool(self.near[a] & mine) for a in mine)
        if self.majority == "pairs":
            return sum(len(self.near[a] & mine) for a in mine) // 2
        sizes, left = [0], set(mine)
        while left:
            group, todo = set(), [left.pop()]
            while todo:
                a = todo.pop()
                group.add(a)
                todo += [b for b in self.near[a] & mine if b not in group]
            left -= group
            sizes.append(len(group))
        return max(sizes) if max(sizes) > 1 else 0

    # ------------------------------------------------------------ a trick

    def trick(self):
        self.table, self.lead, self.skilled, self.named = {}, None, set(), []
        order = [(self.start + k) % self.n for k in range(self.n)]
        for seat in order:
            yield from self.put(seat)
            yield from self.use(seat)
        if self.red_when == "before_judgement":  # NBQ-20
            for seat in order:
                while self.may_red(seat):
                    choice = yield "late", seat, {"red", "done"}
                    if choice == "done":
                        break
                    self.use_red(seat)
        for s, x in self.table.items():
            if not x.leader:
                self.counted[s].add((x.suit, x.number))
        duelists = yield from self.who_duels()
        backing = yield from self.acts(duelists)
        self.start = self.settle(duelists, backing)
        for s, x in self.table.items():
            if not x.leader:
                self.earlier[s].add((card(x.name).suit, x.printed))

    def someone_led_a_leader(self):
        return self.table.get(self.start) is not None and self.table[self.start].leader

    def sets_lead(self, seat):
        """Whose card makes the lead suit: the start player's, or the next one's after a leader card (NBQ-6)."""
        return seat == ((self.start + 1) % self.n if self.someone_led_a_leader() else self.start)

    def can_follow(self, seat):
        return any(c[0] == self.lead for c in self.hands[seat])

    def leader_fits(self, seat):
        """NB-T3, NB-T4, NBQ-6, whether or not it has been used (NB-T5)."""
        if not self.table:
            return self.lead_leader == "yes"
        if any(x.leader for x in self.table.values()):
            return False
        return self.leader_when == "any" or not self.can_follow(seat)

    def put(self, seat):
        """Play a card, or the leader card."""
        while True:
            hand = self.hands[seat]
            options = {c for c in hand if c[0] == self.lead} if self.follow == "must" and self.lead and self.can_follow(seat) else set(hand)
            if self.leader_fits(seat):
                if self.ready[seat]:
                    options = options | {"leader"}
                elif self.kansai == "same_turn" and self.tribes[seat] == "Kansai" and self.rich(seat):  # NBQ-41
                    options = options | {"skill"}
            choice = yield "card", seat, options
            if choice != "skill":
                break
            yield from self.pay(seat)
            self.ready[seat] = True
        if choice == "leader":
            self.ready[seat] = False
            self.table[seat] = Played("leader", None, self.leader_number)
            return
        self.hands[seat].remove(choice)
        self.table[seat] = card(choice)
        if self.lead is None:
            self.lead = self.table[seat].suit

    # ------------------------------------------------------------ resources and skills

    def rich(self, seat):
        return sum(self.stock[seat].values()) >= self.costs[self.tribes[seat]]

    def spend(self, seat, suit):
        self.stock[seat][suit] -= 1
        if self.spent_to == "gone":
            self.gone[suit] += 1
        else:
            self.supply += 1

    def pay(self, seat):
        """NB-U2."""
        for _ in range(self.costs[self.tribes[seat]]):
            choice = yield "pay", seat, {f"pay {x}" for x, k in self.stock[seat].items() if k}
            self.spend(seat, choice[-1])

    def may_red(self, seat):
        return self.stock[seat]["R"] > 0 and (not self.table[seat].leader or self.leader_red == "red")

    def use_red(self, seat):
        self.spend(seat, "R")
        self.table[seat].more += self.red

    def blues(self, seat):
        """The suits that a blue cube can change the played card to (NB-E2, NBQ-22, NBQ-23, NBV-9)."""
        mine = self.table[seat]
        if mine.leader or not self.stock[seat]["B"]:
            return set()
        others = set("RBY") - {mine.suit}
        if self.blue == "when_void":
            if self.sets_lead(seat) or mine.name[0] == self.lead or self.can_follow(seat):
                return set()
            return others & {self.lead} if self.blue_target == "lead" else others
        if mine.suit == self.lead and not self.sets_lead(seat) and self.blue_follow == "no_evasion":
            return set()
        if self.blue_number == "modified":
            return {x for x in others if (x, mine.number) in self.counted[seat]}
        return {x for x in others if (x, mine.printed) in self.earlier[seat]}

    def skill_works(self, seat):
        """Whether the skill can be paid for and would change something (NBQ-42)."""
        if self.tribes[seat] == "Kansai":
            return self.rich(seat) and not self.ready[seat]
        return self.rich(seat) and seat not in self.skilled

    def use(self, seat):
        """NB-U1 to NB-U3, after the card."""
        while True:
            options = {f"blue {x}" for x in self.blues(seat)}
            if self.may_red(seat):
                options.add("red")
            if self.skill_works(seat):
                options.add("skill")
            if not options:
                return
            choice = yield "use", seat, options | {"done"}
            if choice == "done":
                return
            if choice == "red":
                self.use_red(seat)
            elif choice == "skill":
                yield from self.pay(seat)
                if self.tribes[seat] == "Kansai":  # NB-K-1
                    self.ready[seat] = True
                else:
                    self.skilled.add(seat)
                if self.tribes[seat] == "Yozakura" and self.yozakura_when == "playing":
                    yield from self.name_two(seat)
            else:
                self.spend(seat, "B")
                self.table[seat].suit = choice[-1]
                if self.sets_lead(seat):
                    self.lead = choice[-1]

    def user(self, tribe):
        """The seat that has used this tribe's skill in this trick."""
        return next((s for s in self.skilled if self.tribes[s] == tribe), None)

    def name_two(self, seat):
        """NB-K-3, NBQ-38."""
        for _ in range(2):
            choice = yield "name", seat, {f"name P{s}" for s in self.seats if s not in self.named}
            self.named.append(int(choice[-1]))

    # ------------------------------------------------------------ judgement

    def lift(self, x, first_lifts):
        """What ▲ adds to a card's place (NBV-3)."""
        sign = {"none": 0, "higher": 1, "lower": -1, "first": first_lifts}[self.triangle]
        return sign * x.triangles

    def followers(self):
        """Seats on the lead suit, the highest first (NB-J3)."""
        on = [s for s, x in self.table.items() if not x.leader and x.suit == self.lead]
        return sorted(on, key=lambda s: (-self.table[s].number, -self.lift(self.table[s], 1), self.nearness(s)))

    def who_duels(self):
        yozakura = self.user("Yozakura")
        if yozakura is not None:
            if not self.named:
                yield from self.name_two(yozakura)
            return self.named
        ranked = self.followers()
        leader = [s for s, x in self.table.items() if x.leader]
        if leader:
            if self.leader_alone == "alone" and len(ranked) == 1:
                return leader
            return leader + ranked[:1]
        return ranked[:2]

    def acts(self, duelists):
        """Everybody else assists or marks (NB-J5); who backs whom."""
        def turn(s):
            x = self.table[s]
            return (x.printed if self.act_order == "printed" else x.number, self.lift(x, -1), self.nearness(s))

        backing = {}
        for seat in sorted((s for s in self.seats if s not in duelists), key=turn):
            follows = not self.table[seat].leader and self.table[seat].suit == self.lead
            options = {f"mark {a}" for a in self.markable(seat, follows)}
            if follows and len(duelists) == 2 and not any(x.leader for x in self.table.values()):  # NB-A2, NB-J6
                options |= {f"assist P{d}" for d in duelists}
            if not options:
                continue
            if self.must_act == "may":
                options.add("decline")
            choice = yield "act", seat, options
            what, _, where = choice.partition(" ")
            if what == "assist":
                backing[seat] = int(where[1:])
            elif what == "mark":
                self.mark(seat, where)
        return backing

    def guarded(self, seat, area):
        """NB-K-4."""
        charmont = self.user("Charmont")
        return charmont not in (None, seat) and self.owner.get(area) == charmont

    def markable(self, seat, follows):
        x = self.table[seat]
        if x.leader or not self.at_hand(seat) or not follows and self.off_suit == "nothing":  # NBQ-7, NB-K5, NBQ-4
            return set()
        found = set()
        for area, suit in self.suit_of.items():
            holder = self.owner.get(area)
            if suit != x.suit or holder == seat and self.own_area == "no" and self.stack == "no":
                continue
            if holder not in (None, seat) and (self.kick == "no" or self.charmont == "no_target" and self.guarded(seat, area)):
                continue
            found.add(area)
        return found

    def mark(self, seat, area):
        """NB-K1 to NB-K4, NBV-6."""
        if self.guarded(seat, area):
            return
        taken = min(self.on[area], 1) if self.take == "one" else self.on[area]
        self.on[area] -= taken
        self.stock[seat][self.suit_of[area]] += taken
        holder = self.owner.get(area)
        if holder == seat:
            if self.stack == "yes":
                self.height[area] += 1
        elif holder is not None and self.height[area] > 1 and self.kick_removes == "one":
            self.height[area] -= 1
        else:
            self.owner[area], self.height[area] = seat, 1

    # ------------------------------------------------------------ the duel

    def gain(self, seat, source, n):
        """NB-K-2: what the seat really gets."""
        n *= 2 if self.user("Samurai") == seat else 1
        self.vp[seat][source] += n
        return n

    def assistants(self, backing, duelist):
        for s, side in backing.items():
            if side == duelist:
                self.gain(s, "assist", self.table[s].printed if self.assist_points == "printed" else self.table[s].number)

    def settle(self, duelists, backing):
        """NB-D1 to NB-D8; who leads next."""
        if len(duelists) == 1:
            self.lone += 1
            self.gain(duelists[0], "duel", self.table[duelists[0]].number)
            return duelists[0]
        power = {d: self.table[d].number + sum(self.table[s].number for s, side in backing.items() if side == d) for d in duelists}
        lift = {d: self.lift(self.table[d], 1) for d in duelists}
        a, b = sorted(duelists, key=lambda d: (power[d], lift[d]), reverse=True)
        if power[a] == power[b] and (self.triangle_duel == "tie" or lift[a] == lift[b]):
            self.ties += 1
            if self.tie_assist == "number":
                for d in duelists:
                    self.assistants(backing, d)
            return {"same": self.start, "nearer": min(duelists, key=self.nearness), "clockwise": (self.start + 1) % self.n}[self.tie_next]
        got = self.gain(a, "duel", power[a] - power[b])
        self.gain(b, "duel", (got if self.samurai_half == "doubled" else power[a] - power[b]) // 2)
        self.assistants(backing, a)
        return a


def random_games(n, *, tribes, tiles, deck, hand_size, seed=0, **options):
    """Play n whole games at random, every hand filled up from a shuffled deck; how many decisions there were."""
    rng, decisions = random.Random(seed), 0
    for _ in range(n):
        game = Nyanbar(len(tribes), tribes=tribes, tiles=tiles, start=rng.randrange(len(tribes)), **options)
        play = game.play()
        asked = next(play)
        try:
            while True:
                if asked[0] == "deal":
                    rest = [c for c in deck if not any(c in hand for hand in game.hands)]
                    rng.shuffle(rest)
                    answer = [sorted(hand) + [rest.pop() for _ in range(hand_size - len(hand))] for hand in game.hands]
                else:
                    answer = rng.choice(tuple(asked[2]))
                    decisions += 1
                asked = play.send(answer)
        except StopIteration:
            pass
    return decisions

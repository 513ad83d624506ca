"""What lies on the table in a trick, and what follows from it: who duels, who acts when, who may mark what."""

from workbench.core.vocabulary import NONE, cite, reading, rule, seats, piece, steps_from

NO_TRIANGLE, TRIANGLE_LOWER, TRIANGLE_FIRST = (
    reading("triangle", "none"), reading("triangle", "lower"), reading("triangle", "first"))
BY_PRINTED = reading("act_order", "printed")
OFF_SUIT_NOTHING, OWN_AREA_NO = reading("off_suit", "nothing"), reading("own_area", "no")
NO_STACK, NO_KICK, NO_TARGET = reading("stack", "no"), reading("kick", "no"), reading("charmont", "no_target")
POINTS_PRINTED, HALF_OF_DOUBLED = reading("assist_points", "printed"), reading("samurai_half", "doubled")
LEADER_ALONE = reading("leader_alone", "alone")
SAMURAI, CHARMONT = piece("tribe", "Samurai"), piece("tribe", "Charmont")
NB_D2, NB_D3, NB_D5, NB_D7 = rule("NB-D2"), rule("NB-D3"), rule("NB-D5"), rule("NB-D7")


# ---------------------------------------------------------------- what was played


def suit(p, card):
    return p.card_suit[card]


def number(p, card):
    return p.card_number[card]


def printed(p, s, who):
    """The number on what the player has played."""
    return p.leader_number if s.leader_by == who else number(p, s.played[who])


def number_of(p, s, who):
    """The number of what the player has played, cubes included (NB-E1)."""
    return printed(p, s, who) + s.boost[who]


def triangles(p, s, who):
    """NBV-3: how many ▲ the played card shows."""
    if p.triangle == NO_TRIANGLE or s.leader_by == who:
        return 0
    return p.card_copy[s.played[who]]


def follows(s, who):
    """Whether the player's card is of the lead suit; a leader card is of no suit (NBQ-7)."""
    return s.counts_as[who] == s.lead


# ---------------------------------------------------------------- who duels


def triangle_up(p, s, who):
    """NBV-3: how far ▲ raises a card above another of its number in a duel."""
    return -triangles(p, s, who) if p.triangle == TRIANGLE_LOWER else triangles(p, s, who)


def duel_rank(p, s, who):
    """NB-J3: the higher number, then ▲ (NBV-3), then who sits nearer the start player clockwise (NBQ-10)."""
    return (4 * number_of(p, s, who) + triangle_up(p, s, who)) * 4 + 3 - steps_from(s, s.starter, who)


def highest_follower(p, s, but):
    """Who has the highest card of the lead suit, leaving out one player; NONE if nobody has any."""
    best = NONE
    rank = 0
    for who in seats(s):
        if who != but and follows(s, who) and (best == NONE or duel_rank(p, s, who) > rank):
            best = who
            rank = duel_rank(p, s, who)
    return best


def pick_duelists(p, s):
    """NB-J3, NB-J4, NBQ-8, NBQ-9: the leader card and the highest of the lead suit, else the two highest, else the lead alone."""
    if s.leader_by == NONE:
        s.duelist[0] = highest_follower(p, s, NONE)
        s.duelist[1] = highest_follower(p, s, s.duelist[0])
        return
    s.duelist[0] = s.leader_by
    s.duelist[1] = highest_follower(p, s, NONE)
    if p.leader_alone == LEADER_ALONE and highest_follower(p, s, s.duelist[1]) == NONE:
        s.duelist[1] = NONE


def duels(s, who):
    return s.duelist[0] == who or s.duelist[1] == who


# ---------------------------------------------------------------- who acts, and how


def act_rank(p, s, who):
    """NB-J5, NBQ-18: the lower number acts first, then ▲ (NBV-3), then who sits nearer the start player clockwise."""
    height = 4 * (printed(p, s, who) if p.act_order == BY_PRINTED else number_of(p, s, who))
    if p.triangle == TRIANGLE_LOWER or p.triangle == TRIANGLE_FIRST:
        height -= triangles(p, s, who)
    else:
        height += triangles(p, s, who)
    return height * 4 + steps_from(s, s.starter, who)


def next_to_act(p, s):
    """Of those who still have to act, the one with the lowest number; NONE if all have acted."""
    best = NONE
    rank = 0
    for who in seats(s):
        if s.to_act[who] and (best == NONE or act_rank(p, s, who) < rank):
            best = who
            rank = act_rank(p, s, who)
    return best


def shut_out(p, s, who):
    """NB-J2, NBQ-4: whether the player is off suit and this means doing nothing at all."""
    return p.off_suit == OFF_SUIT_NOTHING and not follows(s, who)


def may_assist(p, s, who):
    """NB-A1, NB-A2, NB-J6: whether there is a duel of two in which the player may take a side."""
    return s.leader_by == NONE and follows(s, who) and s.duelist[1] != NONE


def protected(s, who):
    """NB-K-4: areas that a skill keeps for others in this trick."""
    for other in seats(s):
        if other != who and s.skilled[other] and s.tribe[other] == CHARMONT:
            return s.owned[other]
    return 0


def targets(p, s, who):
    """NB-K1, NB-K5, NBQ-15, NBQ-16, NB-K-4, NBV-4: the areas that the player may mark."""
    mine = s.counts_as[who]
    if mine == NONE or s.markers[who] == 0 or shut_out(p, s, who):
        return 0
    found = s.coloured[mine]
    if p.own_area == OWN_AREA_NO and p.stack == NO_STACK:
        found &= ~s.owned[who]
    if p.kick == NO_KICK:
        found &= s.free | s.owned[who]
    if p.charmont == NO_TARGET:
        found &= ~protected(s, who)
    return found


# ---------------------------------------------------------------- what the duel brings


def strength(p, s, duelist):
    """NB-D1: the duelist's own number and those of the players who assist."""
    total = number_of(p, s, duelist)
    for who in seats(s):
        if s.backs[who] == duelist:
            total += number_of(p, s, who)
    return total


def doubled(s, who, n):
    """NB-K-2, NBQ-37: what a player really gets in a trick."""
    return 2 * n if s.skilled[who] and s.tribe[who] == SAMURAI else n


def gain(s, who, n):
    s.points[who] += n
    s.gained[who] += n


def reward_lone(p, s, who):
    """NB-D7: who stands alone gets their own number."""
    n = doubled(s, who, number_of(p, s, who))
    gain(s, who, n)
    s.duel_points[who] += n
    cite(NB_D7, who, n)


def reward_winner(s, winner, difference):
    """NB-D2: the difference for the winner; what it really was."""
    n = doubled(s, winner, difference)
    gain(s, winner, n)
    s.duel_points[winner] += n
    cite(NB_D2, winner, n)
    return n


def reward_loser(p, s, loser, difference, winners):
    """NB-D3, NBQ-36: half of the difference, or of what the winner really got, rounded down."""
    n = doubled(s, loser, (winners if p.samurai_half == HALF_OF_DOUBLED else difference) // 2)
    gain(s, loser, n)
    s.duel_points[loser] += n
    cite(NB_D3, loser, n)


def reward_assistants(p, s, duelist):
    """NB-D5, NBQ-19: the number that they played, for each who assisted this duelist."""
    for who in seats(s):
        if s.backs[who] == duelist:
            n = doubled(s, who, printed(p, s, who) if p.assist_points == POINTS_PRINTED else number_of(p, s, who))
            gain(s, who, n)
            s.assist_points[who] += n
            cite(NB_D5, who, n)

"""What a hand is worth: base points, the eight omertas (OM-O1 to OM-O8) and the author's proposals for them."""

from workbench.core.vocabulary import NONE, cite, left_of, reading, rule, seats, steps_from

from .cards import number

TOTAL_ZERO, ONLY_CURTAIN = reading("eliminated_total", "total_zero"), reading("eliminated_omerta", "only_curtain")
BY_PLAYED, BY_SURVIVORS = reading("position", "played"), reading("position", "survivors")
WHOLE_MATCH_LOST, WHOLE_MATCH_PEACE = reading("curtain_loss", "match"), reading("peace_scope", "match")
FOUR_FAILED = reading("four_and_four", "failed")
FLAT, PEACE_WINS = reading("base", "flat"), reading("peace", "win_match")
FOUR_NOTHING, FOUR_ALL = reading("omerta4", "none"), reading("omerta4", "failed_all")

OM_V1, OM_V2, OM_X1 = rule("OM-V1"), rule("OM-V2"), rule("OM-X1")
OM_O1, OM_O2, OM_O3, OM_O4 = rule("OM-O1"), rule("OM-O2"), rule("OM-O3"), rule("OM-O4")
OM_O5, OM_O6, OM_O7, OM_O8 = rule("OM-O5"), rule("OM-O6"), rule("OM-O7"), rule("OM-O8")
OMV_1A, OMV_1B, OMV_3, OMV_4 = rule("OMV-1a"), rule("OMV-1b"), rule("OMV-3"), rule("OMV-4")
OMQ_15 = rule("OMQ-15")


def somebody_out(s):
    for who in seats(s):
        if s.out[who]:
            return True
    return False


def omerta_of(s, who):
    return number(s.revealed[who])


def place(s, who):
    """The place in the final round's play order, from 1."""
    return steps_from(s, s.leader, who) + 1


def base_points(p, s, who):
    """OM-V1, OM-V2 or OMV-4: points before the omertas."""
    if s.out[who]:
        cite(OM_V1, who, p.eliminated_points)
        return p.eliminated_points
    if p.base == FLAT:
        points = p.base_points
        if s.played[who] != NONE:
            points += p.played_bonus
        cite(OMV_4, who, points)
        return points
    points = order_points(p, s, who)
    cite(OM_V2, who, points)
    return points


def order_points(p, s, who):
    points = place(s, who)
    if p.position == BY_PLAYED and s.played[who] == NONE:
        return 0
    if p.position == BY_PLAYED or p.position == BY_SURVIVORS:
        for other in seats(s):
            if place(s, other) < place(s, who) and s.out[other]:
                points -= 1
    return points


def omerta_points(p, s, who):
    mine = omerta_of(s, who)
    if s.out[who]:
        if p.eliminated_total == TOTAL_ZERO:
            return 0
        if mine != 7 and p.eliminated_omerta == ONLY_CURTAIN:
            cite(OM_X1, who)
            return 0
    if mine == 1:
        return peace(p, s, who)
    if mine == 2:
        return assassination(p, s, who)
    if mine == 3:
        return conspiracy(p, s, who)
    if mine == 4:
        return omerta_four(p, s, who)
    if mine == 5:
        return domination(p, s, who)
    if mine == 6:
        return hero(p, s, who)
    if mine == 7:
        return curtain(p, s, who)
    return prophecy(p, s, who)


def peace_holds(p, s):
    return s.drops == 0 if p.peace_scope == WHOLE_MATCH_PEACE else not somebody_out(s)


def peace(p, s, seat):
    """OM-O1: points if nobody was eliminated. With OMV-3 it wins the match instead."""
    if not peace_holds(p, s):
        return 0
    if p.peace == PEACE_WINS:
        s.winner[seat] = 1
        cite(OMV_3, seat)
        return 0
    cite(OM_O1, seat, p.peace_per_player * s.players)
    return p.peace_per_player * s.players


def assassination(p, s, seat):
    """OM-O2: points if the left neighbour was eliminated."""
    if not s.out[left_of(s, seat)]:
        return 0
    cite(OM_O2, seat, p.assassination_points)
    return p.assassination_points


def conspiracy(p, s, seat):
    """OM-O3: points if some other player was eliminated."""
    for other in seats(s):
        if other != seat and s.out[other]:
            cite(OM_O3, seat, p.conspiracy_points)
            return p.conspiracy_points
    return 0


def omerta_four(p, s, seat):
    """OM-O4: nothing; with OMV-1a or OMV-1b points for each other player's failed omerta."""
    if p.omerta4 == FOUR_NOTHING:
        cite(OM_O4, seat)
        return 0
    points = 0
    for other in seats(s):
        if other != seat and failed(p, s, other) and (p.omerta4 == FOUR_ALL or not s.out[other]):
            points += p.omerta4_points
    if p.omerta4 == FOUR_ALL:
        cite(OMV_1A, seat, points)
    else:
        cite(OMV_1B, seat, points)
    return points


def failed(p, s, who):
    """Whether an omerta counts as failed for a 4: it brought nothing. Another 4 fails only if OMV-1 is read so."""
    mine = omerta_of(s, who)
    if mine == 4:
        return p.four_and_four == FOUR_FAILED
    if mine == 7:
        return not s.out[who]
    if mine == 1:
        return not peace_holds(p, s) or bool(s.out[who])
    return s.bonus[who] <= 0


def domination(p, s, seat):
    """OM-O5: points for the start player of the final round."""
    if s.leader != seat:
        return 0
    cite(OM_O5, seat, p.domination_points)
    return p.domination_points


def hero(p, s, seat):
    """OM-O6: points for the single highest card of the final round."""
    mine = s.played[seat]
    if mine == NONE:
        return 0
    for other in seats(s):
        if other != seat and s.played[other] != NONE and number(s.played[other]) >= number(mine):
            return 0
    cite(OM_O6, seat, p.hero_points)
    return p.hero_points


def curtain(p, s, seat):
    """OM-O7: points for being eliminated; what is lost otherwise, ``hand_points`` takes."""
    if not s.out[seat]:
        return 0
    cite(OM_O7, seat, p.curtain_points)
    return p.curtain_points


def prophecy(p, s, seat):
    """OM-O8: points if the card of the final round has the round's number."""
    if s.played[seat] == NONE or number(s.played[seat]) != s.round:
        return 0
    cite(OM_O8, seat, s.round * p.prophecy_per_round)
    return s.round * p.prophecy_per_round


def hand_points(p, s, who):
    if s.out[who] and p.eliminated_total == TOTAL_ZERO:
        return 0
    total = s.base[who] + s.bonus[who]
    if omerta_of(s, who) == 7 and not s.out[who]:
        if p.curtain_loss == WHOLE_MATCH_LOST:
            cite(OMQ_15, who, total + s.points[who])
            return -s.points[who]
        cite(OMQ_15, who, total)
        return 0
    return total

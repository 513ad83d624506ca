"""The map: which areas it has, what they show, which lie side by side, and what lies on them.

Areas r1c1 to r4c8 are numbered row by row, eight to a row; m1 to m4 are the middles of tiles with five areas.
"""

from workbench.core.vocabulary import NONE, bit, cards, count, holds, reading, seats

MAP_ROW, MAP_TWO = reading("map3", "row"), reading("map3", "two")
STRIP = reading("tile_shape", "strip")
WITHIN_TILE, CORNERS_TOO = reading("neighbours", "tile"), reading("neighbours", "corners")
ONE_COLOUR_EACH = reading("cube_colours", "coloured")
LARGEST_GROUP, TOUCHING_PAIRS = reading("majority", "largest"), reading("majority", "pairs")

CELLS, GRID = 32, 0xFFFFFFFF
CLOCKWISE = (0, 1, 9, 8)
SQUARES_AT, STRIPS_AT = (0, 2, 16, 18), (0, 4, 8, 12)
NOT_FIRST_COLUMN, SECOND_HALVES, NOT_FIRST_OF_FOUR = 0xFEFEFEFE, 0xAAAAAAAA, 0xEEEEEEEE
LOWER_HALVES = 0xFF00FF00


# ---------------------------------------------------------------- the layout


def tiles_in_use(p, s):
    """NB-S2, NBQ-1: as many tiles as players; two where three players lay them 2×1."""
    return 2 if s.players == 3 and p.map3 == MAP_TWO else s.players


def corner(p, s, slot, k):
    """The area at a tile's corner ``k``, clockwise from its north-west; of a strip (NBQ-2) the ``k``-th from the left."""
    in_a_row = s.players == 3 and p.map3 == MAP_ROW
    if p.tile_shape == STRIP:
        return (8 * slot if in_a_row else STRIPS_AT[slot]) + k
    return (2 * slot if in_a_row else SQUARES_AT[slot]) + CLOCKWISE[k]


def corners(p, s, slot):
    """The four areas of a tile, without its middle."""
    return bit(corner(p, s, slot, 0)) | bit(corner(p, s, slot, 1)) | bit(corner(p, s, slot, 2)) | bit(corner(p, s, slot, 3))


def layout(p, s):
    """All areas of the map."""
    found = 0
    for slot in range(tiles_in_use(p, s)):
        found |= corners(p, s, slot)
        if p.areas_per_tile == 5:
            found |= bit(CELLS + slot)
    return found


def suit_on(p, tile, k):
    """The suit that a tile shows at its corner ``k``, or in its middle (4)."""
    if k == 0:
        return p.tile_nw[tile]
    if k == 1:
        return p.tile_ne[tile]
    if k == 2:
        return p.tile_se[tile]
    return p.tile_sw[tile] if k == 3 else p.tile_middle[tile]


def colour_tile(p, s, slot):
    """NB-C6: the areas of a laid tile take the colours that it shows, as it is turned."""
    tile = s.laid[slot]
    for k in range(4):
        if p.tile_shape == STRIP:
            shown = 3 - k if s.angle[slot] > 0 else k
        else:
            shown = (k + 4 - s.angle[slot]) & 3
        colour(s, corner(p, s, slot, k), suit_on(p, tile, shown))
    if p.areas_per_tile == 5:
        colour(s, CELLS + slot, suit_on(p, tile, 4))


def colour(s, area, suit):
    s.colour[area] = suit
    s.coloured[suit] |= bit(area)


# ---------------------------------------------------------------- side by side


def columns_that_join(p):
    """The areas that count as beside the one on their left (NBQ-34)."""
    if p.neighbours != WITHIN_TILE:
        return NOT_FIRST_COLUMN
    return NOT_FIRST_OF_FOUR if p.tile_shape == STRIP else SECOND_HALVES


def rows_that_join(p):
    """The areas that count as beside the one above them (NBQ-34)."""
    if p.neighbours != WITHIN_TILE:
        return GRID
    return 0 if p.tile_shape == STRIP else LOWER_HALVES


def beside(p, s, areas):
    """NBQ-34: every area that touches one of these."""
    on_grid = areas & GRID
    across, down = columns_that_join(p), rows_that_join(p)
    level = on_grid << 1 & across | (on_grid & across) >> 1
    reach = level | on_grid if p.neighbours == CORNERS_TOO else on_grid
    found = level | reach << 8 & down | (reach & down) >> 8
    if p.areas_per_tile == 5:
        for slot in range(tiles_in_use(p, s)):
            if holds(areas, CELLS + slot):
                found |= corners(p, s, slot)
            if areas & corners(p, s, slot):
                found |= bit(CELLS + slot)
    return found


def touching_pairs(p, s, areas):
    """How many pairs of these areas touch."""
    pairs = 0
    for area in cards(areas):
        pairs += count(beside(p, s, bit(area)) & areas)
    return pairs // 2


def largest_group(p, s, areas):
    """How many areas the largest connected group of these has; 0 if none touch."""
    best = 0
    while areas:
        group = areas & -areas
        grown = group
        while True:
            grown = (group | beside(p, s, group)) & areas
            if grown == group:
                break
            group = grown
        best = max(best, count(group))
        areas ^= group
    return best if best > 1 else 0


def connected(p, s, areas):
    """NB-B2, NBQ-33: how many of these areas are connected."""
    if p.majority == LARGEST_GROUP:
        return largest_group(p, s, areas)
    if p.majority == TOUCHING_PAIRS:
        return touching_pairs(p, s, areas)
    return count(areas & beside(p, s, areas))


# ---------------------------------------------------------------- cubes and markers


def supply_of(p, s, suit):
    """How many cubes are left for areas of a suit; only where cubes have colours of their own (NBQ-3) does the suit matter."""
    if p.cube_colours != ONE_COLOUR_EACH:
        return s.supply
    left = (p.cubes + 2 - suit) // 3 - s.gone[suit]
    for area in cards(s.coloured[suit]):
        left -= s.cubes[area]
    for who in seats(s):
        left -= s.stock[who][suit]
    return left


def add_cubes(p, s, areas):
    """One cube more on each of these areas, as long as the supply lasts; how many were added."""
    added = 0
    for area in cards(areas):
        if supply_of(p, s, s.colour[area]) > 0:
            s.cubes[area] += 1
            s.supply -= 1
            added += 1
    return added


def cubes_of(s, who):
    """How many cubes a player has."""
    return s.stock[who][0] + s.stock[who][1] + s.stock[who][2]


def give_area(s, area, who):
    """The area is nobody else's any more."""
    old = s.owner[area]
    if old == NONE:
        s.free ^= bit(area)
    else:
        s.owned[old] ^= bit(area)
    s.owned[who] |= bit(area)
    s.owner[area] = who


def clear_map(p, s):
    """Every marker goes back to its owner."""
    for who in seats(s):
        s.markers[who] = p.markers
        for area in cards(s.owned[who]):
            s.owner[area] = NONE
            s.extra[area] = 0
        s.free |= s.owned[who]
        s.owned[who] = 0

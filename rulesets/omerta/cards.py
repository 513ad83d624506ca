"""The crew cards as numbers: eight of each suit, suit by suit."""


def suit(card):
    return card >> 3


def number(card):
    return (card & 7) + 1


def of_suit(family):
    return 0xFF << 8 * family


def above(n):
    """The cards of every suit with a number higher than n."""
    return (0xFF << n & 0xFF) * 0x01010101

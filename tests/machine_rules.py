"""Functions in the language of compiled rules, for ``test_machine``; apart, since pytest rewrites a test's own assertions."""

from workbench.core.loops import copy_state
from workbench.core.vocabulary import below, cards, count, holds, lowest, mix, new_row, nth, shuffle

STEPS, GRID, HALVES = (3, -1, 4, 0), ((1, 2), (3, 4), (5, 6)), (0.5, 1.5)


def arithmetic(a, b):
    c = b if b else 3
    return (a // c) * 7 + a % c + (a - b) * 2 + (a ^ b) - (a & b) + (a | ~b) + abs(a) + min(a, b, 5) - max(a, -b) + -a + +b


def powers(a, b):
    return a // 8 + a % 8 * 100 + (a >> 3) + ((b & 31) << 4) + (a & 7) ** 3 + 2 ** 5


def truths(a, b):
    x = a < b <= 10 or a == b and not b != 3
    y = (a or b) + (a and b) + (b > 0) + (a in (1, 2, -3)) + (b not in STEPS)
    return (y if x else -y) + bool(a) + int(a > b) + (True if a > 5 else b) + (a != b and 4)


def floats(a, b):
    x = a / (b if b else 2) + 0.5
    y = 1
    if a > 0:
        y = x * 2.0 - b
    x += HALVES[1] - y if y < 1e15 else abs(y)
    return int(max(min(x, 1e9), -1e9)) + (x > 3.5) + (0 if x else 1)


def several(a, b):
    a, b = b, a
    low, high = pair(a, b)
    x, y, z, w = STEPS
    return (low * 3 + high) * 5 + x + y * z + w


def pair(a, b):
    return (a, b) if a < b else (b, a)


def loops(a, b):
    total = 0
    for i in range(a % 7):
        if i == 5:
            break
        if i == 2:
            continue
        total += i * b
    for i in range(10, a % 4, -3):
        total -= i
    for i in range(2, b % 9):
        total ^= i
    n = a % 50
    while n > 0:
        n -= 3
        if n == 7:
            break
    while True:
        n += 1
        if n > 4:
            return total + n + 100 * i_of(a)


def i_of(a):
    found = -1
    for x in STEPS:
        if x == a:
            found = x
    for first, second in GRID:
        found += first * second
    return found


def sets(a, b):
    total = count(a & 1023)
    for card in cards((a ^ b) & 65535):
        total = total * 3 + card
        if total > 10**6:
            break
    hand = a & 255 | 1 << b % 60
    return total + lowest(hand) + nth(hand, count(hand) - 1) * 64 + holds(hand, 3) + mix(a, b) % 1000 + below(mix(b, a), 9)


def rows(a, b):
    row, other, letters = new_row(a % 9 + 3), [0] * 5, [a, b, 3]
    row[a % 3] = b
    other[-1] = 7
    shuffle(row, len(row), a)
    for i in range(len(letters)):
        other[i] += letters[i] * GRID[i][1]
    return row[0] + row[2] * 3 + other[4] + other[1] - max(other) + min(letters) + (1 if row else 0) + len(other)


def given_by_name(a, b):
    return named(b, second=a) + named(a) + named(first=a, second=b)


def named(first, second=4):
    return first * 10 - second


def variables_named_like_words(a, b):
    count = a
    seats = count if a > b else b
    return seats - count


def fields(s, t, i):
    s.n += 1
    s.row[i] = s.n * 2 - s.row[1]
    s.grid[i % 3][1] ^= 5
    s.big = s.big * 3 + s.grid[2][0]
    s.ratio = s.row[i] / 4
    wiped = s.row if i > 1 else s.row
    wiped[0] = -1
    t.n = s.n
    for x in s.row:
        t.big += x
    return t.big + len(s.grid) + s.players


def records(all, i):
    copy_state(all[0], all[i])
    return len(all)


def divides(a, b):
    return a // b + a % (b + 1)


def asserts(a, b):
    assert a < b
    return b


def reaches(a, b):
    return STEPS[a]


def long_row(a, b):
    return len(new_row(a))

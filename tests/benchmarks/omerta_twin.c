/* Omerta, draft 6, single hands under uniformly random play: the speed yardstick.
 *
 * One hand = deal, an omerta choice by each seat, a random start player, up to
 * seven rounds, scoring.  A card is bit suit*8 + number-1 of a mask.
 *
 * Build:  cc -std=c11 -O3 -o omerta_twin omerta_twin.c
 * Usage:  omerta_twin [hands [players [seed]]], prints one line of JSON
 */
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_PLAYERS = 4, HAND = 8, ROUNDS = 7, NOBODY = -1 };
enum { PEACE = 1, ASSASSINATION, CONSPIRACY, FOUR, DOMINATION, HERO, CURTAIN, PROPHECY };

/* splitmix64 */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number below bound; the bias is below bound / 2^32. */
static inline unsigned draw(uint64_t *state, unsigned bound)
{
    return (unsigned)(((next_random(state) >> 32) * bound) >> 32);
}

/* The index of the lowest set bit. */
static inline int lowest_bit(uint64_t mask)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(mask);
#else
    int index = 0;
    while (!(mask >> index & 1))
        index++;
    return index;
#endif
}

static inline int number_of(int card) { return (card & 7) + 1; }

/* All cards of one card's suit. */
static inline uint64_t suit_of(int card) { return (uint64_t)0xff << (card & ~7); }

/* All cards above a number, in every suit. */
static inline uint64_t above(int number)
{
    return (((uint64_t)0xff << number) & 0xff) * 0x01010101u;
}

/* Everything that scoring looks at once a hand is over. */
struct hand {
    int omerta[MAX_PLAYERS];  /* numbers of the face-down cards */
    int card[MAX_PLAYERS];    /* numbers played in the final round, 0 if none */
    int leader;               /* of the final round */
    int round;                /* the final round */
    int out;                  /* the eliminated seat, or NOBODY */
};

struct totals {
    uint64_t moves, eliminations;
    uint64_t vp[MAX_PLAYERS];
    uint64_t vp_by_omerta[9], chosen[9];
};

/* Deal and play one hand; return the decisions made. */
static inline int play(int players, uint64_t *rng, struct hand *hand)
{
    uint8_t deck[MAX_PLAYERS * HAND];
    uint64_t cards[MAX_PLAYERS];
    int moves = players;

    for (int i = 0; i < players * HAND; i++)
        deck[i] = (uint8_t)i;
    for (int i = players * HAND - 1; i > 0; i--) {
        int j = (int)draw(rng, (unsigned)i + 1);
        uint8_t swap = deck[i];
        deck[i] = deck[j];
        deck[j] = swap;
    }
    for (int seat = 0; seat < players; seat++) {
        const uint8_t *dealt = deck + seat * HAND;
        uint64_t mask = 0;
        for (int i = 0; i < HAND; i++)
            mask |= (uint64_t)1 << dealt[i];
        int omerta = dealt[draw(rng, HAND)];
        hand->omerta[seat] = number_of(omerta);
        cards[seat] = mask & ~((uint64_t)1 << omerta);
    }

    int leader = (int)draw(rng, (unsigned)players);
    hand->out = NOBODY;
    for (int round = 1; round <= ROUNDS; round++) {
        uint64_t family = ~(uint64_t)0;  /* the leader may play anything */
        int highest = 0, lowest = 9, lowest_seat = leader;

        hand->round = round;
        hand->leader = leader;
        for (int seat = 0; seat < MAX_PLAYERS; seat++)
            hand->card[seat] = 0;
        for (int turn = 0, seat = leader; turn < players; turn++) {
            uint64_t legal = cards[seat] & (family | above(highest));
            int options[HAND], count = 0;

            moves++;
            if (!legal) {
                hand->out = seat;
                return moves;
            }
            for (; legal; legal &= legal - 1)
                options[count++] = lowest_bit(legal);
            int card = options[draw(rng, (unsigned)count)];
            int number = number_of(card);

            cards[seat] &= ~((uint64_t)1 << card);
            hand->card[seat] = number;
            if (turn == 0)
                family = suit_of(card);
            if (number > highest)
                highest = number;
            if (number < lowest) {
                lowest = number;
                lowest_seat = seat;
            }
            if (++seat == players)
                seat = 0;
        }
        leader = lowest_seat;
    }
    return moves;
}

/* The VP of one seat; highest is the final round's highest number, held by
 * highest_count cards. */
static inline int score(int players, const struct hand *hand, int seat, int highest,
                 int highest_count)
{
    int out = hand->out;
    int base = (seat - hand->leader + players) % players + 1;
    int number = hand->card[seat];

    if (seat == out)
        return hand->omerta[seat] == CURTAIN ? 3 : 0;
    switch (hand->omerta[seat]) {
    case PEACE:
        return base + (out == NOBODY ? players : 0);
    case ASSASSINATION:
        return base + (out == (seat + 1) % players ? 2 : 0);
    case CONSPIRACY:
        return base + (out != NOBODY ? 1 : 0);
    case DOMINATION:
        return base + (seat == hand->leader ? 1 : 0);
    case HERO:
        return base + (number == highest && highest_count == 1 ? 2 : 0);
    case CURTAIN:
        return 0;
    case PROPHECY:
        return base + (number == hand->round ? hand->round : 0);
    default: /* FOUR */
        return base;
    }
}

static inline void run(uint64_t hands, int players, uint64_t seed, struct totals *totals)
{
    uint64_t rng = seed;
    struct hand hand;

    for (uint64_t n = 0; n < hands; n++) {
        int highest = 0, highest_count = 0;

        totals->moves += (uint64_t)play(players, &rng, &hand);
        totals->eliminations += hand.out != NOBODY;
        for (int seat = 0; seat < players; seat++) {
            if (hand.card[seat] > highest) {
                highest = hand.card[seat];
                highest_count = 0;
            }
            highest_count += hand.card[seat] == highest;
        }
        for (int seat = 0; seat < players; seat++) {
            uint64_t vp = (uint64_t)score(players, &hand, seat, highest, highest_count);
            totals->vp[seat] += vp;
            totals->vp_by_omerta[hand.omerta[seat]] += vp;
            totals->chosen[hand.omerta[seat]]++;
        }
    }
}

static void print_list(const char *name, const uint64_t *values, int count)
{
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++)
        printf("%s%" PRIu64, i ? ", " : "", values[i]);
    printf("]");
}

int main(int argc, char **argv)
{
    uint64_t hands = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    int players = argc > 2 ? atoi(argv[2]) : 4;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    struct totals totals = {0};
    struct timespec start, stop;

    if (hands == 0 || (players != 3 && players != 4)) {
        fprintf(stderr, "usage: %s [hands [players (3 or 4) [seed]]]\n", argv[0]);
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    /* Two calls, so that the compiler can specialise the loop for each count. */
    if (players == 3)
        run(hands, 3, seed, &totals);
    else
        run(hands, 4, seed, &totals);
    clock_gettime(CLOCK_MONOTONIC, &stop);

    printf("{\"hands\": %" PRIu64 ", \"players\": %d, \"moves\": %" PRIu64
           ", \"seconds\": %.6f, \"eliminations\": %" PRIu64,
           hands, players, totals.moves,
           (double)(stop.tv_sec - start.tv_sec) + (double)(stop.tv_nsec - start.tv_nsec) * 1e-9,
           totals.eliminations);
    print_list("vp", totals.vp, players);
    print_list("vp_by_omerta", totals.vp_by_omerta, 9);
    print_list("times_chosen", totals.chosen, 9);
    printf("}\n");
    return 0;
}

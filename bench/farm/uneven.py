#!/usr/bin/env python3
"""uneven.py: how unequal shares of every N-th frame are, if frames differ in size. Prints, for a show of 20,000 frames
made up at random, the bytes of the largest share over those of the mean one, the most of 200 shows.

A shot's frames are alike (10 % apart). Shots of 40 to 240 frames differ: one in twenty has 4.4 times the median. The
last column has shares of as many frames in a row."""
import random

FRAMES, SHOWS, SHOT, SIGMA, WITHIN = 20_000, 200, 120, 0.9, 0.1


def show(dice):
    """Returns the size of each frame."""
    sizes = []
    while len(sizes) < FRAMES:
        mean = dice.lognormvariate(0, SIGMA)
        sizes += [mean * dice.gauss(1, WITHIN) for _ in range(dice.randint(SHOT // 3, 2 * SHOT))]
    return sizes[:FRAMES]


def largest(shares):
    sums = [sum(share) for share in shares]
    return max(sums) * len(sums) / sum(sums)


def main():
    dice = random.Random(1)
    shows = [show(dice) for _ in range(SHOWS)]
    print("| shares | every N-th frame | frames in a row |\n|---|---|---|")
    for n in (2, 8, 32, 100, 500):
        row = FRAMES // n
        nth = max(largest([sizes[i::n] for i in range(n)]) for sizes in shows)
        rows = max(largest([sizes[i * row:(i + 1) * row] for i in range(n)]) for sizes in shows)
        print(f"| {n} | {nth:.3f} | {rows:.2f} |")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes alignment.fa: sequences of letters that descend from one another."""

import random

LETTERS = "ACGT"
SPECIES, LENGTH, CHANGES = 14, 120, 8


def changed(draw, sequence):
    letters = list(sequence)
    for _ in range(CHANGES):
        letters[draw.randrange(LENGTH)] = draw.choice(LETTERS)
    return "".join(letters)


def main():
    draw = random.Random(1)
    family = ["".join(draw.choice(LETTERS) for _ in range(LENGTH))]
    while len(family) < SPECIES:
        family.append(changed(draw, draw.choice(family)))
    with open("alignment.fa", "w") as file:
        file.writelines(f">s{number}\n{sequence}\n" for number, sequence in enumerate(family))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small inputs for programs of biology: alignment.fa, sequences that descend from one another, and
reads.fa, pieces of one random genome."""

import random

LETTERS = "ACGT"
SPECIES, LENGTH, CHANGES = 14, 120, 8
GENOME, READ, COVERAGE = 1500, 60, 10


def changed(draw, sequence):
    letters = list(sequence)
    for _ in range(CHANGES):
        letters[draw.randrange(LENGTH)] = draw.choice(LETTERS)
    return "".join(letters)


def write(path, sequences):
    with open(path, "w") as file:
        file.writelines(f">s{number}\n{sequence}\n" for number, sequence in enumerate(sequences))


def main():
    draw = random.Random(1)
    random_letters = lambda length: "".join(draw.choice(LETTERS) for _ in range(length))
    family = [random_letters(LENGTH)]
    while len(family) < SPECIES:
        family.append(changed(draw, draw.choice(family)))
    write("alignment.fa", family)
    genome = random_letters(GENOME)
    starts = [draw.randrange(GENOME - READ) for _ in range(GENOME * COVERAGE // READ)]
    write("reads.fa", [genome[start : start + READ] for start in starts])


main()

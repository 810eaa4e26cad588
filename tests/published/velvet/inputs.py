#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes reads.fa: pieces of one random genome, of which some letters are wrong."""

import random

LETTERS = "ACGT"
GENOME, READ, COVERAGE, WRONG = 4000, 60, 12, 0.01


def read(draw, genome):
    start = draw.randrange(GENOME - READ)
    return "".join(draw.choice(LETTERS) if draw.random() < WRONG else letter for letter in genome[start : start + READ])


def main():
    draw = random.Random(1)
    genome = "".join(draw.choice(LETTERS) for _ in range(GENOME))
    with open("reads.fa", "w") as file:
        file.writelines(f">s{number}\n{read(draw, genome)}\n" for number in range(GENOME * COVERAGE // READ))


main()

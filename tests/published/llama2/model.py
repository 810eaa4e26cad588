#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small language model of random weights in llama2.c's format: model.py FILE."""

import array
import random
import struct
import sys

WIDTH, HIDDEN, LAYERS, HEADS, WORDS, LENGTH = 64, 128, 2, 4, 32000, 256


def main():
    draw = random.Random(1)
    layer = WIDTH + 4 * WIDTH * WIDTH + WIDTH + 3 * WIDTH * HIDDEN
    count = WORDS * WIDTH + LAYERS * layer + WIDTH + LENGTH * (WIDTH // HEADS)
    weights = array.array("f", (draw.gauss(0, 0.3) for _ in range(count)))
    with open(sys.argv[1], "wb") as file:
        file.write(struct.pack("7i", WIDTH, HIDDEN, LAYERS, HEADS, HEADS, WORDS, LENGTH))
        weights.tofile(file)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random walks, by Monte Carlo: how far does a particle get? Nodes take batches from a common counter under a lock, so that a
fast node does more of them, and add what they have found to a common histogram under another.

    weft run -n 4 --binding python3 python/examples/walks.py [--batches 64] [--check]
"""

import argparse

import numpy as np

import weft

WALKS, STEPS = 2000, 400  # of a batch, and of a walk


def distances(batch):
    """Of the walks of a batch, which are the same wherever it is done."""
    steps = np.random.default_rng(batch).integers(0, 2, size=(WALKS, STEPS), dtype=np.int8)
    return np.abs(2 * steps.sum(axis=1, dtype=np.int64) - STEPS)


def histogram_of(found):
    return np.bincount(found, minlength=STEPS + 1)


def main():
    parser = argparse.ArgumentParser(description="Random walks")
    parser.add_argument("--batches", type=int, default=64)
    parser.add_argument("--check", action="store_true", help="compare with NumPy on one node")
    options = parser.parse_args()

    next_batch = weft.zeros(1, int)
    histogram = weft.zeros(STEPS + 1, int)
    counter, sums = weft.Lock("counter"), weft.Lock("sums")
    done, squares = 0, 0
    while True:
        with counter:
            batch = int(next_batch[0])
            next_batch[0] += 1
        if batch >= options.batches:
            break
        found = distances(batch)
        squares += int((found**2).sum())
        done += 1
        with sums:
            histogram += histogram_of(found)
    mean_square = weft.reduce(squares) / (options.batches * WALKS)
    shares = weft.gather(done)
    if weft.node() == 0:
        print(f"{options.batches} batches, {' + '.join(map(str, shares))} on the nodes: mean square distance {mean_square:.2f}, "
              f"expected {STEPS}")
        if options.check:
            expected = sum(histogram_of(distances(batch)) for batch in range(options.batches))
            assert np.array_equal(histogram, expected) and sum(shares) == options.batches, "not what NumPy computes"
            print("ok")


main()

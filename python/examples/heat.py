#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Heat spreads over a plate whose left edge is hot: each node relaxes its rows, and only rows at the edges of the nodes' parts
travel.

    weft run -n 4 --binding python3 python/examples/heat.py [--size 1000] [--steps 100] [--check]
"""

import argparse
import time

import numpy as np

import weft


def relax(old, new, rows):
    """One step of Jacobi's method: these rows of `new` are the averages of their neighbours in `old`."""
    first, end = max(rows.start, 1), min(rows.stop, len(old) - 1)
    new[first:end, 1:-1] = 0.25 * (old[first - 1:end - 1, 1:-1] + old[first + 1:end + 1, 1:-1]
                                   + old[first:end, :-2] + old[first:end, 2:])


def plain(size, steps):
    """The same with NumPy alone."""
    old, new = np.zeros((2, size, size))
    old[:, 0] = new[:, 0] = 100.0
    for _ in range(steps):
        relax(old, new, slice(0, size))
        old, new = new, old
    return old


def main():
    parser = argparse.ArgumentParser(description="Heat on a plate")
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="compare with NumPy on one node")
    options = parser.parse_args()

    old, new = weft.zeros((options.size, options.size)), weft.zeros((options.size, options.size))
    rows = weft.my_part(options.size)
    old[rows, 0] = new[rows, 0] = 100.0
    weft.barrier()
    begin = time.perf_counter()
    for _ in range(options.steps):
        relax(old, new, rows)
        weft.barrier()
        old, new = new, old
    seconds = time.perf_counter() - begin
    mean = weft.reduce(float(old[rows].sum())) / old.size
    if weft.node() == 0:
        print(f"{options.steps} steps on {weft.nodes()} nodes: {1000 * seconds:.0f} ms, mean temperature {mean:.6f}")
        if options.check:
            assert np.array_equal(old, plain(options.size, options.steps)), "not what NumPy computes"
            print("ok")


main()

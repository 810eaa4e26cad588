#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small inputs for Rodinia's programs, whose own are not in its repository: inputs.py DIRECTORY."""

import pathlib
import random
import sys


def graph(out, draw, nodes, degree):
    """Nodes with a first edge and a count each, the source, the edges with their costs."""
    lines = [str(nodes)] + [f"{node * degree} {degree}" for node in range(nodes)] + ["", "0", "", str(nodes * degree)]
    lines += [f"{draw.randrange(nodes)} {draw.randint(1, 9)}" for _ in range(nodes * degree)]
    (out / "graph.txt").write_text("\n".join(lines) + "\n")


def grid(out, draw, name, side, low, high):
    (out / name).write_text("".join(f"{draw.uniform(low, high):.6f}\n" for _ in range(side * side)))


def records(out, draw, count, fields):
    lines = [" ".join([str(record)] + [f"{draw.random():.4f}" for _ in range(fields)]) for record in range(count)]
    (out / "records.txt").write_text("\n".join(lines) + "\n")


def main():
    out, draw = pathlib.Path(sys.argv[1]), random.Random(1)
    graph(out, draw, 4096, 6)
    grid(out, draw, "temperatures.txt", 128, 320, 340)
    grid(out, draw, "powers.txt", 128, 0, 0.01)
    records(out, draw, 2000, 8)


main()

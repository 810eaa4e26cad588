# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks share: running programs, and reading what the nodes of a job counted."""

import os
import re
import statistics
import subprocess
import sys

# Patterns of counters in a node's line of --stats; the numbers that one finds are added up.
MESSAGES = r"messages (\d+) control (\d+) data"
BYTES = r", bytes (\d+) \+ (\d+)"
FAULTS = r"faults (\d+)"


def output_of(command, timeout=120, **environment):
    """The process, which has ended well; else the benchmark ends with a sentence. `environment` is added to its own."""
    command = [str(word) for word in command]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        sys.exit(f"{' '.join(command)} took more than {timeout} s")
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result


def counters_of(result, nodes):
    """What each node of a job that ran with --stats says at its end."""
    lines = re.findall(r"^weft: node \d+: (.*)$", result.stderr, re.M)
    if len(lines) != nodes:
        sys.exit(f"{len(lines)} of {nodes} nodes printed their counters")
    return lines


def sums(lines, patterns):
    """name: the sum over all nodes of what its pattern finds"""
    return {name: sum(int(number) for line in lines for number in re.search(pattern, line).groups())
            for name, pattern in patterns.items()}


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": middle, "low": low, "high": high}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks share: running programs, and reading what the nodes of a job counted."""

import json
import os
import statistics
import subprocess
import sys

# What counts as messages and bytes: of both channels of a node's transport (docs/reference/counters.md).
MESSAGES = ("control_messages", "data_messages")
BYTES = ("control_bytes", "data_bytes")
FAULTS = ("faults",)


def output_of(command, timeout=120, **environment):
    """The process, which has ended well; else the benchmark ends with a sentence. `environment` is added to its own.
    Regions stay on all nodes, as the nodes' messages are measured."""
    command = [str(word) for word in command]
    environment = {"WEFT_SPREAD": "always", **os.environ, **environment}
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment)
    except subprocess.TimeoutExpired:
        sys.exit(f"{' '.join(command)} took more than {timeout} s")
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result


def counters_of(result, nodes):
    """{counter: value} of each node of a job that ran with --stats=json; pages homed there by their kind, too."""
    objects = [json.loads(line) for line in result.stderr.splitlines() if line.startswith('{"weft_node"')]
    if len(objects) != nodes:
        sys.exit(f"{len(objects)} of {nodes} nodes printed their counters")
    return [each["counters"] | each["transport"] | each["homed_here"] for each in objects]


def sums(nodes, names):
    """name: the sum over all nodes of the counters that it stands for"""
    return {name: sum(node[counter] for node in nodes for counter in counters) for name, counters in names.items()}


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": middle, "low": low, "high": high}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples as programs of the matrix drivers: their arguments in tests, and how their output is judged."""

import json

import matrix

EXAMPLES = matrix.ROOT / "examples"


def checksum(output):
    lines = [line for line in output.splitlines() if line.startswith("checksum: ")]
    return lines[0] if len(lines) == 1 else None


def judge(output, plain_output):
    expected, got = checksum(plain_output), checksum(output)
    if expected is None:
        return "The plain run printed no checksum."
    if got != expected:
        return f"The plain run says '{expected}', this one '{got}'."
    if not output.rstrip().endswith("verified"):
        return "It did not end with 'verified'."
    return None


def programs(out):
    table = json.loads((matrix.ROOT / "tests/examples/examples.json").read_text())
    fill = lambda text: text.format(data=EXAMPLES / "data", out=out)
    return [matrix.Program(name, EXAMPLES / entry["source"], list(map(fill, entry["small"])),
                           judge=judge, needs_plain_run=True) for name, entry in table.items()]

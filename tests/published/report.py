# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of published programs: for each number of nodes, how many runs were right."""

import collections
import dataclasses
import subprocess


@dataclasses.dataclass
class Row:
    """A program, and for each number of nodes how its runs ended."""

    program: object
    outcomes: dict = dataclasses.field(default_factory=dict)

    def right(self):
        return all(set(outcomes) == {"right"} for outcomes in self.outcomes.values())


def cell(outcomes):
    """`10 of 10`; what else there was behind it."""
    others = "; ".join(f"{count} {what}" for what, count in sorted(outcomes.items()) if what != "right")
    return f"{outcomes['right']} of {sum(outcomes.values())}" + (f" ({others})" if others else "")


def summary(rows):
    total = sum((outcomes for row in rows for outcomes in row.outcomes.values()), collections.Counter())
    return f"{len(rows)} programs: {cell(total)} runs right"


def markdown(suites, rows, options):
    """A section for each suite."""
    version = subprocess.run(["git", "describe", "--always"], cwd=options.bin.resolve(), capture_output=True, text=True)
    parts = [f"{summary(rows)}, at {version.stdout.strip()}.\n"]
    return "\n".join(parts + [section(suite, rows, options.nodes) for suite in suites])


def section(suite, rows, nodes):
    lines = [f"## {suite.title}\n", f"{suite.language}; {suite.url}, commit {suite.commit[:10]}.\n",
             "| program | command | " + " | ".join(f"{count} nodes" for count in nodes) + " |",
             "| --- | --- |" + " --- |" * len(nodes)]
    for row in rows:
        if row.program.suite is suite:
            cells = [cell(row.outcomes[count]) if count in row.outcomes else "" for count in nodes]
            name = row.program.name.partition("/")[2]
            lines.append(f"| {name} | `{row.program.command}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"

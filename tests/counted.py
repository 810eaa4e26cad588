# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of which the nodes' counters are looked at."""

import functools
import os
import subprocess

import cases
from cases import require


class Programs:
    def __init__(self, bin_folder, out, source):
        self.bin, self.out, self.source = bin_folder, out, source

    @functools.cached_property
    def program(self):
        binary = self.out / self.source.stem
        compiler = ["weftfc", "-O1"] if self.source.suffix == ".f90" else ["weftcc", "-O1", "-Wall", "-Werror"]
        subprocess.run([self.bin / compiler[0], *compiler[1:], self.source, "-o", binary], check=True)
        return binary

    def told(self, arguments, nodes, options, printed, **environment):
        """By each node at its end; and the program's output has to be right."""
        command = [self.bin / "weft", "run", "-n", str(nodes), "--threads", "1", "--stats=json", *options, self.program, *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=cases.TIMEOUT, env={**os.environ, **environment})
        way = " ".join(arguments)
        require(run.returncode == 0, f"{way} on {nodes} nodes ends with {run.returncode}: {run.stdout}{run.stderr}")
        require(run.stdout.strip() == printed, f"{way} on {nodes} nodes prints {run.stdout.strip()}, not {printed}")
        return cases.told_at_end(run.stderr)

    def check_plain(self, *arguments):
        plain = subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=cases.TIMEOUT)
        require(plain.returncode == 0, f"{' '.join(arguments)} ends with {plain.returncode} without weft run")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of tests/hosts/run with Python scripts, which join their job by themselves."""

import os
import re
import subprocess

from cases import Skipped, require

PYTHON = "/usr/bin/python3"


class PythonCases:
    def run_python(self, hosts, *words):
        if subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True).returncode != 0:
            raise Skipped("Debian's python3-numpy is not installed")
        environment = {**os.environ, "PYTHONPATH": str(self.root / "python/src")}
        return self.run("--hosts", hosts, "-t", 1, "--binding", PYTHON, *words, env=environment)

    def test_python(self):
        programs = self.root / "tests/python/programs"
        for hosts, nodes in (("h0,h1", 2), ("h1,h2:2", 3), ("h0,h1,h2,h3", 4)):
            for program, *turns in (("calls.py",), ("threads.py", 20), ("refusals.py",)):
                result = self.run_python(hosts, programs / program, *turns)
                require(result.returncode == 0, result.stdout + result.stderr)
                require(len(re.findall(r"\bok$", result.stdout, re.MULTILINE)) == nodes, result.stdout + result.stderr)
        for example in ("heat.py", "walks.py", "blur.py"):
            result = self.run_python("h0,h1,h2", self.root / "python/examples" / example, "--check")
            require(result.returncode == 0 and result.stdout.endswith("\nok\n"), result.stdout + result.stderr)

    def test_python_ends(self):
        for how, status, pattern in (("raise", 1, "LookupError: of the last node"), ("exit", 3, r"^$"), ("late", 0, r"^$"),
                                     ("early", 1, r"node 2 has ended its script"), ("killed", 137, r"node 2 \(.*h2\) was killed by signal 9")):
            result = self.run_python("h0,h1,h2", self.root / "tests/python/programs/endings.py", how)
            require(result.returncode == status and re.search(pattern, result.stderr), f"{how}: {result.returncode} {result.stderr}")
        result = self.run_python("h1,h2", "-c", "0")
        require(result.returncode == 1 and "has ended and never joined the job" in result.stderr, str(result))

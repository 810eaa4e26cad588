# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of tests/hosts/run with Python scripts, which join their job by themselves."""

import os
import re
import subprocess

from cases import Skipped, require

PYTHON = "/usr/bin/python3"


class PythonCases:
    def run_python(self, hosts, *words, options=()):
        if subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True).returncode != 0:
            raise Skipped("Debian's python3-numpy is not installed")
        environment = {**os.environ, "PYTHONPATH": str(self.root / "python/src")}
        return self.run("--hosts", hosts, "-t", 1, *options, "--binding", PYTHON, *words, env=environment)

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

    def test_python_staged(self):
        """Hosts with Python and NumPy, and nothing of Weft, the package or the script."""
        folder = self.out / "scripts"
        folder.mkdir(exist_ok=True)
        (folder / "beside.py").write_text("number = 42\n")
        script = folder / "staged.py"
        script.write_text("import os, sys, weft, beside\n"
                          "a = weft.zeros(4)\na[weft.node()] = beside.number + int(sys.argv[1])\nweft.barrier()\n"
                          "print(os.uname().nodename, int(sum(a)), 'ok')\n")
        with self.lacking("h1", "h2"):
            for host in ("h1", "h2"):
                self.lab.run(host, ["mount", "-t", "tmpfs", "none", self.root / "python"])
            try:
                result = self.run_python("h0,h1,h2", script, 1, options=["--stage=/run"])
            finally:
                for host in ("h1", "h2"):
                    self.lab.run(host, ["umount", self.root / "python"])
        require(result.returncode == 0, f"{result.returncode}: {result.stdout}{result.stderr}")
        require(sorted(result.stdout.splitlines()) == [f"{host} 129 ok" for host in ("h0", "h1", "h2")], result.stdout)
        self.require_no_stage()

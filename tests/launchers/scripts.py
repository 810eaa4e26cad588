# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of tests/launchers/run with Python scripts: started as several tasks, they are the nodes of one job."""

import os
import pathlib
import re
import shutil
import subprocess

import host_lab
from cases import TIMEOUT, Skipped, require

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = "/usr/bin/python3"  # Debian's, for which Debian has NumPy
# Of tests/python/programs/endings.py on three nodes: whether the job ends well, and standard error.
ENDINGS = {
    "raise": (False, r"LookupError: of the last node"),
    "exit-all": (False, ""),
    "abrupt": (False, r"weft: node \d \(.*\) (exited with status 0 before|lost its connection to node 2)"),
    "abrupt-first": (False, r"weft: node 0 \(.*\) exited with status 0 before the program had finished"),
    "killed": (False, r"weft: node 2 \(.*\) was killed by signal 9"),
    "early": (False, r"node 2 has ended its script, and this node waits for all nodes"),
    "late": (True, ""),
}


class Scripts:
    def python(self, script, *arguments):
        """The words of a task. A copy of the script lies where pids() looks."""
        if subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True).returncode != 0:
            raise Skipped("Debian's python3-numpy is not installed")
        copied = shutil.copy(ROOT / script, self.out)
        settings = (f"PYTHONPATH={ROOT / 'python/src'}", f"PATH={self.bin}:{os.environ['PATH']}", "WEFT_THREADS=1")
        return "env", *settings, PYTHON, copied, *arguments

    def require_ok(self, job, nodes):
        text = f"{job.returncode}: {job.stdout_text}{job.stderr_text}"
        # Python writes a line and its end by themselves, so launchers may mix those of several tasks.
        require(job.returncode == 0 and job.stdout_text.count("ok") == nodes, text)

    def case_python(self):
        for tasks in (2, 4):
            for program, *arguments in (("calls.py",), ("threads.py", 20), ("refusals.py",)):
                self.require_ok(self.run(tasks, *self.python(f"tests/python/programs/{program}", *arguments)), tasks)
        for example in ("heat.py", "walks.py", "blur.py"):
            job = self.succeeds(3, *self.python(f"python/examples/{example}", "--check"))
            require(job.stdout_text.endswith("\nok\n"), job.stdout_text)
        # One task is one node, and so is each of several where the user says so.
        self.require_ok(self.run(1, *self.python("tests/python/programs/calls.py")), 1)
        self.require_ok(self.run(2, *self.python("tests/python/programs/calls.py"), env={"WEFT_NODES": "1"}), 2)

    def case_python_ends(self):
        for how, (is_good, errors) in ENDINGS.items():
            job = self.run(3, *self.python("tests/python/programs/endings.py", how))
            text = f"{how}: {job.returncode} {job.stderr_text}"
            require((job.returncode == 0) == is_good and re.search(errors, job.stderr_text), text)

    def case_python_hosts(self):
        if reason := host_lab.why_not():
            raise Skipped(reason)
        words = self.python("tests/python/programs/calls.py")
        lab = host_lab.HostLab(3)
        try:
            command = self.launcher.command_on_hosts(lab, self.out)
            job = lab.run("h0", [*command, *words], env=self.launcher.environment, folder=self.out, timeout=TIMEOUT)
            require(job.returncode == 0, f"status {job.returncode}: {job.stdout}{job.stderr}")
            require(job.stdout.count("ok") == 4, job.stdout + job.stderr)
            self.require_nothing_left()
        finally:
            lab.close()

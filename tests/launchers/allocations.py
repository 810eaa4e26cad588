# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft run` in an allocation of Slurm."""

import contextlib
import itertools
import os
import re
import shlex
import shutil
import time

import host_lab
from cases import TIMEOUT, Skipped, require


class Allocations:
    """Cases of tests/launchers/run."""

    @contextlib.contextmanager
    def allocating_hosts(self):
        """Hosts with a Slurm, and what a command there needs."""
        if not self.name.startswith("slurm_pmix"):
            raise Skipped("this launcher has no allocations, or another case has tried them")
        if reason := host_lab.why_not():
            raise Skipped(reason)
        lab = host_lab.HostLab(3)
        try:
            self.launcher.command_on_hosts(lab, self.out)
            yield lab, {"env": {**self.launcher.environment, "PATH": f"{self.bin}:{os.environ['PATH']}"}, "folder": self.out,
                        "timeout": TIMEOUT}
        finally:
            lab.close()

    def case_batch_examples(self):
        """The examples by `weft run` in a batch script."""
        with self.allocating_hosts() as (lab, options):
            programs = self.examples()
            lines = [shlex.join(["weft", "run", "-t", "1", str(each.binary), *each.arguments]) + f" >{each.name}.said" for each in programs]
            script = self.out / "examples"
            script.write_text("\n".join(["#!/bin/sh", "set -e", *lines, ""]))
            job = lab.run("h0", ["sbatch", "--wait", "-N", 3, "--output=examples.out", script], **options)
            require(job.returncode == 0, f"status {job.returncode}: {job.stderr}{(self.out / 'examples.out').read_text()}")
            for program in programs:
                complaint = program.judge((self.out / f"{program.name}.said").read_text(), program.plain_output)
                require(complaint is None, f"{program.name}: {complaint}")
            self.require_nothing_left()

    def case_allocation(self):
        """`weft run` in the allocation of a shell and of a batch script: its hosts, tasks and processors."""
        with self.allocating_hosts() as (lab, options):
            program = self.program("places")
            for asked, nodes, expected in (
                (["-N", 3], [], ["h0", "h1", "h2"]),
                (["-N", 2, "--ntasks-per-node=2"], [], ["h0", "h0", "h1", "h1"]),
                (["-N", 3], ["-n", 4], ["h0", "h0", "h1", "h2"]),
                (["-N", 3], ["--hosts", "localhost:2"], ["h0", "h0"]),
            ):
                job = lab.run("h0", ["salloc", *asked, "weft", "run", *nodes, "-t", 1, program], **options)
                require(job.returncode == 0, f"status {job.returncode}: {job.stdout}{job.stderr}")
                hosts = re.findall(r"thread \d+ on (\S+)", job.stdout)
                require(hosts == expected, f"{hosts} in place of {expected}: {job.stderr}")
            job = lab.run("h0", ["salloc", "-N", 3, "weft", "doctor"], **options)
            require(job.returncode == 0, f"status {job.returncode}: {job.stdout}{job.stderr}")
            require(job.stdout.endswith("Jobs can run on these 3 hosts.\n") and job.stdout.count(" us ") == 6, job.stdout)
            script = self.out / "batch"
            script.write_text(f"#!/bin/sh\nweft run -t 1 {program}\nOMP_NUM_THREADS=3 {program}\nweft run {self.program('work')} status 5\n")
            job = lab.run("h0", ["sbatch", "--wait", "-N", 3, "--output=batch.out", "--open-mode=append", script], **options)
            found = (self.out / "batch.out").read_text()
            require(job.returncode == 5, f"status {job.returncode}: {found}{job.stderr}")
            hosts = re.findall(r"thread \d+ on (\S+)", found)
            require(hosts == [*lab.names, "h0", "h0", "h0"], found)
            self.require_nothing_left()
            self.staged_in_allocation(lab, program, options)

    def staged_in_allocation(self, lab, program, options):
        """`weft run --stage`, where the other hosts have neither Weft nor the program."""
        (self.out / "staged").mkdir()
        program = shutil.copy(program, self.out / "staged")
        for host, folder in itertools.product(("h1", "h2"), (self.bin.parent, self.out / "staged")):
            lab.run(host, ["mount", "-t", "tmpfs", "none", folder])
        job = lab.run("h0", ["salloc", "-N", 3, "weft", "run", "--stage=/run", "-t", 1, program], **options)
        require(job.returncode == 0, f"status {job.returncode}: {job.stdout}{job.stderr}")
        require(re.findall(r"thread \d+ on (\S+)", job.stdout) == lab.names, job.stdout)
        # srun may return before the last of its processes has ended there.
        end = time.monotonic() + TIMEOUT
        while any(lab.run(host, ["find", "/run", "-name", "weft-*"]).stdout for host in lab.names):
            require(time.monotonic() < end, "folders are left")
            time.sleep(0.05)

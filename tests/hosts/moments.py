# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults at random moments of a job on several hosts (tests/hosts/run --moments)."""

import collections
import random
import re
import subprocess
import time

from cases import TIMEOUT, Complaint, require


class Moments:
    def faults(self):
        """Kinds of faults: the host on which something breaks, the command line of the process, and how it breaks."""
        node, agent = rf"^\s*\d+ {self.out}/work", r"weft agent$"
        return {
            "node": ("h1", node, "KILL"),
            "stopped node": ("h1", node, "STOP"),
            "agent": ("h2", agent, "KILL"),
            "stopped agent": ("h2", agent, "STOP"),
            "ssh": ("h0", r"ssh .* h1 ", "KILL"),
            "launcher": ("h0", r"weft run", "KILL"),
            "cable": ("h2", None, None),
        }

    def fault_at(self, kind, moment):
        """A job of three hosts with the fault so many seconds after there is something to break: the job ends, with a
        sentence and a status that is not 0, and nothing is left."""
        host, pattern, how = self.faults()[kind]
        command = self.command("--lost-after", 3, "--hosts", "h0,h1,h2", "-t", 1, self.program("work"))
        job = self.lab.start("h0", command, folder=self.out, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            end = time.monotonic() + TIMEOUT
            while pattern and not self.pids(host, pattern):
                require(job.poll() is None and time.monotonic() < end, f"nothing like {pattern!r} on {host}")
            time.sleep(moment)  # the moment itself
            if pattern:
                self.kill(host, pattern, how)
            else:
                self.lab.set_link(host, up=False)
            _, errors = job.communicate(timeout=TIMEOUT)
            require(job.returncode != 0, f"status 0 after {moment:.3f} s: {errors}")
            if kind != "launcher":
                require(re.search(r"^weft: (host h|node \d)", errors), f"no sentence: {errors!r}")
        finally:
            if pattern is None:
                self.lab.set_link(host, up=True)
            if how == "STOP" and self.pids(host, pattern):
                self.kill(host, pattern, "CONT")
            if job.poll() is None:
                for pid in self.pids("h0", r"weft run"):  # its agents and nodes end with it
                    self.lab.run("h0", ["kill", "-KILL", pid])
            job.communicate(timeout=TIMEOUT)
            self.require_nothing_left(but_sockets=kind == "launcher")

    def moments(self, count, seed):
        """Faults at random moments of a job's first seconds; returns how many of each have ended or failed."""
        chance = random.Random(seed)
        ends = collections.Counter()
        for kind in self.faults():
            for _ in range(count):
                moment = chance.uniform(0, 2)
                try:
                    self.fault_at(kind, moment)
                    ends[f"{kind}: ended"] += 1
                except (Complaint, subprocess.TimeoutExpired) as complaint:
                    print(f"{kind} after {moment:.3f} s: {complaint}", flush=True)
                    ends[f"{kind}: failed"] += 1
        return ends

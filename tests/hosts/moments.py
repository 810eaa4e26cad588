# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults at random moments of a job on several hosts (tests/hosts/run --moments)."""

import collections
import random
import re
import signal
import subprocess
import time

from cases import TIMEOUT, Complaint, require


class Moments:
    def faults(self):
        """What breaks, on which host, and how."""
        return {
            "node": lambda: self.kill("h1", rf"^\s*\d+ {self.out}/work"),
            "agent": lambda: self.kill("h2", r"weft agent$"),
            "ssh": lambda: self.kill("h0", r"ssh .* h1 "),
            "launcher": lambda: self.kill("h0", r"weft run"),
            "cable": lambda: self.lab.set_link("h2", up=False),
        }

    def fault_at(self, kind, moment):
        """A job of three hosts with the fault after so many seconds: the job ends, with a sentence and a status that
        is not 0, and nothing is left. Too early for the fault: nothing was there to break yet."""
        command = self.command("--lost-after", 3, "--hosts", "h0,h1,h2", "-t", 1, self.program("work"))
        job = self.lab.start("h0", command, folder=self.out, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(moment)  # the moment itself
        try:
            self.faults()[kind]()
        except Complaint:
            job.send_signal(signal.SIGKILL)
            if self.pids("h0", r"weft run"):
                self.kill("h0", r"weft run")
            job.communicate(timeout=TIMEOUT)
            return False
        try:
            _, errors = job.communicate(timeout=TIMEOUT)
            require(job.returncode != 0, f"status 0 after {moment:.3f} s: {errors}")
            if kind != "launcher":
                require(re.search(r"^weft: (host h|node \d)", errors), f"no sentence: {errors!r}")
        finally:
            if kind == "cable":
                self.lab.set_link("h2", up=True)
            if job.poll() is None:
                job.kill()
            self.require_nothing_left(but_sockets=kind == "launcher")
        return True

    def moments(self, count, seed):
        """Faults at random moments of a job's first seconds; returns how often each was too early or failed."""
        chance = random.Random(seed)
        ends = collections.Counter()
        for kind in self.faults():
            for _ in range(count):
                moment = chance.uniform(0, 2)
                try:
                    ends[f"{kind}: " + ("ended" if self.fault_at(kind, moment) else "too early")] += 1
                except (Complaint, subprocess.TimeoutExpired) as complaint:
                    print(f"{kind} after {moment:.3f} s: {complaint}", flush=True)
                    ends[f"{kind}: failed"] += 1
        return ends

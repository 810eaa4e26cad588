# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of tests/hosts/run in which nothing is closed, but a host, a process or the network is silent: above the limit
(--lost-after) the job ends, and below it, it goes on."""

import re
import signal
import time

from cases import TIMEOUT, require

LOST_H1 = r"^weft: (host h1 is lost: |node \d \(pid \d+, \S+\) lost its connection to node \d)"


class Silence:
    def test_lost_cable(self):
        job = self.start("--lost-after", 2, "--hosts", "h0,h1,h2", self.program("work"))
        self.lab.set_link("h1", up=False)
        try:
            self.ends(job, 1, LOST_H1)
        finally:
            self.lab.set_link("h1", up=True)

    def test_lost_packets(self):
        job = self.start("--lost-after", 2, "--hosts", "h0,h1,h2", self.program("work"))
        self.drop_packets("h1")
        try:
            self.ends_but_for_ssh(job, LOST_H1)
        finally:
            self.take_packets("h1")
        self.require_nothing_left()

    def drop_packets(self, host):
        """The host hears nothing any more, and nobody hears it; no connection is closed."""
        for rule in ("add table inet silent", *(f"add chain inet silent {hook} {{ type filter hook {hook} priority 0; policy drop; }}"
                                               for hook in ("input", "output"))):
            self.nft(host, rule)

    def take_packets(self, host):
        self.nft(host, "delete table inet silent")

    def nft(self, host, rule):
        done = self.lab.run(host, ["nft", rule])
        require(done.returncode == 0, done.stderr)

    def ends_but_for_ssh(self, job, pattern):
        _, errors = job.communicate(timeout=TIMEOUT)
        require(job.returncode == 1 and re.search(pattern, errors), f"status {job.returncode}: {errors}")

    def test_silent_agent(self):
        job = self.start("--lost-after", 2, "--hosts", "h0,h1,h2", self.program("work"))
        self.kill("h2", r"weft agent$", "STOP")
        self.ends_but_stopped(job, "h2")

    def ends_but_stopped(self, job, host, more=""):
        """The job ends; what was stopped by this test goes when it is continued."""
        _, errors = job.communicate(timeout=TIMEOUT)
        require(job.returncode == 1, f"status {job.returncode}: {errors}")
        require(re.search(rf"^weft: host {host} is lost: nothing was heard from it for 2 s{more}; the job", errors), errors)
        self.kill(host, r"weft agent$", "CONT")
        self.require_nothing_left()

    def test_silent_launcher(self):
        """The agent ends with its nodes, though nobody tells it to; the launcher says it when it is continued."""
        job = self.start("--lost-after", 2, "--hosts", "h1:2", "-t", 1, self.program("work"))
        self.kill("h0", r"weft run", "STOP")
        end = time.monotonic() + TIMEOUT
        while self.lab.processes("h1"):
            require(time.monotonic() < end, f"left on h1: {self.lab.processes('h1')}")
            time.sleep(0.05)
        self.kill("h0", r"weft run", "CONT")
        job.send_signal(signal.SIGCONT)  # nsenter stops with what it has started
        self.ends(job, 1, r"^weft: host h1 is lost: its agent has ended: nothing was heard from the launcher for 2 s; the job is ended$")

    def test_a_pause_is_no_loss(self):
        job = self.start("--lost-after", 20, "--hosts", "h0,h1", self.program("work"))
        for host, what in (("h1", r"weft agent$"), ("h1", rf"^\s*\d+ {self.out}/work"), ("h0", r"weft run")):
            self.kill(host, what, "STOP")
            time.sleep(1)  # the pause itself
            self.kill(host, what, "CONT")
            job.send_signal(signal.SIGCONT)  # nsenter stops with what it has started
        require(job.poll() is None, "the job ended")
        self.kill("h0", r"weft run", "INT")
        self.ends(job, 130, r"^$")

    def test_stopped_node(self):
        for host in ("h0", "h1"):
            job = self.start("--lost-after", 2, "--hosts", "h0,h1,h2", "-t", 1, self.program("work"))
            self.kill(host, rf"^\s*\d+ {self.out}/work", "STOP")
            self.ends(job, 1, rf"^weft: node \d \(pid \d+, {host}\): it has been stopped for 2 s")

    def test_no_limit_for_silence(self):
        job = self.start("--lost-after", 0, "--hosts", "h0,h1,h2", self.program("work"))
        self.kill("h0", rf"^\s*\d+ {self.out}/work", "STOP")
        self.kill("h2", r"weft agent$", "STOP")
        self.drop_packets("h1")
        time.sleep(4)  # the silence itself
        self.take_packets("h1")
        self.kill("h2", r"weft agent$", "CONT")
        self.kill("h0", rf"^\s*\d+ {self.out}/work", "CONT")
        require(job.poll() is None, "the job ended")
        self.kill("h0", r"weft run", "INT")
        self.ends(job, 130, r"^$")

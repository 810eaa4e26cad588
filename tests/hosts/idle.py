# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of tests/hosts/run in which a job has nothing to do: its nodes wait for a serial part that sleeps. Counted are
wake-ups, which take processor time, and messages."""

import json
import re
import time

from cases import require

HERE = {"shm": ("-n", 4), "tcp": ("-n", 4, "--transport", "tcp")}
OVER_HOSTS = ("--hosts", "h0,h1:2,h2")


class Idle:
    def wakeups(self):
        """{process and thread: (what runs there, how often it has been woken)} of launcher, agents and nodes."""
        found = {}
        for host in self.lab.names:
            for pid in self.pids(host, r"weft run|weft agent$|/idle"):
                listed = self.lab.run(host, ["grep", "-H", "^voluntary", "-r", f"/proc/{pid}/task", "--include=status"]).stdout
                what = self.lab.run(host, ["cat", f"/proc/{pid}/comm"]).stdout.strip()
                for thread, count in re.findall(r"task/(\d+)/status:voluntary_ctxt_switches:\s*(\d+)", listed):
                    found[host, pid, thread] = (what, int(count))
        return found

    def wakes_seldom(self, *options, nodes=4):
        job = self.start(*options, "-t", 1, self.program("idle"), 600)
        try:
            self.settle()
            begin, before = time.monotonic(), self.wakeups()
            time.sleep(4)  # the idleness itself
            after, seconds = self.wakeups(), time.monotonic() - begin
        finally:
            self.kill("h0", r"weft run", "INT")
        self.ends(job, 130, r"^$")
        require(len({(host, pid) for host, pid, thread in before if before[host, pid, thread][0] == "idle"}) == nodes, str(before))
        woken = {key: (what, count - before[key][1]) for key, (what, count) in after.items() if key in before}
        # Each thread of a node looks once a second, and UCX's look at its peers comes on top. Launcher and agents
        # exchange signs of life, and look at the nodes.
        limits = {key: (2 if what == "idle" else 6) * (seconds + 1) for key, (what, _) in woken.items()}
        often = {key: found for key, found in woken.items() if found[1] > limits[key]}
        require(not often, f"woken in {seconds:.1f} s: {often}")

    def settle(self):
        """Until nothing has been woken more than a few times between two looks: the region's end is over."""
        def total():
            return sum(count for _, count in self.wakeups().values())
        last = total()
        while (now := total()) - last > 100:
            last = now

    def messages(self, seconds, *options):
        job = self.run(*options, "-t", 1, "--stats=json", self.program("idle"), seconds)
        require(job.returncode == 0, job.stderr)
        nodes = [json.loads(line)["transport"] for line in job.stderr.splitlines() if line.startswith("{")]
        require(len(nodes) == 4, job.stderr)
        return sum(node["control_messages"] + node["data_messages"] for node in nodes)

    def test_idle_here(self):
        for options in HERE.values():
            self.wakes_seldom(*options)

    def test_idle_over_hosts(self):
        self.wakes_seldom(*OVER_HOSTS)

    def test_idle_sends_nothing(self):
        for options in (*HERE.values(), OVER_HOSTS):
            short, long = self.messages(0, *options), self.messages(5, *options)
            # Of a heartbeat each node would send one at least.
            require(long - short < 4, f"{options}: {short} messages without sleep, {long} with it")

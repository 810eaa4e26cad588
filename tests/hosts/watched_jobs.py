# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs on several hosts as `weft ps`, `status`, `top` and `kill` see and end them, and what `weft run` keeps of them."""

import json
import re
import time

from cases import TIMEOUT, require


class WatchedJobs:
    """Cases of tests/hosts/run."""

    def weft(self, host, *words):
        result = self.lab.run(host, [self.bin / "weft", *words], timeout=TIMEOUT)
        require(result.returncode == 0, f"weft {words}: {result.stderr}")
        return result.stdout

    def nodes_once(self, condition):
        """The nodes of the only job of h0, once it holds for each of them: counters come a moment late."""
        end = time.monotonic() + TIMEOUT
        while True:
            nodes = json.loads(self.weft("h0", "status", "--json"))["nodes"]
            if all(condition(each) for each in nodes):
                return nodes
            require(time.monotonic() < end, f"it never holds: {nodes}")

    def jobs(self, host):
        return json.loads(self.weft(host, "ps", "--json"))

    def test_jobs_are_seen_and_ended(self):
        job = self.start("--hosts", "h0,h1:2,h2", "-t", 1, self.program("work"))
        [seen] = self.jobs("h0")
        require((seen["state"], seen["hosts"], seen["node_count"]) == ("running", ["h0", "h1", "h2"], 4), str(seen))
        require(seen["messages"] > 0 and seen["memory_bytes"] > 0, str(seen))
        require(self.jobs("h1") == [], "a job is listed on a host from which it was not started")
        nodes = self.nodes_once(lambda each: each["state"] == "running" and each["counters"]["barriers"] > 0 and each["threads"])
        require([each["host"] for each in nodes] == ["h0", "h1", "h1", "h2"], str(nodes))
        require(all(each["messages"] > 0 and each["memory_bytes"] > 0 for each in nodes), str(nodes))
        table = self.weft("h0", "top", seen["job"], "--interval", "200ms")
        require(re.search(r"(?m)^h1 .*\n  node 1  running .*\n  node 2  running ", table), table)
        self.weft("h0", "kill", seen["job"])
        self.ends(job, 143, r"^weft: signal 15 \(Terminated\) comes by `weft kill`$")

    def test_a_host_that_is_late_is_left_out(self):
        job = self.start("--lost-after", 60, "--hosts", "h0,h1", "-t", 1, self.program("work"))
        self.kill("h1", r"weft agent$", "STOP")
        nodes = json.loads(self.weft("h0", "status", "--json"))["nodes"]
        self.kill("h1", r"weft agent$", "CONT")
        require([each["state"] for each in nodes] == ["running", "unknown"], str(nodes))
        self.weft("h0", "kill", self.jobs("h0")[0]["job"])
        self.ends(job, 143, r"by `weft kill`$")

    def test_jobs_stop_and_go_on(self):
        job = self.start("--lost-after", 60, "--hosts", "h0,h1", "-t", 1, self.program("work"))
        [seen] = self.jobs("h0")
        for name, state in (("STOP", "stopped"), ("CONT", "running")):
            self.weft("h0", "kill", "-s", name, seen["job"])
            self.nodes_once(lambda each: each["state"] == state)
        self.weft("h0", "kill", "-s", "KILL", seen["job"])
        self.ends(job, 137, r"(?m)^weft: signal 9 \(Killed\) comes by `weft kill`$")

    def test_sockets_of_the_dead_are_swept(self):
        job = self.start("--hosts", "h0,h1", self.program("work"))
        self.kill("h0", r"weft run")
        job.communicate(timeout=TIMEOUT)
        self.require_nothing_left(but_sockets=True)
        require(self.jobs("h0") == [], "a dead job is listed")
        self.require_nothing_left()

    def test_timeout(self):
        result = self.run("--timeout", "1500ms", "--hosts", "h1,h0,h2", "-t", 1, self.program("work"))
        require(result.returncode == 124, f"status {result.returncode}: {result.stderr}")
        require(result.stderr == "weft: the job has run for 1s500ms, its limit (--timeout); it is ended\n", result.stderr)

    def test_output_is_kept_and_labelled(self):
        result = self.run("--output", "kept", "--label", "--hosts", "h0,h1:2", "-t", 1, self.program("turns"), 1)
        require((result.returncode, result.stderr) == (0, ""), result.stderr)
        lines = re.findall(r"(?m)^\[(\d) (\S+) \d\d:\d\d:\d\d\.\d\d\d\] (.*)$", result.stdout)
        require(lines == [(str(node), host, f"round 0 thread {node}") for node, host in enumerate(["h0", "h1", "h1"])], result.stdout)
        kept = [(self.out / f"kept/node-{node}.out").read_text() for node in range(3)]
        require(kept == [f"{text}\n" for _, _, text in lines], f"{kept} in place of {result.stdout}")

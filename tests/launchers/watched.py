# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs of other launchers as `weft ps`, `status`, `top` and `kill` see and end them, and their deadlocks."""

import json
import os
import re
import signal
import stat
import subprocess
import time

import host_lab
from cases import TIMEOUT, Skipped, require


def parsed(result):
    require(result.returncode == 0, result.stderr)
    return json.loads(result.stdout)


class Watched:
    """Cases of tests/launchers/run."""

    def start_watched(self, *words, tasks=3, **env):
        """The program, once it waits: the jobs' sockets are in a folder of the test's own."""
        self.runtime = self.out / "runtime"
        self.runtime.mkdir(exist_ok=True)
        job = self.start(tasks, self.program("ends"), *words, env={"WEFT_THREADS": "1", "WEFT_RUNTIME_DIR": str(self.runtime), **env})
        self.wait_for(job, "waiting\n")
        return job

    def weft(self, *words):
        return subprocess.run([self.bin / "weft", *map(str, words)], env={**os.environ, "WEFT_RUNTIME_DIR": str(self.runtime)},
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)

    def nodes_once(self, condition, ask=None):
        """The nodes of the only job, once it holds for each of them: what they show comes a moment late."""
        end = time.monotonic() + TIMEOUT
        while True:
            nodes = parsed((ask or self.weft)("status", "--json"))["nodes"]
            if all(condition(each) for each in nodes):
                return nodes
            require(time.monotonic() < end, f"it never holds: {nodes}")

    def ends_by_kill(self, job, statuses, sentence):
        output, errors = job.communicate(timeout=TIMEOUT)
        require(job.returncode in statuses, f"status {job.returncode}: {output}{errors}")
        require(sentence in errors, errors)
        self.require_nothing_left()
        require(list(self.runtime.iterdir()) == [], "a socket is left")
        return output

    def case_watched(self):
        job = self.start_watched("wait", 0)
        [seen] = parsed(self.weft("ps", "--json"))
        require((seen["state"], seen["node_count"], seen["nodes_of_job"]) == ("running", 3, 3), str(seen))
        require(seen["command"][1:] == ["wait", "0"] and len(seen["hosts"]) == 1, str(seen))
        socket = self.runtime / "weft" / seen["job"]
        require(stat.filemode(socket.stat().st_mode) == "srw-------", "others can use the socket")
        nodes = self.nodes_once(lambda each: each["state"] == "running" and each.get("messages", 0) > 0)
        require(sorted(each["pid"] for each in nodes) == sorted(self.nodes()), str(nodes))
        table = self.weft("top", "--once", "--interval", "200ms").stdout
        require(re.search(r"(?m)^  node 0  running .*\n  node 1  running .*\n  node 2  running ", table), table)
        for name, state in (("STOP", "stopped"), ("CONT", "running"), ("STOP", "stopped")):
            require(self.weft("kill", "-s", name, seen["job"]).returncode == 0, f"no {name}")
            self.nodes_once(lambda each: each["state"] == state)
        require(self.weft("kill", seen["job"]).returncode == 0, "not killed")
        output = self.ends_by_kill(job, (5, 137) if self.name.startswith("slurm") else (5,),
                                   "weft: signal 15 (Terminated) comes by `weft kill`\n")
        require(output == "handled 15\n", output)

    def case_watched_by_force(self):
        job = self.start_watched("wait", 0)
        [seen] = parsed(self.weft("ps", "--json"))
        require(self.weft("kill", "-s", "KILL", seen["job"]).returncode == 0, "not killed")
        self.ends_by_kill(job, (137,), "weft: signal 9 (Killed) comes by `weft kill`\n")
        # The grace of a program that goes on.
        job = self.start_watched("ignore", 0, WEFT_GRACE="1")
        [seen] = parsed(self.weft("ps", "--json"))
        require(self.weft("kill", seen["job"]).returncode == 0, "not killed")
        self.ends_by_kill(job, (143,) if not self.name.startswith("slurm") else (137, 143),
                          "weft: the program did not end within 1 s of signal 15 (Terminated); it is killed\n")
        # A first task that is killed leaves its socket to others.
        job = self.start_watched("wait", 0)
        [seen] = parsed(self.weft("ps", "--json"))
        os.kill(seen["launcher_pid"], signal.SIGKILL)
        job.communicate(timeout=TIMEOUT)
        self.require_nothing_left()
        require(parsed(self.weft("ps", "--json")) == [], "a job is listed that has ended")
        require(list(self.runtime.iterdir()) == [], "a socket is left")

    def case_stuck(self):
        job = self.run(3, self.program("stuck"), env={"WEFT_THREADS": "1", "WEFT_DEADLOCK": "abort"})
        require(job.returncode not in (0, None), "status 0")
        require("weft: no thread of the job can go on: all wait for each other, for ever\n" in job.stderr_text, job.stderr_text)
        # Launchers may say something between the two lines.
        require(re.search(r"in a circle: thread 0 of node 0 waits for thread 2 of node 2, which waits for thread 0 of node 0\n"
                          r"(?s:.*)^weft: the job is ended\n", job.stderr_text, re.MULTILINE), job.stderr_text)

    def case_watched_hosts(self):
        if reason := host_lab.why_not():
            raise Skipped(reason)
        lab = host_lab.HostLab(3)
        try:
            self.on_hosts(lab)
        finally:
            lab.close()

    def on_hosts(self, lab):
        """Each host shows its own nodes, and the job can be ended from each."""
        def weft(host, *words):
            return lab.run(host, [self.bin / "weft", *map(str, words)], timeout=TIMEOUT)

        command = self.launcher.command_on_hosts(lab, self.out)
        passed = ["-x", "WEFT_RUNTIME_DIR", "-x", "WEFT_THREADS"] if self.name == "openmpi" else []
        for host, refused in (("h1", True), ("h0", False)):
            job = lab.start("h0", [*command, *passed, self.program("ends"), "wait", 0], folder=self.out,
                            env={**self.launcher.environment, "WEFT_THREADS": "1"}, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
            self.wait_for(job, "waiting\n")
            shown = []
            for each in lab.names:
                [seen] = parsed(weft(each, "ps", "--json"))
                require((seen["hosts"], seen["nodes_of_job"]) == ([each], 4), str(seen))
                nodes = self.nodes_once(lambda node: node["state"] == "running", lambda *words: weft(each, *words))
                require(nodes and all(node["host"] == each for node in nodes), str(nodes))
                shown += [node["node"] for node in nodes]
            require(shown[0] == 0 and sorted(shown) == [0, 1, 2, 3], str(shown))
            [seen] = parsed(weft(host, "ps", "--json"))
            asked = weft(host, "kill", seen["job"])
            require((asked.returncode == 1) == refused, f"{asked.returncode}: {asked.stderr}")
            if refused:
                require("node 0 is on host h0" in asked.stderr, asked.stderr)
                require("nodes on other hosts" in weft(host, "kill", "-s", "STOP", seen["job"]).stderr, "stopped")
                require(weft(host, "kill", "-s", "KILL", seen["job"]).returncode == 0, "not killed")
            _, errors = job.communicate(timeout=TIMEOUT)
            require(job.returncode != 0 and "comes by `weft kill`" in errors, f"status {job.returncode}: {errors}")
            self.require_nothing_left()
            require(all(parsed(weft(each, "ps", "--json")) == [] for each in lab.names), "a job is listed that has ended")

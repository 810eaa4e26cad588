# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of tests/hosts/run in which hosts are reached through others:

    weft run on h0 ── h1 ── h3, h4
                   └─ h2 ── h5
"""

import re
import time

from cases import TIMEOUT, require

HOSTS = 6
ALL = ",".join(f"h{number}" for number in range(HOSTS))


class Tree:
    def tree(self, *words, hosts=ALL, fanout=2, **more):
        return self.run("--fanout", fanout, "--hosts", hosts, "-t", 1, *words, **more)

    def start_tree(self, *options, hosts=ALL):
        return self.start("--fanout", 2, *options, "--hosts", hosts, "-t", 1, self.program("work"))

    def reached_from(self, host):
        """The hosts to which ssh runs there."""
        lines = self.lab.run(host, ["ps", "-eo", "args="]).stdout.splitlines()
        return sorted(found.group(1) for line in lines if (found := re.match(r"ssh .* (h\d) exec ", line)))

    def test_tree_runs(self):
        for fanout in (1, 2, 16):
            result = self.tree(self.program("places"), fanout=fanout)
            require(result.returncode == 0 and result.stderr == "", f"{result.returncode}: {result.stderr}")
            require(re.findall(r"on (\S+)", result.stdout) == ALL.split(","), result.stdout)
        result = self.tree(self.program("turns"), 20)
        expected = "".join(f"round {round_} thread {turn}\n" for round_ in range(20) for turn in range(HOSTS))
        require(result.stdout == expected, f"{result.stdout}{result.stderr}")
        result = self.tree(self.program("work"), "status", 7)
        require((result.returncode, result.stderr) == (7, ""), f"{result.returncode} {result.stderr}")

    def test_tree_input(self):
        lines = "".join(f"line {number}\n" for number in range(50000))
        for hosts in (ALL, "h5,h4,h3,h2,h1"):
            result = self.tree(self.program("work"), "copy", hosts=hosts, stdin=None, input=lines)
            require(result.stdout == lines, f"{len(result.stdout)} of {len(lines)} bytes; {result.stderr}")

    def test_tree_shape_and_signals(self):
        job = self.start_tree()
        reached = {name: self.reached_from(name) for name in self.lab.names}
        self.kill("h0", r"weft run", "INT")
        self.ends(job, 130, r"^$")
        require(reached == {"h0": ["h1", "h2"], "h1": ["h3", "h4"], "h2": ["h5"], "h3": [], "h4": [], "h5": []}, str(reached))

    def test_tree_deadlock(self):
        """The launcher sees the threads of nodes behind a middle agent, too."""
        result = self.tree("--deadlock", "abort", "--look-ms", 200, self.program("stuck"))
        require(result.returncode == 1, f"{result.returncode}: {result.stderr}")
        require(re.search(r"thread 5 of node 5 \(h5\) waits for the lock `x`.* held by thread 0 of node 0 \(h0\)", result.stderr), result.stderr)

    def test_tree_lost_middle(self):
        job = self.start_tree()
        self.kill("h1", r"weft agent$")
        self.ends(job, 1, r"^weft: host h1 is lost: [^;]*; with it h3, h4, reached through it; the job is ended$")

    def test_tree_lost_leaf(self):
        job = self.start_tree()
        self.kill("h4", r"weft agent$")
        self.ends(job, 1, r"^weft: host h4 is lost: [^;]* \(it was reached through h1\); the job is ended$")

    def test_tree_lost_ssh_of_middle(self):
        job = self.start_tree()
        self.kill("h1", r"^\s*\d+ ssh .* h3 ")
        self.ends(job, 1, r"^weft: host h3 is lost: the connection's process was killed by signal 9 \(it was reached through h1\)")

    def test_tree_lost_node(self):
        job = self.start_tree()
        self.kill("h5", rf"^\s*\d+ {self.out}/work")
        self.ends(job, 137, r"^weft: node 5 \(pid \d+, h5\) was killed by signal 9")

    def test_tree_lost_launcher(self):
        job = self.start_tree()
        self.kill("h0", r"weft run")
        job.wait(TIMEOUT)
        self.require_nothing_left(but_sockets=True)  # which `weft ps` sweeps

    def test_tree_silent_middle(self):
        job = self.start_tree("--lost-after", 2)
        self.kill("h1", r"weft agent$", "STOP")
        self.ends_but_stopped(job, "h1", "; with it h3, h4, reached through it")

    def test_tree_silent_leaf(self):
        job = self.start_tree("--lost-after", 2)
        self.kill("h3", r"weft agent$", "STOP")
        self.ends_but_stopped(job, "h3", r" \(it was reached through h1\)")

    def test_tree_pause_is_no_loss(self):
        job = self.start_tree("--lost-after", 20)
        for host in ("h1", "h3"):
            self.kill(host, r"weft agent$", "STOP")
            time.sleep(1)  # the pause itself
            self.kill(host, r"weft agent$", "CONT")
        require(job.poll() is None, "the job ended")
        self.kill("h0", r"weft run", "INT")
        self.ends(job, 130, r"^$")

    def test_tree_of_hosts_without_keys(self):
        """A host that cannot reach others leaves them to the launcher's own ssh."""
        key = self.lab.folder / "user_key"
        self.lab.run("h1", ["mount", "--bind", "/dev/null", key])
        try:
            job = self.start_tree()
            reached = {name: self.reached_from(name) for name in self.lab.names[:3]}
            self.kill("h0", r"weft run", "INT")
            self.ends(job, 130, r"^$")
        finally:
            self.lab.run("h1", ["umount", key])
        require(reached == {"h0": ["h1", "h2", "h3", "h4"], "h1": [], "h2": ["h5"]}, str(reached))

    def test_tree_unknown_host(self):
        self.refused(126, r"^weft: host nowhere: .*(resolve|not known)", "--fanout", 2, "--hosts", "h0,h1,h2,nowhere,h3",
                     self.program("work"))

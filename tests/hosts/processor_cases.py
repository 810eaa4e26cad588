# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which processors the nodes of a host get (tests/hosts/run)."""

import os
import pathlib
import re

from cases import Skipped, require

ALLOWED = sorted(os.sched_getaffinity(0))


class ProcessorCases:
    def bound(self, *words, **more):
        """Of each thread its host, the processors that it may use, and those of its places; and what was complained."""
        result = self.run(*words, self.program("bound"), **more)
        require(result.returncode == 0, result.stderr)
        found = re.findall(r"thread \d+ on (\S+): processors([ \d]*); places([ \d]*); hwloc no\n", result.stdout)
        require(len(found) == result.stdout.count("\n"), result.stdout + result.stderr)
        numbers = [(host, [int(each) for each in own.split()], [int(each) for each in places.split()]) for host, own, places in found]
        return numbers, result.stderr

    def test_nodes_of_a_host_have_their_own_processors(self):
        if len(ALLOWED) < 2:
            raise Skipped("there is one processor alone")
        for words in (("--hosts", "h0,h1:2"), ("--hosts", "h1:2,h0"), ("-n", 2)):
            found, errors = self.bound("-t", 1, *words)
            inside, more_errors = self.bound("-t", 1, *words, env={"OMP_PLACES": "threads"})
            require(errors + more_errors == "", errors + more_errors)
            one, other = [own for host, own, _ in found if host == "h1"] or [own for _, own, _ in found]
            require(one and other and sorted(one + other) == ALLOWED, f"{words}: {found}")
            nodes = [own for _, own, _ in found]
            require([sorted(places) for _, _, places in inside] == nodes, f"{words}: {inside}")
            require(all(set(own) <= set(places) for _, own, places in inside), f"{words}: {inside}")

    def test_a_node_alone_has_all_processors(self):
        found, errors = self.bound("-t", 1, "--hosts", "h0,h1")
        require(errors == "" and [own for _, own, _ in found] == [ALLOWED, ALLOWED], f"{found} {errors}")

    def test_crowded_nodes_are_not_bound(self):
        count = len(ALLOWED)
        crowd = ("--hosts", "h0,h1:2")
        sentence = f"weft: host h1: no node is bound: {2 * count} threads have {count} processors\n"
        for words, said in ((("-t", count), ""), (("-t", count, "--bind", "core"), sentence), (("-t", 1, "--bind", "none"), "")):
            found, errors = self.bound(*crowd, *words)
            require(errors == said, f"{words}: {errors!r}")
            require(all(own == ALLOWED for _, own, _ in found), f"{words}: {found}")
        result = self.run("-v", "-t", count, *crowd, self.program("places"))
        require(sentence in result.stderr, result.stderr)

    def test_binding_is_said(self):
        count = len(ALLOWED)
        if count == 1:
            raise Skipped("there is one processor alone")
        result = self.run("-v", "-t", 1, "--hosts", f"h0,h1:{count}", self.program("places"))
        said = re.findall(r"^weft: node (\d+) is bound to processors (\d+) of host h1$", result.stderr, re.M)
        require([int(node) for node, _ in said] == list(range(1, count + 1)), result.stderr)
        require(sorted(int(number) for _, number in said) == ALLOWED, result.stderr)

    def test_processors_that_are_not_allowed_stay_unused(self):
        one = ALLOWED[0]
        command = ["taskset", "-c", one, *self.command("-n", 2, "-v", self.program("bound"))]
        result = self.lab.run("h0", command, folder=self.out)
        require("weft: host h0: no node is bound: 2 nodes have 1 processors\n" in result.stderr, result.stderr)
        require(result.stdout.count(f": processors {one};") == 2, result.stdout)

    def test_a_node_for_each_numa_domain(self):
        domains = len(list(pathlib.Path("/sys/devices/system/node").glob("node[0-9]*"))) or 1
        for words, hosts in ((("--hosts", "h1:3,h2"), ["h1", "h2"]), ((), ["h0"])):
            result = self.run("--per-numa", "-t", 1, *words, self.program("places"))
            expected = [name for name in hosts for _ in range(domains)]
            require(re.findall(r"on (\S+)", result.stdout) == expected, result.stdout + result.stderr)

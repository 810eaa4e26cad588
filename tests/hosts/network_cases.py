# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which network the nodes of different hosts use (tests/hosts/run)."""

import contextlib
import re

from cases import require


class NetworkCases:
    def networks(self, *words, hosts="h0,h1"):
        """The interface of each host, as -v says it, of a job that ran."""
        result = self.run("-v", "-t", 1, "--hosts", hosts, *words, self.program("places"))
        require(result.returncode == 0, result.stderr)
        return re.findall(r"^weft: host \S+ .*, network (\S+)$", result.stderr, re.M)

    @contextlib.contextmanager
    def interfaces(self, kind, name, addresses):
        """Hosts with such an interface more, whose addresses lead nowhere."""
        made = [(host, ["ip", "link", "add", name, "type", *kind]) for host in addresses]
        made += [(host, ["ip", "address", "add", address, "dev", name]) for host, address in addresses.items()]
        made += [(host, ["ip", "link", "set", name, "up"]) for host in addresses]
        try:
            for host, command in made:
                done = self.lab.run(host, command)
                require(done.returncode == 0, done.stderr)
            yield
        finally:
            for host in addresses:
                self.lab.run(host, ["ip", "link", "delete", name])

    def test_bridges_of_containers_are_not_used(self):
        with self.interfaces(["bridge"], "docker0", {"h0": "172.17.0.1/16", "h1": "172.17.0.1/16"}):
            require(self.networks() == ["eth0", "eth0"], "not by eth0")
            require(self.networks("--net", "10.99.0.0/24") == ["eth0", "eth0"], "not by eth0")

    def test_a_list_of_networks(self):
        with self.interfaces(["veth", "peer", "name", "ib0-end"], "ib0", {"h0": "10.77.0.1/24"}):
            require(self.networks("--net", "ib0,eth0") == ["eth0", "eth0"], "not by the first that both have")
            require(self.networks("--net", "fd99::/64,eth0") == ["eth0", "eth0"], "not by the first")
            sentence = r"^weft: --net ib0: host h1 has .*; --net 10\.77\.0\.0/24: host h1 has"
            self.refused(126, sentence, "--hosts", "h0,h1", "--net", "ib0,10.77.0.0/24", self.program("work"))

    def test_all_goes_by_version_six(self):
        """Nothing between the hosts, ssh included, goes by version 4."""
        for host in ("h0", "h1"):
            rules = "table ip weft_test { chain input { type filter hook input priority 0; iif eth0 drop; }; }"
            done = self.lab.run(host, ["nft", "-f", "-"], stdin=None, input=rules)
            require(done.returncode == 0, done.stderr)
        try:
            for words in ((), ("--transport", "ucx"), ("--encrypt", "off")):
                require(self.networks(*words, hosts="fd99::1,fd99::2") == ["eth0", "eth0"], f"{words}")
        finally:
            for host in ("h0", "h1"):
                self.lab.run(host, ["nft", "delete", "table", "ip", "weft_test"])

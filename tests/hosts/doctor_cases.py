# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft doctor --hosts` on healthy hosts, and on hosts with a fault each (tests/hosts/run)."""

import json
import subprocess

from cases import TIMEOUT, require

BLOCK = """table inet weft_test {
  chain input { type filter hook input priority 0; ip saddr 10.99.0.3 tcp dport != 22 tcp flags & (syn | ack) == syn drop; }
}
"""


class DoctorCases:
    def doctor(self, *words, **more):
        result = self.lab.run("h0", [self.bin / "weft", "doctor", *words], folder=self.out, timeout=TIMEOUT, **more)
        require(result.stderr == "", result.stderr)
        self.require_nothing_left()
        return result

    def the_fault(self, *words, **more):
        """Where the only fault is, what it is, and what helps; and everything that was found."""
        result = self.doctor("--json", *words, **more)
        found = json.loads(result.stdout)
        require(result.returncode == 1 and not found["healthy"], f"status {result.returncode}: {found}")
        require(len(found["faults"]) == 1, f"not one fault: {found['faults']}")
        text = self.doctor(*words, **more)
        fault = found["faults"][0]
        require(text.returncode == 1 and f"{fault['where']}: {fault['what']}\n    {fault['remedy']}\n1 fault.\n" in text.stdout, text.stdout)
        return fault, found

    def require_fault(self, fault, where, what, remedy):
        require(fault["where"] == where and what in fault["what"] and remedy in fault["remedy"], f"{fault}")

    def test_doctor_of_healthy_hosts(self):
        (self.out / "healthy").write_text("h0\nh1 slots=2\nh2\n")
        for words in (("--hosts", "h0,h1,h2"), ("--hostfile", "healthy"), ("--hosts", "h2,h1,h0", "--net", "fd99::/64")):
            result = self.doctor("--json", *words)
            found = json.loads(result.stdout)
            require(result.returncode == 0 and found["healthy"] and not found["faults"], result.stdout)
            require([each["name"] for each in found["hosts"]] == [each["host"] for each in found["hosts"]], result.stdout)
            require(all(each["interface"] == "eth0" and each["watching"] for each in found["hosts"]), result.stdout)
            ends = {(each["from"], each["to"]) for each in found["pairs"]}
            require(len(found["pairs"]) == 6 == len(ends) and all(one != other for one, other in ends), result.stdout)
            require(all(each["round_trip_us"] > 0 and each["bytes_per_second"] > 0 for each in found["pairs"]), result.stdout)
        text = self.doctor("--hosts", "h0,h1,h2")
        require(text.returncode == 0 and text.stdout.endswith("\nJobs can run on these 3 hosts.\n"), text.stdout)

    def test_doctor_of_an_unknown_host(self):
        fault, found = self.the_fault("--hosts", "h0,nowhere,h1")
        self.require_fault(fault, "nowhere", "resolve", "Correct the name")
        require(len(found["pairs"]) == 2, f"the others were not tried: {found['pairs']}")

    def test_doctor_of_a_refused_key(self):
        shell = f"ssh -F /dev/null -oStrictHostKeyChecking=no -oUserKnownHostsFile=/dev/null -oLogLevel=ERROR -oIdentityFile={self.out}/none"
        fault, _ = self.the_fault("--hosts", "h0,h1", env={"WEFT_SSH": shell, "HOME": "/nowhere", "SSH_AUTH_SOCK": ""})
        self.require_fault(fault, "h1", "Permission denied", "ssh-copy-id h1")

    def another_weft(self):
        """The command, made to believe that it is of another version."""
        version = subprocess.run([self.bin / "weft", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
        other = self.out / "another_weft"
        contents = (self.bin / "weft").read_bytes()
        require(version.encode() + b"\0" in contents, f"{version} is nowhere in the file")
        other.write_bytes(contents.replace(version.encode() + b"\0", version[:-1].encode() + b"~\0"))
        other.chmod(0o755)
        return other, version

    def test_doctor_of_another_version(self):
        other, version = self.another_weft()
        self.lab.run("h2", ["mount", "--bind", other, self.bin / "weft"])
        try:
            fault, found = self.the_fault("--hosts", "h0,h1,h2")
        finally:
            self.lab.run("h2", ["umount", self.bin / "weft"])
        self.require_fault(fault, "h2", f"it has Weft {version[:-1]}~, and this host has {version}", "Install the same Weft")
        require(len(found["pairs"]) == 6, f"not all pairs were tried: {found['pairs']}")

    def test_doctor_of_a_blocked_pair(self):
        ready = self.lab.run("h1", ["nft", "-f", "-"], stdin=None, input=BLOCK)
        require(ready.returncode == 0, ready.stderr)
        try:
            fault, found = self.the_fault("--hosts", "h0,h1,h2")
        finally:
            self.lab.run("h1", ["nft", "delete", "table", "inet", "weft_test"])
        self.require_fault(fault, "h2 to h1", "no TCP connection to 10.99.0.2: no answer within 3 s", "firewall on h1")
        require(sum("error" not in each for each in found["pairs"]) == 5, f"{found['pairs']}")

    def test_doctor_of_a_host_without_shared_memory(self):
        self.lab.run("h1", ["sh", "-c", "mount -t tmpfs -o size=4k none /dev/shm; head -c 4096 /dev/zero > /dev/shm/full"])
        try:
            result = self.lab.run("h0", [self.bin / "weft", "doctor", "--json", "--hosts", "h0,h1"], folder=self.out)
        finally:
            self.lab.run("h1", ["umount", "/dev/shm"])
        found = json.loads(result.stdout)
        require(result.returncode == 1 and len(found["faults"]) == 1, result.stdout)
        self.require_fault(found["faults"][0], "h1", "/dev/shm has no room", "enlarge it")

    def test_doctor_of_other_addresses(self):
        library, stand_in = self.out / "libucs.so.0", self.out / "stand_in.c"
        stand_in.write_text("char room[1 << 24];\n")
        subprocess.run(["clang-22", "-shared", "-fPIC", "-Wl,-soname,libucs.so.0", stand_in, "-o", library], check=True)
        listed = subprocess.run(["ldd", self.bin.parent / "lib/libweft-node.so"], capture_output=True, text=True, check=True).stdout
        real = next(line.split()[2] for line in listed.splitlines() if "libucs.so" in line)
        self.lab.run("h1", ["mount", "--bind", library, real])
        try:
            fault, _ = self.the_fault("--hosts", "h0,h1")
        finally:
            self.lab.run("h1", ["umount", real])
        self.require_fault(fault, "h1", "libraries lie at other addresses than on h0: libuc", "Install the same versions")

    def test_doctor_of_bad_lists(self):
        for words, sentence in ((("--hosts", "h0,,h1"), "weft: '' is no name of a host"), (("--hostfile", "nothing"), "weft: nothing: No such file")):
            result = self.lab.run("h0", [self.bin / "weft", "doctor", *words], folder=self.out)
            require(result.returncode == 2 and result.stderr.startswith(sentence), f"{result}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More that keeps a job from starting: one clear sentence each, and no hang (tests/hosts/run)."""

import os
import re
import subprocess

from cases import TIMEOUT, require

# UCX aborts where another node takes the last place between Weft's look and its own thread.
REFUSALS = r"Resource temporarily unavailable|System unable to allocate|ucs_async_thread_global_context.thread != NULL"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]


class RefusalCases:
    def test_a_password_prompt(self):
        settings = self.lab.folder / "sshd_config"
        asking = self.lab.folder / "asking_config"
        asking.write_text(settings.read_text().replace("PasswordAuthentication no", "PasswordAuthentication yes"))
        daemon = self.lab.start("h1", ["/usr/sbin/sshd", "-D", "-e", "-p", 2222, "-f", asking], stderr=subprocess.PIPE, text=True)
        try:
            while "listening" not in daemon.stderr.readline():
                require(daemon.poll() is None, "sshd did not start")
            shell = f"ssh -F /dev/null -p 2222 -oStrictHostKeyChecking=no -oUserKnownHostsFile=/dev/null -oLogLevel=ERROR -oIdentityFile={self.out}/none"
            result = self.lab.run("h0", self.command("--hosts", "h0,h1", self.program("work")), folder=self.out, timeout=TIMEOUT,
                                  env={"WEFT_SSH": shell, "HOME": "/nowhere", "SSH_AUTH_SOCK": ""})
        finally:
            self.kill("h1", r"sshd -D .*asking_config")
            daemon.communicate(timeout=TIMEOUT)
        require(result.returncode == 126, f"status {result.returncode}: {result.stderr}")
        require(re.fullmatch(r"weft: host h1: .*Permission denied \(.*password.*\)\n", result.stderr), result.stderr)
        self.require_nothing_left()

    def test_a_shell_that_asks_for_a_password(self):
        asking = self.out / "asking"
        asking.write_text("#!/bin/sh\nread password < /dev/tty || exit 5\n")
        asking.chmod(0o755)
        self.refused(126, r"^weft: host h1: .*/dev/tty", "--hosts", "h0,h1", self.program("work"), env={"WEFT_SSH": str(asking)})

    def test_another_version(self):
        other, version = self.another_weft()
        self.lab.run("h1", ["mount", "--bind", other, self.bin / "weft"])
        try:
            self.refused(126, rf"^weft: host h1 has Weft {version[:-1]}~, and this host has {version}; all need the same$",
                         "--hosts", "h0,h1", self.program("work"))
        finally:
            self.lab.run("h1", ["umount", self.bin / "weft"])

    def test_full_shared_memory(self):
        self.lab.run("h1", ["sh", "-c", "mount -t tmpfs -o size=4k none /dev/shm; head -c 4096 /dev/zero > /dev/shm/full"])
        try:
            result = self.lab.run("h0", self.command("-t", 1, "--hosts", "h0,h1:2", self.program("places")), folder=self.out, timeout=TIMEOUT)
        finally:
            self.lab.run("h1", ["umount", "/dev/shm"])
        require(result.returncode == 1, f"status {result.returncode}: {result.stderr}")
        sentence = r"^weft: node \d \(pid \d+, h1\): UCX cannot make a worker: Out of memory; /dev/shm has no room$"
        require(re.search(sentence, result.stderr, re.M), result.stderr)
        self.require_nothing_left()

    def test_no_more_processes(self):
        """The limit is of a user, and root has none: a user without processes runs a job on this host."""
        program = self.program("places")
        os.chmod(self.out, 0o755)
        started = 0
        for limit in range(1, 20):
            command = [*NOBODY, "prlimit", f"--nproc={limit}", *self.command("-n", 2, "-t", 2, program)]
            result = self.lab.run("h0", command, folder=self.out, timeout=TIMEOUT)
            require(result.returncode == 0 or re.search(REFUSALS, result.stderr),
                    f"limit {limit}: status {result.returncode}: {result.stderr}")
            started += result.returncode == 0
            self.require_nothing_left()
        require(0 < started < 19, f"{started} of 19 jobs ran")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of tests/hosts/run with `--stage`: hosts that have neither Weft nor the program get both, and nothing of it
is left there afterwards. /run is each host's own."""

import contextlib
import os
import re
import shutil
import subprocess
import time

from cases import TIMEOUT, Skipped, require

STAGED = "--stage=/run"


class StagingCases:
    def staged_program(self):
        """Linked with a library of its own, which it finds by its absolute path alone."""
        binary = self.out / "staged"
        if not binary.exists():
            sources = self.root / "tests/hosts/programs"
            library = self.out / "own/libstaged.so"
            library.parent.mkdir()
            for words in (["-shared", "-fPIC", sources / "staged_library.c", "-o", library],
                          [sources / "staged.c", f"-L{library.parent}", "-lstaged", f"-Wl,-rpath,{library.parent}", "-o", binary]):
                made = subprocess.run([self.bin / "weftcc", "-O1", *words], capture_output=True, text=True)
                require(made.returncode == 0, made.stderr)
        return binary

    @contextlib.contextmanager
    def lacking(self, *hosts):
        """These hosts have neither Weft nor what the tests have compiled."""
        program = self.staged_program()
        folders = (self.bin.parent, self.out)
        for host in hosts:
            for folder in folders:
                self.lab.run(host, ["mount", "-t", "tmpfs", "none", folder])
            require(self.lab.run(host, ["ls", program]).returncode != 0, f"{host} has {program}")
        try:
            yield program
        finally:
            for host in hosts:
                self.lab.run(host, ["umount", *folders])

    def staged_on(self, host, parent="/run"):
        listed = self.lab.run(host, ["ls", parent]).stdout.splitlines()
        return [f"{parent}/{name}" for name in listed if re.fullmatch(r"weft-[0-9a-f]{16}", name)]

    def require_no_stage(self, *parents):
        """What `weft run` leaves when it has ended by itself: nothing, at once."""
        for host in self.lab.names:
            found = [each for parent in ("/run", *parents) for each in self.staged_on(host, parent)]
            require(not found, f"left on {host}: {found}")

    def runs_everywhere(self, *options, hosts, parent="/run"):
        names = [each.split(":")[0] for each in hosts.split(",") for _ in range(int((each.split(":") + [1])[1]))]
        stage = "--stage" if parent == "/tmp" else f"--stage={parent}"
        result = self.run(stage, *options, "--hosts", hosts, "-t", 1, "./staged")
        require(result.returncode == 0 and result.stderr == "", f"{result.returncode}: {result.stderr}")
        lines = result.stdout.splitlines()
        require(lines[0] == "name ./staged", result.stdout)
        found = [re.fullmatch(rf"(h\d) runs ({parent}/weft-[0-9a-f]{{16}}){re.escape(os.path.realpath(self.out))}/staged: 42", line)
                 for line in lines[1:]]
        require(all(found) and [each.group(1) for each in found] == names, result.stdout)
        require(len({each.group(2) for each in found}) == 1, result.stdout)
        self.require_no_stage(parent)

    def test_staged_where_hosts_have_nothing(self):
        with self.lacking("h1", "h2"):
            self.runs_everywhere(hosts="h0,h1:2,h2")
            self.runs_everywhere(hosts="h1,h2")
            self.input_and_status()

    def input_and_status(self):
        program = shutil.copy(self.out / "staged", self.out / "own/renamed")
        result = self.run(STAGED, "--hosts", "h1,h0", program, "copy", stdin=None, input="a line\n")
        require(result.returncode == 0 and result.stdout.endswith(": 42\na line\n"), str(result))
        result = self.run(STAGED, "-v", "--hosts", "h1", program, "status", 7)
        require(result.returncode == 7, f"{result.returncode} {result.stderr}")
        require(re.search(r"^weft: 5 files go to /run/weft-\w+ on each host, \d+ MiB$", result.stderr, re.M), result.stderr)
        self.require_no_stage()

    def test_staged_by_default_in_tmp(self):
        hosts = ("h0", "h1", "h2")
        with self.lab.own_tmp(hosts, (self.root, self.bin, self.out)), self.lacking("h1", "h2"):
            self.runs_everywhere(hosts="h0,h1:2,h2", parent="/tmp")

    def test_staged_through_others(self):
        with self.lacking("h1", "h2", "h3"):
            self.runs_everywhere("--fanout", 1, hosts="h0,h1,h2,h3")

    def test_staged_is_removed_whatever_ends_it(self):
        program = self.program("work")
        agent = r"^\s*\d+ /run/\S+/weft agent --stage"  # and not the shell, which has that among its words
        with self.lacking("h1", "h2"):
            for host, pattern, signal_name in (
                ("h1", agent, "KILL"),
                ("h1", agent, "TERM"),
                ("h0", r"ssh .* h1 ", "KILL"),
                ("h2", rf"^\s*\d+ {program}", "KILL"),
                ("h0", r"weft run", "KILL"),
                ("h0", r"weft run", "INT"),
            ):
                job = self.start(STAGED, "--hosts", "h0,h1,h2", "-t", 1, program)
                staged = {each: self.staged_on(each) for each in ("h0", "h1", "h2")}
                self.kill(host, pattern, signal_name)
                job.communicate(timeout=TIMEOUT)
                require(job.returncode != 0, f"{pattern}: status 0")
                self.require_nothing_left(but_sockets=True)
                require(len({tuple(each) for each in staged.values()}) == 1 and len(staged["h0"]) == 1, str(staged))
                self.require_no_stage()
                self.lab.run("h0", ["rm", "-rf", "/run/weft"])  # the socket of a launcher that was killed

    def test_staged_is_removed_when_it_breaks_off(self):
        """The launcher ends while files are on their way to h1: what carries them there swallows all but the first."""
        shell = self.out / "shell"
        shell.write_text(f'#!/bin/sh\n{{ head -c 1000000; exec cat 9>&1 >/dev/null; }} | {self.lab.ssh} "$@"\n')
        shell.chmod(0o755)
        program = self.staged_program()
        for signal_name in ("KILL", "INT"):
            job = self.lab.start("h0", self.command(STAGED, "--hosts", "h0,h1", program), folder=self.out, env={"WEFT_SSH": str(shell)},
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            end = time.monotonic() + TIMEOUT
            while not self.staged_on("h1"):
                require(time.monotonic() < end and job.poll() is None, "nothing came to h1")
                time.sleep(0.02)
            self.kill("h0", r"weft run", signal_name)
            _, errors = job.communicate(timeout=TIMEOUT)
            require(job.returncode == {"KILL": -9, "INT": 130}[signal_name] and errors == "", f"{job.returncode}: {errors}")
            self.require_nothing_left()
            self.require_no_stage()

    # --- what is refused ---

    @contextlib.contextmanager
    def mounted(self, host, options, folder="/mnt"):
        made = self.lab.run(host, ["mount", "-t", "tmpfs", "-o", options, "none", folder])
        require(made.returncode == 0, made.stderr)
        try:
            yield
        finally:
            self.lab.run(host, ["umount", folder])

    def staging_refused(self, pattern, *options, hosts="h1"):
        self.refused(126, rf"^weft: host h1: {pattern}$", *options, "--hosts", hosts, "-t", 1, self.staged_program())
        self.require_no_stage("/mnt")

    def test_staged_to_a_full_disk(self):
        with self.mounted("h0", "size=1g"), self.mounted("h1", "size=1m"):
            self.staging_refused(r"/mnt/weft-\w+/\S+ cannot be written: No space left on device; make room there, or name another "
                                 r"folder by --stage=FOLDER", "--stage=/mnt", hosts="h0,h1")
        with self.mounted("h1", "nr_inodes=4"):
            self.staging_refused(r"/mnt/weft-\w+/\S+ cannot be written: No space left on device; make room .*", "--stage=/mnt")
        with self.mounted("h1", "nr_inodes=1"):
            self.staging_refused(r"/mnt/weft-\w+ cannot be made: No space left on device; name another folder .*", "--stage=/mnt")
        with self.mounted("h0", "size=1g"), self.mounted("h1", "size=1g"), self.mounted("h2", "size=1m"):
            self.refused(126, r"^weft: host h2: /mnt/weft-\w+/\S+ cannot be written: No space left on device; .*$", "--stage=/mnt",
                         "--fanout", 1, "--hosts", "h0,h1,h2", self.staged_program())
            self.require_no_stage("/mnt")

    def test_staged_to_a_folder_that_is_no_good(self):
        with self.mounted("h1", "ro"):
            self.staging_refused(r"/mnt/weft-\w+ cannot be made: Read-only file system; name another folder by --stage=FOLDER, .*",
                                 "--stage=/mnt")
        with self.mounted("h1", "noexec"):
            self.staging_refused(r"programs in /mnt/weft-\w+ may not be executed \(is it mounted with noexec\?\); name another folder "
                                 r"by --stage=FOLDER", "--stage=/mnt")
        self.staging_refused(r"/nowhere/weft-\w+ cannot be made: No such file or directory; name another .*", "--stage=/nowhere")
        result = self.run("--stage=here", "--hosts", "h1", self.staged_program())
        require(result.returncode == 2 and "--stage: 'here' is not the absolute path of a folder" in result.stderr, str(result))

    @contextlib.contextmanager
    def without_library(self, host, name):
        """The host's folder of libraries, in which one is missing."""
        folder = "/usr/lib/x86_64-linux-gnu"
        script = (f"mkdir -p /run/hidden && mount -t tmpfs none /run/hidden && mknod /run/hidden/{name} c 0 0 && "
                  f"mount -t overlay -o lowerdir=/run/hidden:{folder} none {folder}")
        try:
            made = self.lab.run(host, ["sh", "-c", script])
            if made.returncode != 0:
                raise Skipped(f"there is no overlay here: {made.stderr}")
            yield f"{folder}/{name}"
        finally:
            # umount itself uses libraries from there.
            self.lab.run(host, ["sh", "-c", f"umount -l {folder}; umount -l /run/hidden; rmdir /run/hidden"])
            require(self.lab.run(host, ["test", "-e", f"{folder}/{name}"]).returncode == 0, f"{name} is still hidden")

    def test_staged_where_the_distribution_lacks_a_library(self):
        with self.without_library("h1", "libomp.so.5"):
            self.staging_refused(r"\S*/lib/x86_64-linux-gnu/libomp.so.5: No such file or directory; the program needs it, .* Install it there",
                                 STAGED)
        with self.without_library("h1", "libhwloc.so.15"):
            self.staging_refused(r"libraries that Weft needs are missing: libhwloc.so.15; install them there from its distribution", STAGED)

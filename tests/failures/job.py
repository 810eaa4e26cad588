# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs that are meant to fail: started, disturbed, waited for, and looked after what they leave."""

import ctypes
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import matrix  # noqa: E402
from cases import TIMEOUT, Complaint, Skipped  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
libc = ctypes.CDLL(None, use_errno=True)


def own_dev_shm():
    """Gives this process and its children a /dev/shm of their own, if it may; then whatever is in it
    was left by a job. Returns whether it could."""
    clone_newns, ms_rec, ms_private = 0x00020000, 0x4000, 1 << 18
    if libc.unshare(clone_newns) != 0:
        return False
    if libc.mount(b"none", b"/", None, ms_rec | ms_private, None) != 0:
        return False
    return libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, None) == 0


def forbid_userfaultfd():
    """For a child before exec: userfaultfd(2) is refused, as container runtimes do."""
    class Filter(ctypes.Structure):
        _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte),
                    ("k", ctypes.c_uint)]

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]

    number = {"x86_64": 323, "aarch64": 282}[os.uname().machine]
    refuse = 0x00050000 | 1  # SECCOMP_RET_ERRNO, EPERM
    filters = (Filter * 4)(Filter(0x20, 0, 0, 0), Filter(0x15, 0, 1, number), Filter(0x06, 0, 0, refuse),
                           Filter(0x06, 0, 0, 0x7fff0000))
    program = Program(4, filters)
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0  # PR_SET_SECCOMP, filter mode


def become_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


class Job:
    """One `weft run`. Its output goes to files, so that a full pipe cannot hold it up."""

    numbers = itertools.count()

    def __init__(self, command, environment=None, before_exec=None, stdin=subprocess.DEVNULL):
        self.command = [str(word) for word in command]
        self.mark = f"{os.getpid()}-failures-{next(self.numbers)}"
        self.shm_before = set(os.listdir("/dev/shm"))
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        variables = {**os.environ, **(environment or {}), matrix.MARK: self.mark}
        self.process = subprocess.Popen(self.command, stdin=stdin, stdout=self.out,
                                        stderr=self.err, env=variables, start_new_session=True,
                                        preexec_fn=before_exec)

    @staticmethod
    def text(file):
        size = os.fstat(file.fileno()).st_size
        return os.pread(file.fileno(), size, 0).decode(errors="replace")

    def wait_for_output(self, pattern):
        """The first match of `pattern` in standard output, once it is there."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            match = re.search(pattern, self.text(self.out))
            if match:
                return match
            if self.process.poll() is not None:
                break
            time.sleep(0.002)
        self.give_up(f"It never printed {pattern}.")

    def wait_until_idle(self, pid):
        """Until no thread of the process runs, so that all wait for something."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            states = [pathlib.Path(f"/proc/{pid}/task/{task}/stat").read_text().rpartition(")")[2].split()[0]
                      for task in os.listdir(f"/proc/{pid}/task")]
            if all(state == "S" for state in states):
                return
            time.sleep(0.002)
        self.give_up("Its threads never went to sleep.")

    def give_up(self, sentence):
        matrix.kill_job(self.mark)
        self.process.wait()
        raise Complaint(self.report(sentence))

    def report(self, sentence):
        return (f"{shlex.join(self.command)}\n{sentence}\nstatus {self.process.returncode}\n"
                f"--- standard output\n{self.text(self.out)[-2000:]}\n--- standard error\n{self.text(self.err)[-4000:]}")

    def finish(self):
        """Waits for the end, and checks that nothing is left. Returns (status, output, errors)."""
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            hung = "\n".join(filter(None, map(matrix.describe, matrix.processes_of(self.mark))))
            self.give_up(f"It was still running after {TIMEOUT} s:\n{hung}")
        survivors = matrix.survivors_of(self.mark)
        if survivors:
            self.give_up(f"It left processes behind: {survivors}")
        self.check_shm()
        return self.process.returncode, self.text(self.out), self.text(self.err)

    def check_shm(self):
        left = set(os.listdir("/dev/shm")) - self.shm_before
        if left and own_shm:
            raise Complaint(self.report(f"It left files in /dev/shm: {sorted(left)}"))

    def expect(self, status, errors=None, output=None):
        """Finishes the job; its status must be the given one, and the patterns must be found."""
        got_status, got_output, got_errors = self.finish()
        if got_status != status:
            raise Complaint(self.report(f"It ended with status {got_status}, not {status}."))
        if errors == "" and got_errors != "":
            raise Complaint(self.report("It printed on standard error."))
        if errors and not re.search(errors, got_errors):
            raise Complaint(self.report(f"Standard error has no {errors!r}."))
        if output and not re.search(output, got_output):
            raise Complaint(self.report(f"Standard output has no {output!r}."))
        return got_output, got_errors


own_shm = own_dev_shm()

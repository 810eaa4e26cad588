# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs whose threads wait for each other for ever, which must be said; and jobs that only take long, of which nothing
may be said. Looks at the nodes come so often that a job that takes long is looked at a dozen times."""

import os
import pathlib
import pty
import re
import subprocess

from job import Complaint

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
HEAD = r"(?m)^weft: no thread of the job can go on: all wait for each other, for ever$"
LOOKS = ["--look-ms=150"]


def line_of(comment, program="deadlock"):
    """The place in the program that has this comment, as a report names it."""
    lines = (PROGRAMS / f"{program}.c").read_text().splitlines()
    numbers = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {comment}")]
    assert len(numbers) == 1, comment
    return rf"\S*{program}\.c:{numbers[0]}"


class DeadlockTests:
    """Cases for Tests, which has program() and run()."""

    def stuck(self, *arguments, options=("--deadlock=abort",), **more):
        return self.run(self.program("deadlock", flags=["-g", "-O0"]), *arguments, options=[*LOOKS, *options], **more)

    def opposite_locks(self, first, second, nodes):
        """Two locks in opposite order, by threads of the same node or of two. `nodes` are theirs."""
        _, errors = self.stuck("locks", first, second).expect(1, HEAD)
        names = [f"thread {thread} of node {node}" for thread, node in zip((first, second), nodes)]
        self.has(errors, rf"{names[0]} waits for the lock `y` at {line_of('first wants y')}; held by {names[1]}, "
                         rf"which took it at {line_of('second takes y')}")
        self.has(errors, rf"{names[1]} waits for the lock `x` at {line_of('second wants x')}; held by {names[0]}, "
                         rf"which took it at {line_of('first takes x')}")
        self.has(errors, rf"in a circle: {names[0]} waits for {names[1]}, which waits for {names[0]}|"
                         rf"in a circle: {names[1]} waits for {names[0]}, which waits for {names[1]}")
        self.has(errors, "the job is ended")

    @staticmethod
    def has(errors, pattern):
        if not re.search(rf"(?m)^weft: +(?:{pattern})$", errors):
            raise Complaint(f"Nothing like {pattern!r} in\n{errors}")

    def missed_barrier(self, holder, late, node):
        _, errors = self.stuck("barrier", holder, late).expect(1, HEAD)
        self.has(errors, rf"thread {late} of node {node} waits for the lock `x` at {line_of('late wants x')}; held by "
                         rf"thread {holder} of node 0, which took it at {line_of('holder takes x')}")
        self.has(errors, rf"thread {holder}.* of node 0 waits? for a barrier at {line_of('the others wait')}")

    def critical(self):
        _, errors = self.stuck("critical").expect(1, HEAD)
        self.has(errors, rf"thread 0 of node 0 waits for the lock `x` at {line_of('wants x again')}; it holds that "
                         r"already, taken at \S*deadlock\.c:\d+")
        self.has(errors, rf"thread 2, thread 3 of node 1 wait for the critical region `outer` at {line_of('wants outer')}; "
                         rf"held by thread 0 of node 0, which took it at {line_of('takes outer')}")

    def mutex_twice(self):
        _, errors = self.stuck("mutex").expect(1, HEAD)
        self.has(errors, rf"thread \(tid \d+\) of node 0 waits for the mutex `mutex` at {line_of('wants it again')}; "
                         rf"it holds that already, taken at {line_of('takes the mutex')}")
        self.has(errors, r"thread \(tid \d+\) of node 1 waits for the next parallel region")

    def lost_signal(self):
        _, errors = self.stuck("condition").expect(1, HEAD)
        self.has(errors, r"thread \(tid \d+\) of node 0 waits for a condition variable `condition` at "
                         + line_of("too late"))

    def own_thread(self):
        _, errors = self.stuck("thread").expect(1, HEAD)
        self.has(errors, rf"thread \(tid \d+\) of node 0 waits for a semaphore `semaphore` at {line_of('nobody posts')}")
        self.has(errors, rf"thread \(tid \d+\) of node 0 waits for the end of a thread at {line_of('never ends')}")

    def thread_elsewhere(self):
        _, errors = self.stuck("thread", options=("--deadlock=abort", "--threads-on=all")).expect(1, HEAD)
        self.has(errors, rf"thread \(tid \d+\) of node 1 waits for a semaphore `semaphore` at {line_of('nobody posts')}")
        self.has(errors, rf"thread \(tid \d+\) of node 0 waits for the end of a thread at {line_of('never ends')}")

    def only_reported(self):
        """By default the job stays as it is; a signal ends it, as any."""
        job = self.stuck("mutex", options=())
        while not re.search(HEAD, job.text(job.err)):
            if job.process.poll() is not None:
                job.give_up("It ended by itself.")
        job.process.terminate()
        job.expect(143, HEAD)

    def without_places(self):
        """Without debugging information the functions are named."""
        program = self.program("deadlock", flags=["-g0"])
        _, errors = self.run(program, "mutex", options=[*LOOKS, "--deadlock=abort"]).expect(1, HEAD)
        self.has(errors, r"thread .* of node 0 waits for the mutex .* at main\+0x[0-9a-f]+ \(deadlock\); it holds that "
                         r"already, taken at main\+0x[0-9a-f]+ \(deadlock\)")

    def inside(self, what, *patterns):
        """The same of a program that stays on node 0, whose objects are the C library's."""
        program = self.program("deadlock_threads", flags=["-g", "-O0"])
        job = self.run(program, what, options=[*LOOKS, "--deadlock=abort"], environment={"WEFT_SPREAD": "auto"})
        _, errors = job.expect(1, HEAD)
        for pattern in patterns:
            self.has(errors, pattern)

    def test_deadlock_inside(self):
        place = lambda comment: line_of(comment, "deadlock_threads")
        thread = r"thread \(tid \d+\) of node 0"
        yield "deadlock_inside_mutexes", lambda: self.inside(
            "mutexes",
            rf"{thread} waits for the mutex `y` at {place('main wants y')}; held by {thread}, which took it at "
            rf"{place('other takes y')}",
            rf"{thread} waits for the mutex `x` at {place('other wants x')}; held by {thread}, which took it at "
            rf"{place('main takes x')}",
            rf"in a circle: {thread} waits for {thread}, which waits for {thread}")
        yield "deadlock_inside_condition", lambda: self.inside(
            "condition", rf"{thread} waits for a condition variable `condition` at {place('nobody signals')}",
            rf"{thread} waits for the end of a thread at {place('never ends')}")
        yield "deadlock_inside_table", lambda: self.inside(
            "table", rf"{thread} waits for a read-write lock `table` at {place('read already')}")
        yield "deadlock_inside_barrier", lambda: self.inside(
            "barrier", rf"{thread} waits for a pthread barrier `three` at {place('two of three')}",
            rf"{thread} waits for a semaphore `semaphore` at {place('nobody posts')}")

    def test_deadlock(self):
        yield "deadlock_locks_two_nodes", lambda: self.opposite_locks(0, 3, (0, 1))
        yield "deadlock_locks_one_node", lambda: self.opposite_locks(0, 1, (0, 0))
        yield "deadlock_locks_other_node", lambda: self.opposite_locks(2, 5, (1, 2))
        yield "deadlock_missed_barrier", lambda: self.missed_barrier(0, 5, 2)
        yield "deadlock_missed_barrier_one_node", lambda: self.missed_barrier(0, 1, 0)
        for case in (self.critical, self.mutex_twice, self.lost_signal, self.own_thread, self.thread_elsewhere,
                     self.only_reported, self.without_places):
            yield f"deadlock_{case.__name__}", case

    # --- nothing is said of these ---

    def slow(self, what, thread, **more):
        self.run(self.program("no_deadlock"), what, thread, options=[*LOOKS, "--deadlock=abort"], **more).expect(
            0, "", "went on")

    def switched_off(self):
        job = self.stuck("mutex", options=["--deadlock=off"])
        pid = int(job.process.pid)
        job.wait_until_idle(pid)
        job.process.terminate()
        job.expect(143, "")

    def reads_terminal(self):
        """Node 0 waits for a line of a terminal, which somebody types after a while."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(["sh", "-c", "sleep 2; echo typed"], stdout=ours):
            self.slow("read", 0, stdin=theirs)
        os.close(ours)
        os.close(theirs)

    def test_no_deadlock(self):
        for what in ("compute", "sleep", "receive", "time", "child"):
            for thread in (0, 3):
                yield f"no_deadlock_{what}_thread{thread}", lambda w=what, t=thread: self.slow(w, t)
        yield "no_deadlock_signal", lambda: self.slow("signal", 0)
        yield "no_deadlock_locks", lambda: self.slow("locks", 0)
        yield "no_deadlock_terminal", self.reads_terminal
        yield "no_deadlock_off", self.switched_off

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring on a machine where others work, too: what they disturbed is measured again.

Whether a measurement is disturbed is decided by the processor time that processes outside the benchmark took
meanwhile, never by its result.
"""

import os
import resource
import time

TOLERATED = 0.04  # of all processors' time
TICK = 1 / os.sysconf("SC_CLK_TCK")  # s


def busy_seconds():
    """Of all processors, in programs and in the kernel for them. Interrupts are nobody's."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system = map(int, file.readline().split()[1:4])
    return (user + nice + system) * TICK


def own_seconds():
    total = 0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


class Quiet:
    """Hands out results of measurements, and knows how many were disturbed."""

    def __init__(self, patience):
        """In all, up to `patience` seconds are spent on measuring again."""
        self.left = patience
        self.kept = self.repeated = self.disturbed = 0

    def measure(self, action):
        """What `action` returns. It is called again until nobody disturbs it, as long as the patience lasts."""
        while True:
            start, busy, own = time.monotonic(), busy_seconds(), own_seconds()
            result = action()
            took = time.monotonic() - start
            others = busy_seconds() - busy - (own_seconds() - own)
            is_disturbed = others > TOLERATED * took * os.cpu_count() + 2 * TICK
            if not is_disturbed or self.left <= 0:
                self.kept += 1
                self.disturbed += is_disturbed
                return result
            self.left -= took
            self.repeated += 1

    def summary(self):
        text = f"{self.kept} measurements"
        if self.repeated:
            text += f", {self.repeated} more measured again because other programs took more than {TOLERATED:.0%} of the processors"
        if self.disturbed:
            text += f"; {self.disturbed} of those that are shown are disturbed like this, for the patience was at its end"
        return text


def add_argument(parser):
    parser.add_argument("--patience", type=float, default=300, metavar="S",
                        help="seconds to spend on measuring again what other programs have disturbed")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What drivers of cases share: their command line, how a case ends, and what the driver says of all."""

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

SKIPPED = 77  # the status that ctest is told of
TIMEOUT = 120  # seconds; a loaded machine is no failure


class Complaint(Exception):
    """What a job did wrong, in a sentence."""


class Skipped(Exception):
    """Why something cannot be tested here."""


def require(condition, sentence):
    if not condition:
        raise Complaint(sentence)


def argument_parser(description):
    """The options that all drivers of cases have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(),
                        default=pathlib.Path(__file__).resolve().parent.parent / "build/bin")
    parser.add_argument("--test", default="*", help="names to run, separated by commas; * stands for anything")
    parser.add_argument("--list", action="store_true", help="name all cases, and run none")
    return parser


def chosen(cases, options):
    """Of the pairs of a name and a function, those that the user has named."""
    return [(name, case) for name, case in cases if any(fnmatch.fnmatch(name, each) for each in options.test.split(","))]


def print_names(cases):
    print("\n".join(name for name, _ in cases))
    return 0


def begin(*prefixes):
    """Settings of whoever calls the driver are not the tests', and what it has made goes when it is ended. Regions stay on
    all nodes, as tests count messages; those that are about where regions run say so themselves."""
    for name in list(os.environ):
        if name.startswith(prefixes) or name == "LD_PRELOAD":
            del os.environ[name]
    os.environ["WEFT_SPREAD"] = "always"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def run_case(name, case):
    """"passed", "skipped" or "failed"."""
    started = time.monotonic()
    try:
        case()
        end = "passed"
    except Skipped as reason:
        print(f"{name}: skipped: {reason}", flush=True)
        return "skipped"
    except (Complaint, RuntimeError, subprocess.TimeoutExpired) as complaint:
        print(f"{name}: {complaint}")
        end = "failed"
    print(f"{name}: {end} in {time.monotonic() - started:.1f} s", flush=True)
    return end


def status_of(ends):
    """Says how many cases have ended how (counted in `ends`), and returns the driver's exit status."""
    print(", ".join(f"{count} {end}" for end, count in ends.items()))
    if any("failed" in end for end in ends) or not ends:
        return 1
    return SKIPPED if set(ends) == {"skipped"} else 0


def run_all(cases):
    """Runs these pairs of a name and a function, says how they have ended, and returns the driver's exit status."""
    return status_of(collections.Counter(run_case(*each) for each in cases))


def told_at_end(errors):
    """{node: what it told at its end}, of a job that ran with --stats=json and wrote these errors."""
    told = (json.loads(line) for line in errors.splitlines() if line.startswith("{"))
    return {each["weft_node"]: each for each in told}

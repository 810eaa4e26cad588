# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a published program plainly and on nodes, and says whether its answer is the same."""

import dataclasses
import os
import re
import shlex
import signal
import subprocess

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")


@dataclasses.dataclass
class Result:
    output: str
    answer: list
    status: int = 0  # some programs end with 1 because their sizes are not the standard ones
    complaint: str = ""


def reference(program, threads, options):
    """What plain libomp answers with so many threads, which leave a busy machine's processors when they wait."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), KMP_BLOCKTIME="0")
    result = run(program, "plain", [], threads, environment, options)
    if not result.complaint and result.status not in (0, 1):
        result.complaint = f"status {result.status}"
    if not result.complaint and not result.answer:
        result.complaint = "no answer is printed"
    return result


def on_nodes(program, nodes, options, expected):
    job = [options.bin.resolve() / "weft", "run", "-n", str(nodes), "--threads", str(options.threads)]
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    result = run(program, "weft", job, nodes * options.threads, environment, options)
    if not result.complaint and result.status != expected.status:
        result.complaint = f"status {result.status}"
    if not result.complaint and not same(result.answer, expected.answer, program.tolerance):
        result.complaint = "wrong"
    return result


def run(program, kind, job, threads, environment, options):
    words = job + shlex.split(program.command.format(threads=threads))
    tree = program.tree(options.work, kind)
    process = subprocess.Popen(words, cwd=tree, env=environment, text=True, errors="replace", stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = process.communicate(input_of(program, tree, threads), timeout=options.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        return Result(output + errors, [], complaint=f"not done after {options.seconds} s")
    if program.after:
        output += subprocess.run(program.after, shell=True, cwd=tree, capture_output=True, text=True).stdout
    return Result(output + errors, answer_of(program, output + errors), process.returncode)


def input_of(program, tree, threads):
    if program.input_file:
        return (tree / program.input_file).read_text()
    return program.input.format(threads=threads)


def answer_of(program, output):
    """The lines that count, without what differs from run to run."""
    lines = [line for line in output.splitlines() if re.search(program.answer, line)]
    if program.drop:
        lines = [re.sub(program.drop, "", line) for line in lines]
    return sorted(lines) if program.sorted else lines


def same(got, expected, tolerance):
    """Equal texts, and numbers that differ by no more than the tolerance allows."""
    return len(got) == len(expected) and all(same_line(*pair, tolerance) for pair in zip(got, expected))


def same_line(got, expected, tolerance):
    if got == expected:
        return True
    if NUMBER.split(got) != NUMBER.split(expected):
        return False
    return all(close(*pair, tolerance) for pair in zip(NUMBER.findall(got), NUMBER.findall(expected)))


def close(got, expected, tolerance):
    if got == expected:
        return True
    number = lambda text: float(re.sub("[dD]", "e", text))
    return abs(number(got) - number(expected)) <= tolerance * abs(number(expected))

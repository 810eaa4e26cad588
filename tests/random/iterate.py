# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that iterate (iterated.py) on random jobs: nodes, threads, back ends, transports, policies, jitter.

    tests/random/run --iterated --seconds 120           so long, and other seeds with --first
    tests/random/run --iterated --nightly               half an hour, with seeds that no other night has
    tests/random/run --iterated --seed 17               one program in all of its settings
    tests/random/run --iterated --seed 17.2             in one of them
    tests/random/run --iterated --seed 17.2 --keep p0,p2 --repeat 20
    tests/random/run --iterated --seed 17 --print       the program's text

Each seed is a program, and each program runs in a few settings. What fails is made smaller, and the commands
that repeat it are printed. --set WEFT_PUSH=off,... replaces what a setting has.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import os
import pathlib
import random
import re
import shlex
import subprocess
import time

import iterated
import matrix
import shrink

SETTINGS = 3  # of a program
NIGHT_SECONDS = 1800
OPTIMISATIONS = ["-O0", "-O1", "-O2", "-O3"]
ENVIRONMENT = {  # what is drawn from; nothing: as it is by default
    "WEFT_PUSH": [None, None, None, None, "join", "off"],
    "WEFT_HOMES": [None, None, None, None, "follow", "stay"],
    "WEFT_LOCKS": [None, None, None, None, None, "plain", "write-vector", "rmp", "rmp-lm", "rmp-mh"],
    "WEFT_PAGES": [None] * 10 + ["single-writer", "multiple-writer", "migratory", "producer-consumer", "read-mostly",
                                 "write-shared"],
    "WEFT_RELEASE": [None] * 7 + ["eager"],
    "WEFT_ATOMICS": [None, None, "each"],
    "WEFT_READS": [None, None, None, "asked"],
    "WEFT_MEET": [None, None, None, "0"],
    "WEFT_CHECK": [None, None, "protocol"],
    "WEFT_JITTER_US": [None, None, "20", "100", "400"],
}


@dataclasses.dataclass
class Case:
    seed: int
    number: int  # of the setting
    program: object
    nodes: int
    threads: int
    back_end: str
    transport: str
    flags: list
    environment: dict
    milliseconds: int
    keep: set = None

    def name(self):
        return f"iterated-{self.seed}-{self.number}"

    def command(self):
        words = ["tests/random/run", "--iterated", "--seed", f"{self.seed}.{self.number}"]
        if self.keep is not None:
            words += ["--keep", ",".join(n for n in self.program.step_names() if n in self.keep)]
        return shlex.join(words)

    def job(self, options, binary):
        words = [str(options.bin / "weft"), "run", "-n", str(self.nodes), "--threads", str(self.threads), "--back-end",
                 self.back_end, "--transport", self.transport, str(binary), str(self.milliseconds)]
        return words

    def job_line(self, options, binary):
        """As one would type it."""
        return " ".join([*[f"{k}={v}" for k, v in self.environment.items()], shlex.join(self.job(options, binary))])


def drawn_environment(rng):
    environment = {name: value for name, values in ENVIRONMENT.items() if (value := rng.choice(values))}
    if environment.get("WEFT_RELEASE") == "eager" and environment.get("WEFT_LOCKS") not in ("plain", "write-vector"):
        environment.pop("WEFT_LOCKS", None)
    if "WEFT_JITTER_US" in environment:
        environment["WEFT_JITTER_SEED"] = str(rng.randint(1, 9999))
    return environment


def draw_case(seed, number, options):
    rng = random.Random(f"iterated setting {seed}.{number}")
    case = Case(seed, number, iterated.draw(seed, options.kinds), rng.choice([2, 2, 2, 2, 3, 3, 4, 5, 8]), rng.choice([1, 1, 2]),
                rng.choice(matrix.BACK_ENDS), rng.choice(["shm", "shm", "tcp"]), [rng.choice(OPTIMISATIONS)],
                drawn_environment(rng), rng.choice([300, 300, 800, 800, 3000]), options.keep)
    changes = {name: getattr(options, name) for name in ("nodes", "threads", "back_end", "transport", "milliseconds")
               if getattr(options, name) is not None}
    case = dataclasses.replace(case, **changes)
    for name, value in options.set:
        case.environment.pop(name, None)
        if value:
            case.environment[name] = value
    return case


def compiled(case, options, name):
    source = options.out / f"{name}.c"
    text = case.program.render(case.keep)
    if options.without_locks:
        text = re.sub(r"omp_(un)?set_lock\(", "(void)(", re.sub(r"!omp_test_lock\(", "!(", text))
    source.write_text(text)
    binary = source.with_suffix("")
    command = [str(options.bin / "weftcc"), *case.flags, "-w", str(source), "-o", str(binary)]
    # Their arrays are small: all that the compiler can say ahead of loops is said.
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "WEFT_FEWEST_BYTES": "1"})
    return binary, f"{shlex.join(command)}\n{result.stderr.strip()}" if result.returncode else ""


def try_case(case, options, name, repeat):
    """What is wrong with the program: the first complaint of so many runs."""
    binary, complaint = compiled(case, options, name)
    for _ in range(repeat if not complaint else 0):
        _, status, output, errors, trouble = matrix.run_marked(case.job(options, binary), options.timeout, case.environment,
                                                              traced=binary)
        if status == 0 and not trouble and output.startswith("right for"):
            continue
        complaint = "\n".join([trouble or f"It ended with status {status}.", errors.strip()]).strip()
        break
    for path in (binary, binary.with_suffix(".c")) if not complaint else ():
        path.unlink()
    return complaint


def report(case, complaint, options):
    kinds = case.program.kinds()
    print(f"FAIL {case.command()}\n  {case.job_line(options, options.out / case.name())}\n{complaint}", flush=True)
    until = time.monotonic() + options.shrink_seconds
    fails = lambda keep: try_case(dataclasses.replace(case, keep=keep), options, f"shrink-{case.name()}", 6)
    kept, why = shrink.smallest(list(case.keep or case.program.step_names()), fails, until)
    if why:
        smaller = dataclasses.replace(case, keep=set(kept))
        binary, _ = compiled(smaller, options, f"small-{case.name()}")
        phases = ", ".join(f"{name} {kinds[name]}" for name in kept)
        print(f"It still fails with {phases}:\n  {smaller.command()}\n  {smaller.job_line(options, binary)}\n{why}", flush=True)
    print(flush=True)


def cases(options):
    """Without end, if no seed is given."""
    if options.seed:
        seed, _, number = options.seed.partition(".")
        yield from (draw_case(int(seed), n, options) for n in ([int(number)] if number else range(SETTINGS)))
        return
    seed = options.first
    while True:
        yield from (draw_case(seed, number, options) for number in range(SETTINGS))
        seed += 1


def parse_arguments(words):
    parser = argparse.ArgumentParser(prog="tests/random/run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterated", action="store_true", required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=matrix.ROOT / "build/bin")
    parser.add_argument("--seconds", type=float, help="begin no more runs after so long (120)")
    parser.add_argument("--nightly", action="store_true")
    parser.add_argument("--first", type=int, help="the first seed (1, or the day's if --nightly)")
    parser.add_argument("--seed", help="this program alone, or one setting of it: 17 or 17.2")
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--back-end", choices=matrix.BACK_ENDS)
    parser.add_argument("--transport", choices=["shm", "tcp"])
    parser.add_argument("--set", type=lambda text: [w.split("=", 1) for w in text.split(",")], default=[])
    parser.add_argument("--kinds", type=lambda text: text.split(","), help="phases of these kinds alone")
    parser.add_argument("--keep", type=lambda text: set(text.split(",")), help="these phases alone")
    parser.add_argument("--repeat", type=int, default=1, help="runs in each setting")
    parser.add_argument("--milliseconds", type=int, help="that a program iterates for at most")
    parser.add_argument("--timeout", type=float, default=90, help="seconds that a run may take")
    parser.add_argument("--jobs", type=int, default=2, help="at once")
    parser.add_argument("--shrink-seconds", type=float, default=90, help="time to make a failing program smaller")
    parser.add_argument("--stop", action="store_true", help="at the first failure")
    parser.add_argument("--without-locks", action="store_true", help="omp_set_lock does nothing, which must be found")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, help="where programs are put; those that fail stay there")
    options = parser.parse_args(words)
    days = abs((datetime.date.today() - datetime.date(2026, 1, 1)).days)
    options.first = options.first or (100000 * (days + 1) if options.nightly else 1)
    options.seconds = options.seconds or (NIGHT_SECONDS if options.nightly else 120)
    options.out = (options.out or options.bin.parent / "random").resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    return options


class Tally:
    """What came of the runs."""

    def __init__(self, options):
        self.options, self.began = options, time.monotonic()
        self.passed, self.failed, self.kinds, self.nodes, self.seeds = 0, 0, set(), {}, set()

    def goes_on(self):
        late = not self.options.seed and time.monotonic() - self.began > self.options.seconds
        return not late and not (self.options.stop and self.failed)

    def run(self, case):
        return case, try_case(case, self.options, case.name(), self.options.repeat)

    def take(self, done):
        case, complaint = done.result()
        self.kinds |= set(case.program.kinds().values())
        self.nodes[case.nodes] = self.nodes.get(case.nodes, 0) + 1
        self.seeds.add(case.seed)
        if not complaint:
            self.passed += 1
            return
        self.failed += 1
        print(f"after {time.monotonic() - self.began:.0f} s, {self.passed + self.failed} runs", flush=True)
        report(case, complaint, self.options)

    def print(self):
        nodes = ", ".join(f"{count} on {nodes} nodes" for nodes, count in sorted(self.nodes.items()))
        print(f"seeds {min(self.seeds)} to {max(self.seeds)}: {self.passed} runs passed, {self.failed} failed; {nodes}; "
              f"{len(self.kinds)} kinds of phases; {time.monotonic() - self.began:.0f} s")


def main(words):
    options = parse_arguments(words)
    matrix.os.environ.pop("OMP_NUM_THREADS", None)
    todo = cases(options)
    if options.print:
        print(next(todo).program.render(options.keep), end="")
        return 0
    tally, running = Tally(options), set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        while tally.goes_on() or running:
            while tally.goes_on() and len(running) < options.jobs and (case := next(todo, None)):
                running.add(pool.submit(tally.run, case))
            if not running:
                break
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for each in done:
                tally.take(each)
    tally.print()
    return 1 if tally.failed or not tally.passed else 0

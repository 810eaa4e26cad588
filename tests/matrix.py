# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the matrix drivers share: programs are compiled once and run over nodes, threads and back ends.

A job that takes too long is killed, whatever processes and sessions it has spread over, and what its
threads were waiting for is printed. Every process of a job is known by a variable in its environment,
which is also how processes that outlive their job are found.
"""

import argparse
import concurrent.futures
import dataclasses
import fcntl
import itertools
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BACK_ENDS = ["uffd-async", "uffd-sync", "mprotect"]
COMPILERS = {".c": "weftcc", ".cpp": "weftc++", ".f90": "weftfc"}
PLAIN_COMPILERS = {".c": "clang-22", ".cpp": "clang++-22", ".f90": "flang-22"}
MARK = "MATRIX_JOB"


@dataclasses.dataclass
class Program:
    """One program to run, with what its output is held against."""

    name: str
    source: pathlib.Path
    arguments: list = dataclasses.field(default_factory=list)
    flags: list = dataclasses.field(default_factory=list)
    link: list = dataclasses.field(default_factory=list)  # behind the source
    judge: object = None  # (output of the job, output of the plain run) -> complaint or None
    needs_plain_run: bool = False
    status: int = 0
    environment: dict = dataclasses.field(default_factory=dict)
    least_nodes: int = 1
    counted: list = dataclasses.field(default_factory=list)  # counters of --stats that must not be 0
    binary: pathlib.Path = None
    plain_output: str = ""


@dataclasses.dataclass
class Setting:
    nodes: int
    threads: int
    back_end: str

    def __str__(self):
        return f"{self.nodes} nodes x {self.threads} threads, {self.back_end}"


@dataclasses.dataclass
class Outcome:
    seconds: float
    complaint: str = ""
    output: str = ""


def argument_parser(description, what):
    """The options that all matrix drivers have."""
    numbers = lambda text: [int(part) for part in text.split(",")]
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin",
                        help="where weftcc, weftc++, weftfc and weft are")
    parser.add_argument("--weft", help="the weft command, if not in --bin")
    parser.add_argument("--plain-compilers", action="store_true",
                        help="compile with clang and flang alone (to test the programs or this driver)")
    parser.add_argument("--plain-run", action="store_true",
                        help="run without weft, nodes x threads as OMP_NUM_THREADS")
    parser.add_argument("--nodes", type=numbers, default=[1, 2, 3, 4, 8])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--back-ends", type=words, default=BACK_ENDS)
    parser.add_argument(*{f"--{what}", "--test"}, type=words, default=None, dest="names",
                        help="only these; a trailing * stands for anything")
    parser.add_argument("--list", action="store_true", help="name all that can be run, and run nothing")
    parser.add_argument("--timeout", type=float, default=60, help="seconds that a job may take")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="jobs to run at once")
    parser.add_argument("--flags", type=shlex.split, default=["-O2"], help="for the compilers")
    parser.add_argument("--out", type=pathlib.Path, help="where to put the compiled programs")
    parser.add_argument("--weft-options", type=shlex.split, default=[], help="more options of weft run")
    parser.add_argument("--stop", action="store_true", help="stop at the first failure")
    return parser


def print_names(names):
    """What --list prints. Returns the exit status."""
    print("\n".join(names))
    return 0


def selected(programs, names):
    if names is None:
        return programs
    matches = lambda program, name: (program.name.startswith(name[:-1]) if name.endswith("*")
                                     else program.name == name)
    for name in names:
        if not any(matches(program, name) for program in programs):
            sys.exit(f"There is no program called {name}.")
    return [p for p in programs if any(matches(p, name) for name in names)]


def compile_all(programs, options, default_out):
    """Compiles what is out of date, two at a time. Returns complaints by program name."""
    out = (options.out or default_out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    binary_names = {p.source.name: out / p.source.name.replace(".", "_") for p in programs}
    for program in programs:
        program.binary = binary_names[program.source.name]
    by_source = {p.source.name: p for p in programs}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda p: compile_one(p, options), by_source.values())
        complaints = dict(zip(by_source, results))
    return {p.name: complaints[p.source.name] for p in programs if complaints[p.source.name]}


def newest_tool(commands):
    """When the newest of what is in the folder of commands, and in lib beside it, was made; 0 if there is nothing."""
    tools = [path for folder in (commands, commands.parent / "lib") if folder.is_dir() for path in folder.iterdir()]
    return max((path.stat().st_mtime for path in tools if path.is_file()), default=0)


def compile_one(program, options):
    compilers = PLAIN_COMPILERS if options.plain_compilers else COMPILERS
    compiler = compilers[program.source.suffix]
    command = [compiler if options.plain_compilers else str(options.bin / compiler)]
    if options.plain_compilers:
        command.append("-fopenmp")
    command += [*options.flags, *program.flags, str(program.source), *program.link, "-o",
                str(program.binary)]
    if program.source.suffix == ".f90":
        modules = program.binary.with_suffix(".modules")
        modules.mkdir(exist_ok=True)
        command += ["-module-dir", str(modules)]
    else:
        command.append("-lm")
    stamp = program.binary.with_suffix(".command")
    folder = program.source.parent
    beside = [program.source, *folder.glob("*.h"), *folder.parent.glob("*.h")]
    fresh = max([*(p.stat().st_mtime for p in beside), 0 if options.plain_compilers else newest_tool(options.bin)])
    return made_once(command, program.binary, fresh, stamp)


def made_once(command, binary, fresh, stamp=None):
    """Runs a compiler's command that makes `binary`, unless it is newer than `fresh`, and made by the same command,
    which `stamp` keeps. Another driver may want it, too: one makes it while the others wait, as the nodes of a job
    refuse each other if the file is replaced while they start. Returns a complaint, or None."""
    with open(binary.with_name(f"{binary.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (binary.exists() and binary.stat().st_mtime > fresh
                and (not stamp or stamp.exists() and stamp.read_text() == shlex.join(command))):
            return None
        if complaint := made_whole(command, binary):
            return complaint
        if stamp:
            stamp.write_text(shlex.join(command))
    return None


def made_whole(command, binary):
    """Runs a compiler's command that makes `binary`, and puts it in place as a whole: a driver that is killed leaves no
    half of one. Returns a complaint, or None."""
    made = binary.with_name(f"{binary.name}.{os.getpid()}")
    apart = [str(made) if word == str(binary) else word for word in command]
    try:
        result = subprocess.run(apart, capture_output=True, text=True, timeout=300)
    except OSError as error:
        return f"{command[0]} cannot be run: {error.strerror}"
    if result.returncode != 0:
        return f"{shlex.join(command)}\n{result.stderr.strip()}"
    made.replace(binary)
    return None


def declared(source, key):
    """What a program of tests/openmp says about itself in a line "flags: ...", "status: ...", "least_nodes: ...",
    "counted: ..." (counters that must not be 0) or "environment: NAME=VALUE ..." of its head comment."""
    for line in source.read_text().splitlines()[:14]:
        text = line.lstrip("/! ")
        if not line.startswith(("/", "!")) or f"{key}:" not in text:
            continue
        if not text.startswith(f"{key}:"):
            sys.exit(f"{source}: \"{key}:\" is only read at the beginning of a line: {text}")
        return text.removeprefix(f"{key}:").split()
    return []


def processes_of(mark):
    """All processes, in whatever session, whose environment carries the job's mark."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            environment = pathlib.Path(f"/proc/{entry}/environ").read_bytes()
        except OSError:
            continue
        if wanted in environment.split(b"\0"):
            found.append(int(entry))
    return found


def describe(pid):
    """One line for each thread: what it is and what it waits for."""
    lines = []
    try:
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        lines.append(f"    process {pid}: {command.strip()}")
        for task in sorted(os.listdir(f"/proc/{pid}/task"), key=int):
            folder = pathlib.Path(f"/proc/{pid}/task/{task}")
            state = folder.joinpath("stat").read_text().rpartition(")")[2].split()[0]
            name = folder.joinpath("comm").read_text().strip()
            waits = folder.joinpath("wchan").read_text() or "?"
            lines.append(f"      thread {task} {name}: state {state}, in {waits}")
    except (OSError, ValueError):
        pass
    return "\n".join(lines)


def backtraces(mark, program):
    """Where the threads of the job's nodes are, by gdb if there is one."""
    if not shutil.which("gdb"):
        return ""
    texts = []
    for pid in processes_of(mark):
        try:
            if os.readlink(f"/proc/{pid}/exe") != str(program):
                continue
            command = ["gdb", "-batch", "-p", str(pid), "-ex", "thread apply all bt 14"]
            result = subprocess.run(command, capture_output=True, text=True, timeout=60)
            lines = [f"      {line}" for line in result.stdout.splitlines() if line.startswith(("#", "Thread"))]
            texts.append(f"    process {pid}:\n" + "\n".join(lines))
        except (OSError, subprocess.TimeoutExpired):
            pass
    return "\n".join(texts)


def kill_job(mark):
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in processes_of(mark):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        for _ in range(20):  # then comes the next signal
            if not processes_of(mark):
                return
            time.sleep(0.1)


def run_marked(command, timeout, environment=None, traced=None):
    """Runs one command. Returns (seconds, exit status or None, stdout, stderr, what hung or survived).

    Of a job that hangs, the processes that run the program `traced` are looked at with gdb.
    """
    mark = f"{os.getpid()}-{next(run_marked.numbers)}"
    environment = {**os.environ, **(environment or {}), MARK: mark}
    started = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment, start_new_session=True)
    trouble, status = "", None
    try:
        output, errors = process.communicate(timeout=timeout)
        status = process.returncode
        time_taken = time.monotonic() - started
        survivors = [text for text in map(describe, survivors_of(mark)) if text]
        if survivors:
            trouble = "It left processes behind:\n" + "\n".join(survivors)
    except subprocess.TimeoutExpired:
        time_taken = time.monotonic() - started
        hung = "\n".join(filter(None, map(describe, processes_of(mark))))
        trouble = f"It was still running after {timeout:g} s:\n{hung}"
        if traced:
            trouble += "\n" + backtraces(mark, traced)
        kill_job(mark)
        process.kill()
        output, errors = process.communicate()
    if trouble:
        kill_job(mark)
    return time_taken, status, output.decode(errors="replace"), errors.decode(errors="replace"), trouble


run_marked.numbers = itertools.count()


def survivors_of(mark):
    """Processes still there some time after the job ended: on a loaded machine, the last ones take theirs."""
    for _ in range(200):
        left = processes_of(mark)
        if not left:
            return []
        time.sleep(0.05)
    return left


def command_for(program, setting, options):
    """The command of a job and what it needs in the environment."""
    arguments = [str(program.binary), *program.arguments]
    if options.plain_run:
        return arguments, {"OMP_NUM_THREADS": str(setting.nodes * setting.threads)}
    weft = options.weft or str(options.bin / "weft")
    return [weft, "run", "-n", str(setting.nodes), "--threads", str(setting.threads), "--back-end",
            setting.back_end, *options.weft_options, *arguments], {}


def run_job(program, setting, options):
    command, environment = command_for(program, setting, options)
    environment = {**program.environment, **environment}
    seconds, status, output, errors, trouble = run_marked(command, options.timeout, environment,
                                                          traced=program.binary)
    complaint = trouble
    if not complaint and status != program.status:
        complaint = f"It ended with status {status}, not {program.status}."
    if not complaint:
        complaint = program.judge(output, program.plain_output) or ""
    if not complaint and not options.plain_run:
        complaint = "".join(f"{name} is 0." for name in program.counted if not re.search(rf"\b{name} [1-9]", errors))
    if complaint:
        tail = "\n".join((output + errors).strip().splitlines()[-12:])
        complaint = f"{shlex.join(command)}\n{complaint}\n{tail}".rstrip()
    return Outcome(seconds, complaint, output)


def run_plainly(program, options):
    """The one-node run that all others are compared with. Returns a complaint or None."""
    command = [str(program.binary), *program.arguments]
    _, status, output, errors, trouble = run_marked(command, options.timeout, {"OMP_NUM_THREADS": "1"})
    if trouble or status != 0:
        return f"{shlex.join(command)}\nThe plain run failed. {trouble}\n{output}{errors}".rstrip()
    program.plain_output = output
    return None


def print_table(programs, settings, outcomes):
    """A row for each program and back end, a column for each nodes x threads; in seconds."""
    columns = sorted({(s.nodes, s.threads) for s in settings})
    width = max([len(p.name) for p in programs] + [8])
    print(f"\n{'':{width}}  {'':10}" + "".join(f"{f'{n}x{t}':>8}" for n, t in columns))
    for program in programs:
        for back_end in dict.fromkeys(s.back_end for s in settings):
            cells = ""
            for n, t in columns:
                found = [o for o in outcomes.get((program.name, n, t, back_end), [])]
                bad = any(o.complaint for o in found)
                cells += f"{'FAIL' if bad else f'{max(o.seconds for o in found):.2f}' if found else '-':>8}"
            print(f"{program.name:{width}}  {back_end:10}{cells}")


def run_matrix(programs, options, default_out):
    """Runs everything and prints it. Returns the exit status."""
    os.environ.pop("OMP_NUM_THREADS", None)
    passed, failed, outcomes = 0, 0, {}
    broken = compile_all(programs, options, default_out)
    for program in programs:
        if program.name not in broken and program.needs_plain_run:
            complaint = run_plainly(program, options)
            if complaint:
                broken[program.name] = complaint
    for name, complaint in broken.items():
        print(f"FAIL {name}: {complaint}\n", flush=True)
        failed += 1
    settings = [Setting(n, t, b) for n in options.nodes for t in options.threads for b in options.back_ends]
    jobs = [(p, s) for p in programs if p.name not in broken for s in settings
            if s.nodes >= p.least_nodes for _ in range(options.repeat)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (program, setting), outcome in zip(jobs, pool.map(lambda j: run_job(*j, options), jobs)):
            key = (program.name, setting.nodes, setting.threads, setting.back_end)
            outcomes.setdefault(key, []).append(outcome)
            if outcome.complaint:
                failed += 1
                print(f"FAIL {program.name}, {setting}:\n{outcome.complaint}\n", flush=True)
                if options.stop:
                    pool.shutdown(wait=False, cancel_futures=True)
                    break
            else:
                passed += 1
    print_table([p for p in programs if p.name not in broken], settings, outcomes)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0

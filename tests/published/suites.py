# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suites of published programs: what suites/*.toml say, their sources, and their two builds.

A suite's file names its repository, the commit, which paths of it are needed, and a shell script that
builds it, with $CC, $CXX, $FC and $FLAGS set. A program's command runs in the built tree; `{threads}` in it is
the number of threads. `answer` is a regular expression: the lines that hold the program's answer. `drop` takes
out of these what differs from run to run (times).
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import tomllib

KINDS = {
    "plain": {"CC": "clang-22", "CXX": "clang++-22", "FC": "flang-22", "FLAGS": "-fopenmp"},
    "weft": {"CC": "{bin}/weftcc", "CXX": "{bin}/weftc++", "FC": "{bin}/weftfc", "FLAGS": "-fopenmp"},
}


@dataclasses.dataclass
class Program:
    """One program with its arguments, and how its answer is found."""

    name: str  # SUITE/PROGRAM
    command: str
    answer: str
    drop: str = ""
    input: str = ""  # what it reads, or
    input_file: str = ""
    after: str = ""  # a shell command that prints what it has written to files
    sorted: bool = False  # the lines' order is free
    tolerance: float = 1e-9  # relative, of numbers in the answer: sums are added up in another order
    threads: list = dataclasses.field(default_factory=list)  # counts that it can run with; none: any
    directory: str = "."
    suite: object = None

    def counts(self, threads):
        return not self.threads or threads in self.threads

    def tree(self, work, kind):
        return work / kind / self.suite.name / self.directory


@dataclasses.dataclass
class Suite:
    """Programs of one repository."""

    name: str
    title: str
    language: str
    url: str
    commit: str
    build: str
    paths: list
    programs: list = dataclasses.field(default_factory=list)

    def chosen(self, names):
        return [program for program in self.programs
                if not names or self.name in names or program.name in names]


def read(directory):
    """All suites, in the order of their names."""
    return [read_suite(path) for path in sorted(directory.glob("*.toml"))]


def read_suite(path):
    table = tomllib.loads(path.read_text())
    programs = table.pop("program")
    suite = Suite(name=path.stem, **table)
    for entry in programs:
        entry["name"] = f"{suite.name}/{entry['name']}"
        suite.programs.append(Program(suite=suite, **entry))
    return suite


def build(suite, work, tools):
    """Clones it if need be, and builds it with and without Weft, where a build is not there or is older."""
    source = work / "source" / suite.name
    if not source.exists():
        clone(suite, source)
    for kind in KINDS:
        tree = work / kind / suite.name
        done = tree / ".built"
        if not (done.exists() and done.read_text() == stamp(suite, kind, tools)):
            compile_in(suite, source, tree, kind, tools, work / f"{suite.name}-{kind}.log")
            done.write_text(stamp(suite, kind, tools))


def stamp(suite, kind, tools):
    """What a build depends on: the suite's file, and of Weft the times of the compiler's driver and of its pass."""
    parts = [tools / "weftcc", tools.parent / "lib/libweft-pass.so"] if kind == "weft" else []
    compiler = " ".join(str(part.stat().st_mtime_ns) for part in parts if part.exists())
    return f"{suite.commit}\n{suite.build}\n{compiler}"


def clone(suite, source):
    source.parent.mkdir(parents=True, exist_ok=True)
    part = source.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    git = lambda *words: subprocess.run(["git", "-C", part, *words], check=True)
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", "--filter=blob:none", suite.url, part], check=True)
    if suite.paths:
        git("sparse-checkout", "set", "--no-cone", *suite.paths)
    git("-c", "advice.detachedHead=false", "checkout", "--quiet", suite.commit)
    part.rename(source)


def compile_in(suite, source, tree, kind, tools, log):
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(source, tree, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    settings = {name: value.format(bin=tools.resolve()) for name, value in KINDS[kind].items()}
    environment = dict(os.environ, **settings, PUBLISHED=str(pathlib.Path(__file__).resolve().parent))
    with log.open("w") as output:
        subprocess.run(["bash", "-euo", "pipefail", "-c", suite.build], cwd=tree, env=environment, stdout=output,
                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=True)

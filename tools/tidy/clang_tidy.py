#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang-tidy over the sources that the build compiles: tools/tidy/clang_tidy.py [--build DIR] [--jobs N]

Run from the root of the tree, whose .clang-tidy names the checks. Most of the time goes into headers, so one run of
clang-tidy takes a batch: a file that includes several sources of the same flags. Two sources of a batch may clash, for
example by helpers of the same name: those that seem to are put into different batches. A batch that does not compile
is parted until its parts do, and all of it is read again: behind a mistake, clang-tidy overlooks others. Checks that
look at the main file alone would find nothing in a batch; .clang-tidy has none of them.

A batch that passed is passed over until it changes: one of its files, a header of the tree, or .clang-tidy.
"""

import argparse
import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checks import tree  # noqa: E402

CONFIG = ".clang-tidy"
# Programs of users, which are written as users write.
LEFT_OUT = ("tests/openmp/",)
# In batches of their own: the operators new and delete. Beside the heap below them, the check of exceptions follows each
# call through all of it, for seven minutes.
APART = ("src/libc/allocation/",)
# Flags that change the meaning of a source. A definition of an exported library changes none of ours.
MEANING = re.compile(r"-(D(?!\w+_EXPORTS$)|I|std=|m|fno-rtti|fno-exceptions|fopenmp)")
# A macro whose value is a text, such as a path: nothing to a source that does not name it.
TEXT = re.compile(r'-D(\w+)=".*"$|-D(GTEST_HAS_PTHREAD)=1$')
NOT_COMPILED = "[clang-diagnostic-error]"
MOST_IN_BATCH = 32
# What a source defines, in lines that are not indented: types, other names, functions, and the constants behind them.
# Macros with arguments are none of these, such as TEST.
NAMESPACE = re.compile(r"namespace ?([\w:]*) ?\{|\}  // (?:anonymous )?namespace")
DEFINED = re.compile(r"(?:struct|class|union|enum(?: class)?) (\w+)\b(?!;)|using (\w+) =|(?!using |namespace |(?:struct|class) \w+;)"
                     r"(?=\w)[\w:<>,&*\[\] ]*?\b(?![A-Z_]+\()((?:\w+::)*~?\w+)(?:\[|\{| =|;|\()")
CONSTANT = re.compile(r", (k[A-Z]\w*)(?:[({]| =)")
INCLUDED = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


@dataclasses.dataclass
class Batch:
    paths: list
    names: set


def flags_of(command):
    arguments = shlex.split(command)
    kept = [argument for argument in arguments if MEANING.match(argument)]
    for before, argument in zip(arguments, arguments[1:]):
        if before == "-isystem":
            kept += [before, argument]
    return tuple(kept)


def batches(build):
    """(flags, sources): each tracked source once, as its first target compiles it; neighbours together."""
    commands = json.loads((build / "compile_commands.json").read_text())
    flags = {}
    for entry in commands:
        flags.setdefault(os.path.relpath(entry["file"]), flags_of(entry["command"]))
    texts = texts_alike(flags.values())
    alike = {}
    for path in tree.tracked("*.cpp", "*.c"):
        if path in flags and not path.startswith(LEFT_OUT):
            kind = pathlib.Path(path).suffix, path.startswith(APART), tuple(f for f in flags[path] if f not in texts)
            alike.setdefault(kind, []).append(path)
    for (_, _, same), paths in alike.items():
        for batch in apart_if_alike(paths):
            yield same + tuple(sorted({flag for path in batch for flag in flags[path] if flag in texts})), batch


def apart_if_alike(paths):
    """Lists of at most MOST_IN_BATCH paths, in their order but for those that would clash."""
    open_ones, full = [], []
    for path in paths:
        names = names_of(path)
        batch = next((each for each in open_ones if not names & each.names), None)
        if batch is None:
            open_ones.append(batch := Batch([], set()))
        batch.paths.append(path)
        batch.names.update(names)
        if len(batch.paths) == MOST_IN_BATCH:
            open_ones.remove(batch)
            full.append(batch.paths)
    return full + [batch.paths for batch in open_ones]


def names_of(path):
    """What a source defines, with the namespaces around it that have names."""
    names, spaces = set(), []
    for line in tree.text(path).splitlines():
        if space := NAMESPACE.match(line):
            spaces = spaces[:-1] if line.startswith("}") else spaces + [space[1]]
        elif found := DEFINED.match(line):
            defined = [next(filter(None, found.groups())), *CONSTANT.findall(line)]
            names.update("::".join([*filter(None, spaces), name]) for name in defined)
    return names


def texts_alike(all_flags):
    """Definitions of texts, each the same in all sources: a batch may have those of all of its sources."""
    values = {}
    for flag in {flag for flags in all_flags for flag in flags}:
        if found := TEXT.match(flag):
            values.setdefault(found[1] or found[2], []).append(flag)
    return {each[0] for each in values.values() if len(each) == 1}


def run_clang_tidy(flags, sources):
    """What clang-tidy says of sources in one run, and its exit status."""
    with tempfile.NamedTemporaryFile("w", suffix=pathlib.Path(sources[0]).suffix) as batch:
        batch.writelines(f'#include "{os.path.abspath(source)}"\n' for source in sources)
        batch.flush()
        run = subprocess.run(["clang-tidy-22", "--quiet", f"--config-file={CONFIG}", batch.name, "--", *flags],
                             capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else run.stdout or run.stderr, run.returncode


def parted(sources, said):
    """The sources that do not compile, and the others; halves, if none of them does or the mistake is in a header."""
    refused = [line for line in said.splitlines() if NOT_COMPILED in line]
    wrong = [path for path in sources if any(line.startswith(f"{os.path.abspath(path)}:") for line in refused)]
    if 0 < len(wrong) < len(sources):
        return [path for path in sources if path not in wrong], wrong
    return sources[:len(sources) // 2], sources[len(sources) // 2:]


def problems(flags, sources):
    """What clang-tidy says, or nothing."""
    said, status = run_clang_tidy(flags, sources)
    if NOT_COMPILED in said and len(sources) > 1:
        return "".join(problems(flags, part) for part in parted(sources, said))
    return said if status else ""


@functools.cache
def included_by(path, folders):
    """The file, and all of the tree and the build that it includes."""
    seen, left = set(), [path]
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            places = [pathlib.Path(one).parent, *map(pathlib.Path, folders)]
            found = (place / name for name in INCLUDED.findall(tree.text(one)) for place in places)
            left += [os.path.relpath(each) for each in found if each.is_file()]
    return seen


def key(flags, sources):
    """A number of all that the answer depends on."""
    folders = tuple(flag[2:] for flag in flags if flag.startswith("-I"))
    read = {path for source in sources for path in included_by(source, folders)}
    parts = [version(), tree.text(CONFIG), *flags, *sources]
    parts += [part for path in sorted(read) for part in (path, tree.text(path))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@functools.cache
def version():
    return subprocess.run(["clang-tidy-22", "--version"], capture_output=True, text=True, check=True).stdout


def check(build, jobs):
    """All that clang-tidy says. The keys of batches that passed are left in the build."""
    passed_before = build / "clang-tidy.passed"
    known = set(passed_before.read_text().split()) if passed_before.exists() else set()
    keys = {key(*batch): batch for batch in batches(build)}
    new = [each for each in keys if each not in known]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        said = dict(zip(new, pool.map(lambda each: problems(*keys[each]), new)))
    passed_before.write_text("\n".join(each for each in keys if not said.get(each)))
    return "".join(said.values()), len(new), len(keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="a configured build (build)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (one a processor)")
    arguments = parser.parse_args()
    said, new, all_batches = check(arguments.build, arguments.jobs)
    print(said or f"clang-tidy: {new} of {all_batches} batches read, nothing to say")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())

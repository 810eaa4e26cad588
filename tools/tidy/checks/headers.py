# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A header compiles alone.

One with a source of its own is proved by that source, which includes it first. The others are compiled.
"""

import concurrent.futures
import os
import pathlib
import subprocess

from checks import layers, tree

FLAGS = ["-std=c++20", "-fsyntax-only", "-DFMT_SHARED", "-DWEFT_DELIBERATE_BUGS", "-Isrc", "-I.", "-Itools", "-x", "c++", "-Wno-pragma-once-outside-header"]
# Included in the middle of something, or for compilers of other languages.
NOT_ALONE = ("tests/", "examples/", "bench/", "compiler/pass/")


def headers():
    return [path for path in tree.tracked("*.hpp", "src/*.h") if not path.startswith(NOT_ALONE)]


def is_first_in_its_source(header):
    source = str(pathlib.Path(header).with_suffix(".cpp"))
    if source not in tree.tracked("*.cpp"):
        return None
    first = next((name for _, quote, name in layers.included(source) if quote == '"'), "")
    return header.endswith(first) and first != ""


def compile_alone(header):
    run = subprocess.run(["clang++-22", *FLAGS, header], capture_output=True, text=True)
    return [f"{header}: does not compile alone: {run.stderr.splitlines()[0]}"] if run.returncode else []


def check():
    alone = []
    for header in headers():
        proved = is_first_in_its_source(header)
        if proved is False:
            yield f"{pathlib.Path(header).with_suffix('.cpp')}: includes something before {header}, its own header"
        if proved is None:
            alone.append(header)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for problems in pool.map(compile_alone, alone):
            yield from problems

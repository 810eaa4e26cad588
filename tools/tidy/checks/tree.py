# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the tree, as git knows them, and their lines."""

import functools
import pathlib
import subprocess

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CODE = ("*.cpp", "*.hpp", "*.h", "*.c")
SCRIPTS = ("*.py", "*.sh", "x", ".ci/run", "*/run")
BUILD = ("CMakeLists.txt", "*/CMakeLists.txt", "*.cmake")


@functools.cache
def tracked(*patterns):
    """Paths from the root of the tree, which is where the rules run."""
    listing = subprocess.run(["git", "ls-files", "-z", *patterns], capture_output=True, text=True, check=True)
    return [path for path in listing.stdout.split("\0") if path and pathlib.Path(path).is_file()]


@functools.cache
def text(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")


def lines(path):
    return text(path).splitlines()


def is_test(path):
    """Code that is for tests, fuzzers and benchmarks alone: it may know any layer."""
    name = pathlib.Path(path).name
    return name.startswith("test_") or "/testing/" in path or any(
        part in name for part in ("_test.", "_test_", "_bench.", "_fuzz."))


def licences():
    """The licence line stands at the head of every source."""
    for path in tracked(*CODE, *SCRIPTS, *BUILD, "*.f90"):
        if LICENCE not in "\n".join(lines(path)[:3]):
            yield f"{path}: no licence line ({LICENCE}) at its head"

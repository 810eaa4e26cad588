# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files and functions stay small. The exceptions are a ratchet: they may shrink and go, never grow."""

import ast
import collections
import json
import subprocess

from checks import tree

MAX_FILE_LINES = 400
LONGER_FILES: dict[str, int] = {}
MAX_FUNCTION_LINES = 60
LONGER_FUNCTIONS = {
    ("src/protocol/interface/bugs.cpp", "all_bugs"): 440,  # a table
    ("tests/maps/cases/refused.c", "main"): 62,
    ("tests/openmp/tools/ompt_tasks.c", "main"): 67,
}
# Nine functions of ten are at most so long.
MAX_NINTH_TENTH = {"src": 15, "sim": 16, "compiler": 19, "tools": 18, "bench": 20, "tests": 26}
# ctags takes a macro's use for the head of a function.
NO_FUNCTIONS = {"AFTER", "BEFORE"}


def files():
    for path in tree.tracked(*tree.CODE, *tree.SCRIPTS, *tree.BUILD):
        limit = LONGER_FILES.get(path, MAX_FILE_LINES)
        if len(tree.lines(path)) > limit:
            yield f"{path}: {len(tree.lines(path))} lines; {limit} at most: split it by idea"


def functions_of_c():
    """(path, name, first line, lines) of each, by universal-ctags."""
    paths = tree.tracked(*tree.CODE)
    command = ["ctags", "--languages=C,C++", "--kinds-C=f", "--kinds-C++=f", "--fields=+ne", "--output-format=json",
               "-f", "-", "-L", "-"]
    tags = subprocess.run(command, input="\n".join(paths), capture_output=True, text=True, check=True)
    for line in tags.stdout.splitlines():
        tag = json.loads(line)
        if "end" in tag and tag["name"] not in NO_FUNCTIONS:
            yield tag["path"], tag["name"], tag["line"], tag["end"] - tag["line"] + 1


def functions_of_python():
    for path in tree.tracked(*tree.SCRIPTS):
        if "python3" not in tree.lines(path)[0] and not path.endswith(".py"):
            continue
        for node in ast.walk(ast.parse(tree.text(path))):
            if isinstance(node, ast.FunctionDef):
                yield path, node.name, node.lineno, node.end_lineno - node.lineno + 1


def functions():
    lengths = collections.defaultdict(list)
    for path, name, line, length in [*functions_of_c(), *functions_of_python()]:
        lengths[path.split("/")[0]].append(length)
        limit = LONGER_FUNCTIONS.get((path, name), MAX_FUNCTION_LINES)
        if length > limit:
            yield f"{path}:{line}: {name} has {length} lines; {limit} at most: split it by idea"
    for folder, limit in MAX_NINTH_TENTH.items():
        ordered = sorted(lengths[folder]) or [0]
        ninth_tenth = ordered[len(ordered) * 9 // 10]
        if ninth_tenth > limit:
            yield f"{folder}: one function of ten has {ninth_tenth} lines or more; {limit} at most"

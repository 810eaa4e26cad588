# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes from other processes are tried by fuzzers: each structure that names its fields is read by one, itself or as a
field of another."""

import re

from checks import tree

FIELDS = re.compile(r"\s+(?:WEFT_FIELDS|WEFT_MESSAGE)\(|\s+static void fields\(Self")
STRUCTURE = re.compile(r"( *)(?:struct|class) (\w+)\b[^;]*\{$")


def structures(path):
    """The structures of a file that name their fields: where each does, its name, and the words in it."""
    lines = tree.lines(path)
    for number, line in enumerate(lines):
        if not FIELDS.match(line) or line.endswith("\\"):
            continue
        depth = len(line) - len(line.lstrip())
        for begin in range(number, -1, -1):
            found = STRUCTURE.fullmatch(lines[begin])
            if found and len(found.group(1)) < depth:
                end = lines.index(found.group(1) + "};", number)
                yield f"{path}:{number + 1}", found.group(2), set(re.findall(r"\w+", "\n".join(lines[begin + 1:end])))
                break


def reached():
    """A structure that no fuzzer reads is where a peer's bytes have never been tried."""
    all_of_them = [each for path in tree.tracked("src/*.hpp", "src/*.cpp", "tools/weft/*.hpp", "tools/weft/*.cpp")
                   if not tree.is_test(path) for each in structures(path)]
    known = {word for path in tree.tracked("tests/fuzz/*.cpp", "tests/fuzz/*.hpp") for word in re.findall(r"\w+", tree.text(path))}
    more = True
    while more:
        read = {name for _, name, _ in all_of_them} & known
        words = set().union(*(words for _, name, words in all_of_them if name in read)) - known
        known |= words
        more = bool(words)
    for place, name, _ in all_of_them:
        if name not in known:
            yield f"{place}: no fuzzer in tests/fuzz reads {name}"

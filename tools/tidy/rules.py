#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks rules of the tree that a compiler does not: licence lines, layers, banned includes, sizes.

Prints one line a violation and exits 1 if there is any. Sizes are a ratchet: the exceptions below
may shrink and go, never grow.
"""
import re
import subprocess
import sys

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

# Which layers of src/ a layer may include; itself always.
LAYERS = {
    "base": set(),
    "protocol": {"base"},
    "memory": {"base", "protocol"},     # protocol/page_memory.hpp alone: the interface it implements
    "transport": {"base"},
    "heap": {"base"},
    "libc": {"base", "heap"},
    "start": {"base"},
    "runtime": {"base", "protocol", "memory", "transport", "heap", "libc"},
    "maps": {"base", "protocol", "heap", "libc", "runtime"},
    "pthread": {"base", "protocol", "runtime", "libc"},
    "process": {"base", "protocol", "runtime", "libc"},
    "openmp": {"base", "protocol", "runtime", "heap"},
    "node": {"base", "libc", "maps", "openmp", "process", "pthread", "runtime"},
}
# Headers that may be included across a layer that is otherwise closed.
ONLY_HEADERS = {("memory", "protocol"): {"protocol/page_memory.hpp"}}
# What would let time, chance, threads or the outside into the protocol.
BANNED_IN_PROTOCOL = {"thread", "mutex", "atomic", "chrono", "random", "ctime", "unordered_map",
                      "unordered_set", "iostream", "fstream", "unistd.h", "sys/socket.h"}
# Program threads have their signals held while they have a lock.
THE_MUTEX = "src/base/signal_safe_mutex.hpp"
MAX_FILE_LINES = 400
LONGER_FILES: dict[str, int] = {}


def tracked(*patterns):
    listing = subprocess.run(["git", "ls-files", *patterns], capture_output=True, text=True, check=True)
    return listing.stdout.split()


def check_file(path, problems):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if LICENCE not in "\n".join(lines[:3]):
        problems.append(f"{path}: no licence line ({LICENCE}) at its head")
    limit = LONGER_FILES.get(path, MAX_FILE_LINES)
    if len(lines) > limit:
        problems.append(f"{path}: {len(lines)} lines; {limit} at most: split it by idea")
    for number, line in enumerate(lines, 1):
        if path.startswith("src/"):
            check_include(path, number, line, problems)
            if re.search(r"std::(\w+_)?mutex\b", line) and path != THE_MUTEX and "_test" not in path:
                problems.append(f"{path}:{number}: a handler that interrupts its holder would wait for ever: SignalSafeMutex")


def check_include(path, number, line, problems):
    include = re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)
    if not include:
        return
    layer, header = path.split("/")[1], include.group(1)
    target = header.split("/")[0]
    if layer == "protocol" and header in BANNED_IN_PROTOCOL and not path.endswith("_test.cpp"):
        problems.append(f"{path}:{number}: <{header}> is banned in the protocol")
    if target not in LAYERS or target == layer or '"' not in line or path.endswith(("_test.cpp", "_bench.cpp")):
        return
    allowed = ONLY_HEADERS.get((layer, target))
    if target not in LAYERS[layer] or (allowed and header not in allowed):
        problems.append(f"{path}:{number}: {layer} may not use {header}")


def check_unique_types(problems):
    """Two types of one name in namespace weft are one type to the linker, and a crash to the user."""
    places = {}
    for path in tracked("src/*.hpp", "src/*.cpp", "sim/*.hpp", "sim/*.cpp"):
        if path.endswith(("_test.cpp", "_bench.cpp")):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not path.endswith(".hpp"):
            text = re.sub(r"\nnamespace \{.*?\n\}  // namespace\n", "\n", text, flags=re.S)
        space = re.search(r"^namespace ([\w:]+) \{", text, flags=re.M)
        for name in re.findall(r"^(?:class|struct|enum class|union) (\w+)(?![:\w])[^;\n]*\{", text, flags=re.M):
            places.setdefault((space and space.group(1), name), set()).add(path)
    for (space, name), paths in sorted(places.items(), key=str):
        if space and len(paths) > 1:
            problems.append(f"{space}::{name} is defined in {' and '.join(sorted(paths))}")


def main():
    problems = []
    check_unique_types(problems)
    for path in tracked("*.cpp", "*.hpp", "*.h", "*.py", "*.sh", "CMakeLists.txt", "*/CMakeLists.txt", "*.cmake", "x"):
        check_file(path, problems)
    print("\n".join(problems) or "rules: nothing to say")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

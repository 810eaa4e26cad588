# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names and types that must be one, or must not be at all."""

import re

from checks import tree

# Program threads have their signals held while they have a lock.
THE_MUTEX = "src/base/signal_safe_mutex.hpp"
# Where a page gets its entry, and with it the state in which it begins.
BEGINS_STATES = "src/protocol/pages/page_table.cpp"


def mutexes():
    for path in tree.tracked("src/*.cpp", "src/*.hpp"):
        if path == THE_MUTEX or tree.is_test(path):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if re.search(r"std::(\w+_)?mutex\b", line):
                yield f"{path}:{number}: a handler that interrupts its holder would wait for ever: SignalSafeMutex"


def states():
    """A state goes on by its table (base/state_table.hpp): it is not given anew."""
    for path in tree.tracked("src/protocol/*.cpp", "src/protocol/*.hpp"):
        if path == BEGINS_STATES or tree.is_test(path):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if re.search(r"\bMachine<\w+>[({]", line):
                yield f"{path}:{number}: a state is given past its table"


def unique():
    """Two types of one name in namespace weft are one type to the linker, and a crash to the user."""
    places = {}
    for path in tree.tracked("src/*.hpp", "src/*.cpp", "sim/*.hpp", "sim/*.cpp"):
        if path.endswith(("_test.cpp", "_bench.cpp")):
            continue
        text = tree.text(path)
        if not path.endswith(".hpp"):
            text = re.sub(r"\nnamespace \{.*?\n\}  // namespace\n", "\n", text, flags=re.S)
        space = re.search(r"^namespace ([\w:]+) \{", text, flags=re.M)
        for name in re.findall(r"^(?:class|struct|enum class|union) (\w+)(?![:\w])[^;\n]*\{", text, flags=re.M):
            places.setdefault((space and space.group(1), name), set()).add(path)
    for (space, name), paths in sorted(places.items(), key=str):
        if space and len(paths) > 1:
            yield f"{space}::{name} is defined in {' and '.join(sorted(paths))}"

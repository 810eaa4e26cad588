#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks rules of the tree that a compiler does not: licences, layers, sizes, names, headers, paths, English.

Prints one line a violation and exits 1 if there is any. Run from the root of the tree; each rule is a function of a
module in tools/tidy/checks, which says what it holds and what is left out.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checks import english, fuzzers, headers, layers, paths, sizes, tree, types  # noqa: E402

RULES = [tree.licences, layers.check, layers.check_rooms, layers.sizes_of_rooms, layers.rooms_told, layers.sources_without,
         layers.built, layers.purity, sizes.files, sizes.functions, types.mutexes, types.states, types.unique, paths.links, paths.words, paths.drawn,
         english.plain, fuzzers.reached, headers.check]


def main():
    problems = [problem for rule in RULES for problem in rule()]
    print("\n".join(problems) or f"rules: {len(RULES)} rules, nothing to say")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

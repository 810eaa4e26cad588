#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rule is broken once in a small tree, and must say so; the same tree without the break is found right."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
RIGHT = {
    "src/base/ids.hpp": f"// {LICENCE}\n#pragma once\nnamespace weft {{\nstruct Id {{\n  int value;\n}};\n}}\n",
    "src/base/CMakeLists.txt": f"# {LICENCE}\nweft_includes()\n",
    "src/heap/heap.hpp": f"// {LICENCE}\n#pragma once\n#include \"base/ids.hpp\"\n",
    "src/heap/CMakeLists.txt": f"# {LICENCE}\nweft_includes(base)\n",
    "src/heap/heap.cpp": f"// {LICENCE}\n#include \"heap/heap.hpp\"\n",
    "docs/architecture.md": "# Weft\n\nSee [the heap](../src/heap/heap.hpp) and `base/ids.hpp`.\n",
}


def source(body):
    return f"// {LICENCE}\n#include \"heap/heap.hpp\"\n{body}"


def listing(sources):
    return f"# {LICENCE}\n# {' '.join(sources)}\n"


def rooms(said, source_of_low="", high="high"):
    """A layer of two rooms, of which the lower one includes what is given."""
    return {
        "src/start/CMakeLists.txt": f"# {LICENCE}\nweft_includes()\n\n{said}",
        "src/start/low/low.hpp": f"// {LICENCE}\n#pragma once\n",
        "src/start/low/low.cpp": f"// {LICENCE}\n#include \"start/low/low.hpp\"\n{source_of_low}",
        f"src/start/{high}/high.hpp": f"// {LICENCE}\n#pragma once\n#include \"start/low/low.hpp\"\n",
    }


TWO_ROOMS = "# Low.\nweft_room(low)\n# High.\nweft_room(high low)\n"
SHORT_ONES = "".join(f"void short_{number}() {{}}\n" for number in range(20))
BREAKS = {
    "no licence line": {"src/heap/heap.cpp": "#include \"heap/heap.hpp\"\n"},
    "src/base may not include heap/heap.hpp": {"src/base/up.cpp": source("")},
    "nothing there includes base": {"src/heap/heap.hpp": f"// {LICENCE}\n#pragma once\n"},
    "src/heap/lost.cpp: no CMakeLists.txt names it": {"src/heap/lost.cpp": source(""), "CMakeLists.txt": listing(["heap.cpp"])},
    "has no weft_includes": {"src/heap/CMakeLists.txt": f"# {LICENCE}\n"},
    "the room src/start/low may not include start/high/high.hpp": rooms(TWO_ROOMS, "#include \"start/high/high.hpp\"\n"),
    "src/start/low: nothing there includes high": rooms("# High.\nweft_room(high low)\n# Low.\nweft_room(low high)\n"),
    "src/start/low: no sentence before": rooms("weft_room(low)\n# High.\nweft_room(high low)\n"),
    "src/start/attic: is no room": rooms("# Low.\nweft_room(low)\n", high="attic"),
    "src/heap: 27 files; 25 at most": {f"src/heap/more_{number}.cpp": source("") for number in range(25)},
    "a row is missing, or not as weft_room says: | `start/high` | High. |": rooms(TWO_ROOMS) | {
        "docs/architecture.md": "# Weft\n\n## Layers and rooms\n\n| `start/low` | Low. |\n"},
    "<chrono> is banned in the protocol": {
        "src/protocol/clock.cpp": f"// {LICENCE}\n#include <chrono>\n",
        "src/protocol/CMakeLists.txt": f"# {LICENCE}\nweft_includes()\n"},
    "401 lines; 400 at most": {"src/heap/heap.cpp": source("\n" * 399)},
    "long_one has 62 lines; 60 at most": {
        "src/heap/heap.cpp": source("void long_one() {\n" + "  ;\n" * 60 + "}\n" + SHORT_ONES)},
    "one function of ten has 31 lines": {
        "src/heap/heap.cpp": source("void longish() {\n" + "  ;\n" * 29 + "}\n")},
    "SignalSafeMutex": {"src/heap/heap.cpp": source("std::mutex lock;\n")},
    "no fuzzer in tests/fuzz reads Unread": {
        "src/heap/sent.hpp": f"// {LICENCE}\n#pragma once\n#include \"base/ids.hpp\"\n"
                             "#define WEFT_FIELDS(x)\n"
                             "struct Inner {\n  WEFT_FIELDS(self.x)\n};\n"
                             "struct Outer {\n  Inner inner;\n  WEFT_FIELDS(self.inner)\n};\n"
                             "struct Unread {\n  WEFT_FIELDS(self.y)\n};\n",
        "tests/fuzz/outer_fuzz.cpp": f"// {LICENCE}\ncheck_value<Outer>(bytes);\n"},
    "a state is given past its table": {
        "src/protocol/page.cpp": f"// {LICENCE}\nvoid lose(Page& page) {{ page.state = Machine<PageStates>(kInvalid); }}\n",
        "src/protocol/CMakeLists.txt": f"# {LICENCE}\nweft_includes()\n"},
    "weft::Id is defined in": {
        "src/heap/heap.hpp": RIGHT["src/heap/heap.hpp"] + "namespace weft {\nstruct Id {\n};\n}\n"},
    "there is no ../src/heap/gone.hpp": {"docs/guide/start.md": "See [the heap](../src/heap/gone.hpp).\n"},
    "there is no heap/gone.hpp": {"src/heap/heap.cpp": source("// As in heap/gone.hpp.\n")},
    "a sentence of 31 words, 30 at most": {"README.md": "# Weft\n\nOne. " + "Word " + "word " * 29 + "`a b`.\n"},
    '"what" stands for a noun': {"docs/glossary.md": "- *home*: the node that has\n  what was written. What is it?\n"},
    "there is no Heap::gone in heap/heap.cpp": {
        "docs/architecture.md": "# Weft\n\n```\n└ weft, Heap::gone   heap/heap.cpp   a word\n```\n",
        "src/heap/heap.cpp": source("namespace weft {}\n")},
    "includes something before src/heap/heap.hpp": {
        "src/heap/heap.cpp": f"// {LICENCE}\n#include \"base/ids.hpp\"\n#include \"heap/heap.hpp\"\n"},
    "src/base/ids.hpp: does not compile alone": {
        "src/base/ids.hpp": RIGHT["src/base/ids.hpp"].replace("int value", "Absent value")},
}


def said_of(files):
    """What the rules say of a tree of these files, and their exit status. A list names all sources, if none is among them."""
    files = {"CMakeLists.txt": listing(path for path in files if path.endswith(".cpp"))} | files
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            place = pathlib.Path(folder) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        subprocess.run(["git", "init", "-q", folder], check=True)
        subprocess.run(["git", "-C", folder, "add", "."], check=True)
        run = subprocess.run([sys.executable, HERE / "rules.py"], cwd=folder, capture_output=True, text=True)
        return run.stdout + run.stderr, run.returncode


class Rules(unittest.TestCase):
    def test_a_right_tree_is_right(self):
        said, status = said_of(RIGHT)
        self.assertEqual(status, 0, said)

    def test_each_break_is_found_alone(self):
        for sentence, broken in BREAKS.items():
            with self.subTest(sentence):
                said, status = said_of(RIGHT | broken)
                self.assertEqual(status, 1)
                self.assertIn(sentence, said)
                self.assertEqual(len(said.splitlines()), 1, said)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each check of .clang-tidy is broken once, in a batch with sources that are right, and must say so."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import clang_tidy  # noqa: E402

CONFIG = HERE.parents[1] / ".clang-tidy"
INCLUDES = "#include <sys/mman.h>\n#include <cstring>\n#include <string>\n#include <string_view>\n#include <vector>\n"
BREAKS = {
    "bugprone-use-after-move":
        "std::size_t f(std::string s) { std::string t = std::move(s); return s.size() + t.size(); }",
    "bugprone-dangling-handle": "std::size_t f() { std::string_view v = std::string(9, 'a'); return v.size(); }",
    "cppcoreguidelines-slicing": "struct A { int a; };\nstruct B : A { int b; };\nvoid g(A);\nvoid f(B b) { g(b); }",
    "bugprone-infinite-loop": "void f() { int i = 0; while (i < 10) { } }",
    "bugprone-too-small-loop-variable": "void g();\nvoid f(long n) { for (short i = 0; i < n; ++i) g(); }",
    "bugprone-sizeof-expression": "std::size_t f(int* s) { return sizeof(sizeof(*s)); }",
    "bugprone-undefined-memory-manipulation": "void f(std::string& s) { std::memset(&s, 0, sizeof s); }",
    "bugprone-integer-division": "double f(int a) { return a / 3; }",
    "bugprone-unused-raii": "struct Lock { explicit Lock(int); ~Lock(); };\nvoid g();\nvoid f() { Lock(1); g(); }",
    "bugprone-unused-return-value": "void f() { mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, 0, 0); }",
    "bugprone-exception-escape": "void f() noexcept { throw 1; }",
    "bugprone-argument-comment": "void g(int first);\nvoid f() { g(/*second=*/1); }",
    "google-explicit-constructor": "struct S { S(int); };",
    "modernize-use-override": "struct A { virtual void f(); };\nstruct B : A { virtual void f(); };",
    "performance-for-range-copy":
        "void g(std::size_t);\nvoid f(const std::vector<std::string>& t) { for (const std::string s : t) g(s.size()); }",
    "performance-unnecessary-copy-initialization":
        "std::size_t f(const std::vector<std::string>& t) { const std::string s = t.front(); return s.size(); }",
    "performance-unnecessary-value-param": "std::size_t f(const std::string s) { return s.size(); }",
    "performance-move-const-arg": "void f(const std::string& s) { std::string t = std::move(s); }",
}


def name_of(check):
    return "source/" + check.replace("-", "_") + ".cpp"


def said_of(sources):
    """Two runs over a tree of these sources: the second may know from the first what is right."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for path, body in sources.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(body)
        shutil.copy(CONFIG, root)
        (root / "build").mkdir()
        commands = [{"directory": folder, "file": str(root / path), "command": f"clang++-22 -std=c++20 -c {path}"}
                    for path in sources]
        (root / "build/compile_commands.json").write_text(json.dumps(commands))
        subprocess.run(["git", "init", "-q", root], check=True)
        subprocess.run(["git", "-C", root, "add", "."], check=True)
        tool = [sys.executable, HERE / "clang_tidy.py"]
        return [subprocess.run(tool, cwd=root, capture_output=True, text=True) for _ in range(2)]


def apart(sources):
    with unittest.mock.patch.object(clang_tidy.tree, "text", sources.get):
        return clang_tidy.apart_if_alike(list(sources))


def source(check, body):
    """Its own namespace, so that all fit into one batch."""
    return f"{INCLUDES}namespace {check.replace('-', '_')} {{\n{body}\n}}\n"


class ClangTidy(unittest.TestCase):
    def test_each_check_has_a_break(self):
        self.assertEqual(set(re.findall(r"^  - ([a-z].*)$", CONFIG.read_text(), re.MULTILINE)), set(BREAKS))

    def test_each_break_is_found(self):
        first, second = said_of({name_of(check): source(check, body) for check, body in BREAKS.items()})
        for check in BREAKS:
            with self.subTest(check):
                self.assertRegex(first.stdout, rf"{name_of(check)}:\d+:\d+: error: .*\[{check},-warnings-as-errors\]")
        self.assertEqual((first.returncode, second.returncode), (1, 1), first.stdout + first.stderr)
        self.assertEqual(first.stdout, second.stdout)

    def test_a_break_in_a_source_that_clashes_is_found(self):
        body = "  static int helper() { return 1; }\ndouble f_%d() { return helper() / 3; }\n"
        first, _ = said_of({f"source/{number}.cpp": body % number for number in range(3)})
        for number in range(3):
            self.assertIn(f"source/{number}.cpp:2:", first.stdout)
        self.assertNotIn("clang-diagnostic-error", first.stdout)

    def test_a_source_that_compiles_nowhere_is_told(self):
        first, _ = said_of({"source/a.cpp": "int f() { return 1; }\n", "source/b.cpp": "int g() { return unknown; }\n"})
        self.assertEqual(first.returncode, 1)
        self.assertRegex(first.stdout, r"b.cpp:1:\d+: error: .*clang-diagnostic-error")

    def test_sources_that_clash_are_right(self):
        alike = "  static int helper() { return 1; }\nint f_%d() { return helper(); }\n"  # indented: not foreseen
        first, second = said_of({f"source/{number}.cpp": alike % number for number in range(5)})
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        self.assertIn("1 of 1 batches read", first.stdout)
        self.assertIn("0 of 1 batches read", second.stdout)

    def test_sources_that_would_clash_are_apart(self):
        for helper in ("int helper(int of) {", "constexpr Id kOne(1), kHelper(2);", "constexpr int kHelper =",
                       "const Helper kHelpers[] = {", "struct Helper {", "using Helper = int;"):
            with self.subTest(helper):
                alike = f"namespace {{\n\n{helper}\n}}  // namespace\n"
                self.assertEqual(len(apart({f"{number}.cpp": alike for number in range(3)})), 3)

    def test_sources_that_do_not_clash_are_together(self):
        inside = "namespace %s {\nint Type%s::f(int a) {\n  helper();\n}\n}  // namespace\nstruct Known;\nTEST(A, B) {\n"
        self.assertEqual(len(apart({f"{number}.cpp": inside % (name, number) for number, name in enumerate("aab")})), 1)


if __name__ == "__main__":
    unittest.main()

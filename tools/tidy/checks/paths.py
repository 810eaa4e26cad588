# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paths that comments and documents name exist.

A link of a document is looked up from the document. A word that looks like a file of this tree is looked up from its own
folder, from the root, and by its last parts (a/b.hpp, b.hpp). Names that stand for any file, files that the reader
makes and headers of the system are in MADE_UP.
"""

import fnmatch
import functools
import pathlib
import re

from checks import tree

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
WORD = re.compile(r"(?<![\w./*$<>{}~-])((?:[\w.-]+/)*[\w-]+\.(?:cpp|hpp|h|md|toml|py|sh|cmake|txt))(?![\w/*<>{}-])")
COMMENT = re.compile(r"(?://|#|/\*|^\s*\*)(.*)")
DRAWN = re.compile(r"([\w:]+(?:, [\w:]+)*) +((?:[\w-]+/)*[\w-]+\.(?:cpp|hpp))\b")
MADE_UP = ("a.cpp", "a_test.cpp", "header.hpp", "layer/x.hpp", "src/protocol/x.cpp", "x.hpp", "x.cpp", "x_test.cpp", "*NAME.*", "found.txt", "EDGES.txt", "threads.h", "omp.h",
           "stdio.h")


@functools.cache
def names():
    """Each path of the tree, and each end of one that begins at a folder: src/a/b.hpp, a/b.hpp, b.hpp."""
    known = set()
    for path in tree.tracked():
        parts = path.split("/")
        known |= {"/".join(parts[at:]) for at in range(len(parts))}
    return known


def exists(word, path):
    beside = pathlib.Path(path).parent / word
    return word in names() or beside.exists() or any(fnmatch.fnmatch(word, made_up) for made_up in MADE_UP)


def links():
    for path in tree.tracked("*.md"):
        for number, line in enumerate(tree.lines(path), 1):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if "://" not in target and not (pathlib.Path(path).parent / target).exists():
                    yield f"{path}:{number}: there is no {target}"


def words():
    for path in tree.tracked(*tree.CODE, *tree.SCRIPTS, *tree.BUILD, "docs/internals/*.md", "docs/decisions/*.md",
                             "docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"):
        if path == "tools/tidy/rules_test.py":  # names what is not there, to be found
            continue
        for number, line in enumerate(tree.lines(path), 1):
            told = line if path.endswith(".md") else " ".join(COMMENT.findall(line))
            if told.lstrip().startswith(("include", "define")):
                continue
            for word in WORD.findall(told):
                if not exists(word, path):
                    yield f"{path}:{number}: there is no {word}"


def drawn():
    """In blocks of a document, a function that stands before a file is in that file: `Engine::handle_fault  protocol/engine.cpp`."""
    for path in tree.tracked("docs/architecture.md"):
        in_block = False
        for number, line in enumerate(tree.lines(path), 1):
            in_block ^= line.startswith("```")
            for functions, file in DRAWN.findall(line) if in_block else []:
                texts = [tree.text(each) for each in tree.tracked("*.cpp", "*.hpp") if f"/{each}".endswith(f"/{file}")]
                for function in functions.split(", "):
                    if texts and not any(re.search(rf"\b{function.split('::')[-1]}\b", text) for text in texts):
                        yield f"{path}:{number}: there is no {function} in {file}"

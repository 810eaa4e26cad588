# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Documents for readers who are new here are in plain English: short sentences, and nouns for things.

A sentence has 30 words at most. It ends with a full stop, a question mark or an exclamation mark, or where its
paragraph, list item or table cell ends. Code in backquotes is one word; of a link its text counts. Blocks of code and
headings are left out. Outside questions, no "what" or "who" stands for a noun.
"""

import re

from checks import tree

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md", "docs/guide/*.md")
MOST_WORDS = 30
ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+(.*)")
END = re.compile(r"""(?<=[.!?])["')*]*\s+(?=["'(*]*[A-Z0-9`_])""")
FOR_A_NOUN = re.compile(r"\b(?:what|whatever|who|whoever)\b", flags=re.I)


def without_markup(text):
    """A span of code becomes one word, a link its text."""
    text = re.sub(r"`[^`]*`", "`code`", text)
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    return text.replace("**", "").strip()


def without_code(lines):
    """(number, line) of all lines outside blocks of code; an indented block begins after an empty line."""
    fenced, indented, last, in_item = False, False, "", False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            yield number, ""
            continue
        in_item = bool(ITEM.match(line)) or (in_item and (not line.strip() or line.startswith(" ")))
        begins = not last.strip() or indented
        indented = line.startswith("    ") and begins and not in_item
        last = line
        yield number, "" if fenced or indented else line


def pieces(lines):
    """(number of its first line, text) of each paragraph, list item and cell of a table."""
    first, text = 0, []
    for number, line in [*without_code(lines), (len(lines) + 1, "")]:
        item = ITEM.match(line)
        apart = not line.strip() or line.startswith(("#", "|")) or item
        if apart and text:
            yield first, " ".join(text)
            text = []
        if line.startswith("|"):
            yield from ((number, cell) for cell in re.sub(r"`[^`]*`", "`code`", line).split("|"))
        elif line.strip() and not line.startswith("#"):
            first = first if text else number
            text.append(item.group(1) if item else line.strip())


def sentences(path):
    """(number of the line where its paragraph begins, text) of each sentence."""
    for number, text in pieces(tree.lines(path)):
        for sentence in END.split(without_markup(text)):
            yield number, sentence


def plain():
    for path in tree.tracked(*DOCUMENTS):
        for number, sentence in sentences(path):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            said = " ".join(words[:6])
            if len(words) > MOST_WORDS:
                yield f"{path}:{number}: a sentence of {len(words)} words, {MOST_WORDS} at most: {said} ..."
            found = FOR_A_NOUN.search(sentence)
            if found and not sentence.rstrip("*\"')").endswith("?"):
                yield f"{path}:{number}: \"{found.group(0)}\" stands for a noun: {said} ..."

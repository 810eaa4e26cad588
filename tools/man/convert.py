#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes manual pages from the Markdown of docs/reference: convert.py OUT FILE.md...

Only pages whose title is NAME(SECTION) are made. Each command that is named under "Name" before a colon
gets the page. Known: titles, paragraphs, lists, definitions (": "), indented and fenced examples, tables,
`code`, *emphasis*, **strong** and links, of which the text is kept.
"""

import pathlib
import re
import sys


def inline(text):
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)", text)
    result = ""
    for part in parts:
        if part.startswith("`") and len(part) > 2:
            result += r"\fB" + escape(part[1:-1]) + r"\fR"
        elif part.startswith("**") and len(part) > 4:
            result += r"\fB" + escape(part[2:-2]) + r"\fR"
        elif part.startswith("*") and part.endswith("*") and len(part) > 2:
            result += r"\fI" + escape(part[1:-1]) + r"\fR"
        else:
            result += escape(part)
    return protect(result)


def escape(text):
    return text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")


def protect(line):
    return r"\&" + line if line.startswith((".", "'")) else line


def blocks(lines):
    """Cuts a document into (kind, lines): title, example, table, definition, item or paragraph."""
    at = 0
    while at < len(lines):
        line = lines[at]
        begin = at
        if not line.strip():
            at += 1
        elif line.startswith("#"):
            at += 1
            yield "title", [line]
        elif line.startswith("```"):
            at = lines.index("```", at + 1) + 1
            yield "example", lines[begin + 1:at - 1]
        elif line.startswith("    "):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            yield "example", "\n".join(lines[begin:at]).rstrip().split("\n")
        elif line.startswith("|"):
            while at < len(lines) and lines[at].startswith("|"):
                at += 1
            yield "table", lines[begin:at]
        else:
            at += 1
            while at < len(lines) and lines[at].strip() and not re.match(r"[#|]|: |- |\d+\. |```", lines[at]):
                at += 1
            kind = "definition" if line.startswith(": ") else "item" if re.match(r"- |\d+\. ", line) else "paragraph"
            yield kind, lines[begin:at]


def table(rows):
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    heads, out = cells[0], []
    for row in cells[2:]:
        out += [".TP", inline(row[0])]
        rest = row[1:] if len(heads) == 2 else [f"{head}: {cell}" for head, cell in zip(heads[1:], row[1:])]
        out.append(inline("; ".join(rest)))
    return out


def convert(text, source):
    title = re.match(r"# (\S+)\((\d)\)\n", text)
    if title is None:
        return None
    name, section = title.groups()
    out = [rf'.\" Made from {source}', f'.TH "{name.upper()}" "{section}" "" "Weft" "Weft"']
    found = list(blocks(text[title.end():].split("\n")))
    for number, (kind, lines) in enumerate(found):
        is_term = kind == "paragraph" and number + 1 < len(found) and found[number + 1][0] == "definition"
        words = inline(" ".join(line.strip() for line in lines))
        if kind == "title":
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            heading = lines[0].lstrip("# ").strip()
            out.append(f'.SH "{heading.upper()}"' if level < 3 else f'.SS "{heading}"')
        elif kind == "example":
            out += [".PP", ".RS 4", ".nf", *(protect(escape(re.sub("^    ", "", line))) for line in lines), ".fi", ".RE"]
        elif kind == "table":
            out += table(lines)
        elif kind == "definition":
            out.append(inline(" ".join([lines[0][2:], *(line.strip() for line in lines[1:])])))
        elif kind == "item":
            marker, _, first = lines[0].partition(" ")
            label = r"\(bu" if marker == "-" else marker
            out += [f".IP {label} 4", inline(" ".join([first, *(line.strip() for line in lines[1:])]))]
        elif is_term:
            out += [".TP", words]
        elif out[-1] == '.SH "NAME"':
            out.append(re.sub(r"^([^:]*?): ", r"\1 \\- ", words))
        else:
            out += [".PP", words]
    return name, section, "\n".join(out) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    for path in map(pathlib.Path, sys.argv[2:]):
        text = path.read_text()
        page = convert(text, f"docs/reference/{path.name}")
        if page is None:
            continue
        name, section, roff = page
        where = folder / f"man{section}"
        where.mkdir(parents=True, exist_ok=True)
        (where / f"{name}.{section}").write_text(roff)
        named = re.search(r"## Name\n+([^\n]*)", text).group(1).split(":")[0].split(" - ")[0]
        for alias in (part.strip().replace(" ", "-") for part in named.split(",")):
            if alias != name:
                (where / f"{alias}.{section}").write_text(f".so man{section}/{name}.{section}\n")


main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each layer includes of others is what its CMakeLists.txt says by weft_includes, and what each room of it
includes of the layer's other rooms is what weft_room says: no more, no less.

That these stand below it, CMake checks when it reads the lists.
"""

import collections
import re

from checks import tree

# What would let time, chance, threads or the outside into the protocol.
BANNED_IN_PROTOCOL = {"thread", "mutex", "atomic", "chrono", "random", "ctime", "unordered_map",
                      "unordered_set", "iostream", "fstream", "unistd.h", "sys/socket.h"}
INCLUDE = re.compile(r'\s*#\s*include\s+([<"])([^">]+)')


def included(path):
    """(line, quote or angle, header) of each include."""
    for number, line in enumerate(tree.lines(path), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1), found.group(2)


def declared():
    """Of each folder that says so: the layers, and the single headers, that it includes."""
    folders = {}
    for path in tree.tracked("CMakeLists.txt", "*/CMakeLists.txt"):
        found = re.search(r"^weft_includes\(([^)]*)\)", tree.text(path), flags=re.M)
        if found:
            layers, _, headers = found.group(1).partition("HEADERS")
            folders[path.rpartition("/")[0]] = (set(layers.split()), set(headers.split()))
    return folders


def folder_of(path, folders):
    """The innermost folder that declares what it includes."""
    return max((folder for folder in folders if path.startswith(folder + "/")), key=len, default=None)


def check():
    folders = declared()
    layers = {folder.rpartition("/")[2] for folder in folders if folder.startswith("src/")}
    used = {folder: set() for folder in folders}
    for path in tree.tracked(*tree.CODE):
        folder = folder_of(path, folders)
        if folder is None or tree.is_test(path):
            continue
        for number, quote, header in included(path):
            layer = header.split("/")[0]
            if quote == "<" or "/" not in header or layer not in layers or layer == folder.rpartition("/")[2]:
                continue
            used[folder] |= {layer, header}
            if layer not in folders[folder][0] and header not in folders[folder][1]:
                yield f"{path}:{number}: {folder} may not include {header} (weft_includes in its CMakeLists.txt)"
    for folder, (named, headers) in folders.items():
        for unused in sorted((named | headers) - used[folder]):
            yield f"{folder}/CMakeLists.txt: nothing there includes {unused}, which weft_includes names"


def rooms():
    """Of each room, by its folder: the rooms of its layer that it includes, and the sentence that says what it is for."""
    told = {}
    for path in tree.tracked("src/*/CMakeLists.txt", "compiler/*/CMakeLists.txt", "tools/weft/CMakeLists.txt"):
        for sentence, words in re.findall(r"((?:^#.*\n)*)^weft_room\(([^)]*)\)", tree.text(path), flags=re.M):
            room, *lower = words.split()
            told[f"{path.rpartition('/')[0]}/{room}"] = (set(lower), sentence)
    return told


def check_rooms():
    told = rooms()
    used = {room: set() for room in told}
    for path in tree.tracked(*(f"{root}/*.{kind}" for root in ("src", "compiler", "tools/weft") for kind in ("cpp", "hpp"))):
        folder = path.rpartition("/")[0]
        if folder not in told or tree.is_test(path):
            continue
        layer, _, room = folder.rpartition("/")
        for number, _, header in included(path):
            other_layer, _, other = header.rpartition("/")[0].rpartition("/")
            if other_layer != layer.removeprefix("src/").removeprefix("tools/") or other == room:
                continue
            used[folder].add(other)
            if other not in told[folder][0]:
                yield f"{path}:{number}: the room {folder} may not include {header} (weft_room in {layer}/CMakeLists.txt)"
    for folder, (named, _) in told.items():
        for unused in sorted(named - used[folder]):
            yield f"{folder}: nothing there includes {unused}, which weft_room names"


ARCHITECTURE, TABLE = "docs/architecture.md", "## Layers and rooms"


def rows_of_rooms():
    """The rows of the architecture's table that stand for rooms: the layer's room, and its sentence."""
    for folder, (_, comment) in rooms().items():
        sentence = " ".join(line.lstrip("# ") for line in comment.splitlines()).removeprefix("Rooms, lowest first.")
        yield f"| `{folder.removeprefix('src/')}` | {sentence.strip()} |"


def rooms_told():
    """A reader finds each room in the architecture, with the sentence of its CMakeLists.txt."""
    told = tree.text(ARCHITECTURE) if ARCHITECTURE in tree.tracked("*.md") else ""
    if TABLE not in told:
        return
    rows, expected = {line for line in told.splitlines() if line.startswith("| `") and "/" in line.split("|")[1]}, list(rows_of_rooms())
    for row in expected:
        if row not in rows:
            yield f"{ARCHITECTURE}: a row is missing, or not as weft_room says: {row}"
    for row in sorted(rows - set(expected)):
        yield f"{ARCHITECTURE}: there is no such room: {row}"


MOST_FILES = 25


def sizes_of_rooms():
    """A room is one idea: it has a sentence that says which. No folder of sources has many files."""
    told = rooms()
    with_rooms = {folder.rpartition("/")[0] for folder in told}
    counts = collections.Counter(path.rpartition("/")[0] for path in tree.tracked("*.cpp", "*.hpp", "*.c", "*.h", "*.f90"))
    for folder, count in sorted(counts.items()):
        if folder.rpartition("/")[0] in with_rooms and folder not in told and not folder.endswith(("/testing", "/testdata")):
            yield f"{folder}: is no room of its layer (weft_room in the layer's CMakeLists.txt)"
        if folder in told and not told[folder][1]:
            yield f"{folder}: no sentence before its weft_room says what it is for"
        if count > MOST_FILES:
            yield f"{folder}: {count} files; {MOST_FILES} at most: divide it into rooms"


def sources_without():
    """A folder of sources that does not say what it includes is outside all rules."""
    folders = declared()
    for path in tree.tracked("src/*.cpp"):
        if folder_of(path, folders) is None:
            yield f"{path}: its folder's CMakeLists.txt has no weft_includes"


def built():
    """A source that no list names is never compiled: a test in it has never run."""
    lists = "\n".join(tree.text(path) for path in tree.tracked("CMakeLists.txt", "*/CMakeLists.txt", "*.cmake"))
    named = set(re.findall(r"[\w-]+\.cpp", lists))
    for path in tree.tracked("src/*.cpp", "sim/*.cpp", "compiler/*.cpp"):
        if path.rpartition("/")[2] not in named:
            yield f"{path}: no CMakeLists.txt names it"


def purity():
    for path in tree.tracked("src/protocol/*.cpp", "src/protocol/*.hpp"):
        for number, _, header in included(path):
            if header in BANNED_IN_PROTOCOL and not tree.is_test(path):
                yield f"{path}:{number}: <{header}> is banned in the protocol"

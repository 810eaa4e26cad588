# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A node of weft.run: python3 -m weft._worker FOLDER, where the call lies and its results are to be put."""

import multiprocessing.spawn
import os
import pickle
import sys
import traceback
from pathlib import Path

import weft


def write(file: Path, contents: bytes) -> None:
    """Whole or not at all: the job may end at any moment."""
    unfinished = file.with_suffix(f"{file.suffix}.new")
    unfinished.write_bytes(contents)
    os.replace(unfinished, file)


def failure(error: BaseException) -> bytes:
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:
        pickled = None
    return pickle.dumps((traceback.format_exc(), pickled))


def main() -> None:
    folder = Path(sys.argv[1])
    preparation, call = pickle.loads((folder / "call").read_bytes())
    try:
        multiprocessing.spawn.prepare(preparation)
        function, arguments = pickle.loads(call)
        result = pickle.dumps(function(*arguments))
    except Exception as error:
        write(folder / f"failure.{weft.node()}", failure(error))
        sys.exit(1)  # whoever called weft.run shows the traceback
    write(folder / f"result.{weft.node()}", result)


main()

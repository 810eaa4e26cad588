# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `weft`, which starts jobs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ._errors import Error


def find() -> str:
    """Its path: in PATH, or of the installation that this package came with."""
    found = shutil.which("weft")
    if found is not None:
        return found
    for folder in Path(__file__).resolve().parents:
        command = folder / "bin" / "weft"
        if os.access(command, os.X_OK):
            return str(command)
    raise Error("there is no command weft in PATH: install Weft, or add the folder with its commands to PATH")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a script calls Weft. Weft shows the place where a job is stuck, and learns for each place which pages are used behind
it."""

from __future__ import annotations

import ctypes
import os
import sys
from types import CodeType

_PACKAGE = os.path.dirname(__file__)
_texts: dict[tuple[CodeType, int], ctypes.Array] = {}  # live for ever, as Weft keeps their addresses


def of_caller() -> int:
    """The address of a text that stands for the innermost line outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == _PACKAGE:
        frame = frame.f_back
    key = (frame.f_code, frame.f_lineno)
    text = _texts.get(key)
    if text is None:
        file = frame.f_code.co_filename.replace(";", ",")
        text = ctypes.create_string_buffer(f";{file};{frame.f_code.co_name};{frame.f_lineno};1;;".encode())
        _texts[key] = text
    return ctypes.addressof(text)

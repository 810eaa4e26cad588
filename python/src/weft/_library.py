# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libweft-binding.so, by ctypes: the functions of src/binding/binding.h, which says what they do."""

from __future__ import annotations

import ctypes
import os

VERSION = 1
"""Of the functions; a library of another version is refused."""

# Flags of calls that wait, and what a barrier returns.
INTERRUPTIBLE, THREADS = 1, 2
MET, LEFT, BUSY = 0, 1, 2
MEETING_BYTES = 1 << 19

READ, WRITE, OVERWRITE = 1, 2, 4

_SIGNATURES = {
    "weft_binding_join": (ctypes.c_int, []),
    "weft_binding_allocate": (ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]),
    "weft_binding_allocate_zeroed": (ctypes.c_void_p, [ctypes.c_size_t]),
    "weft_binding_free": (None, [ctypes.c_void_p]),
    "weft_binding_meeting_place": (ctypes.c_void_p, []),
    "weft_binding_barrier": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_int]),
    "weft_binding_has_left": (ctypes.c_int, [ctypes.c_int]),
    "weft_binding_lock": (None, [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int]),
    "weft_binding_try_lock": (ctypes.c_int, [ctypes.c_uint64]),
    "weft_binding_unlock": (None, [ctypes.c_uint64]),
    "weft_binding_serves_system_calls": (ctypes.c_int, []),
    "weft_binding_keep_faults": (None, []),
    "weft_node": (ctypes.c_int, []),
    "weft_nodes": (ctypes.c_int, []),
    "weft_home_of": (ctypes.c_int, [ctypes.c_void_p]),
    "weft_check_out_strided": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]),
    "weft_commit_strided": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_size_t]),
    "weft_error_text": (ctypes.c_char_p, [ctypes.c_int]),
}


def load(path: str) -> ctypes.CDLL:
    """The library at this path, which `weft run --binding` has named. ctypes lets other Python threads run while its
    functions do."""
    library = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
    version = library.weft_binding_version()
    if version != VERSION:
        raise ImportError(f"{path} has version {version} of Weft's calls for languages, and the Python package weft needs "
                          f"version {VERSION}: install the package that came with this Weft (pip install WEFT/python)")
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library

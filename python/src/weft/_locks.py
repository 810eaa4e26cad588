# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locks of the whole job."""

from __future__ import annotations

import hashlib
import itertools
import threading
from types import TracebackType
from typing import Optional

from ._nodes import here

_unnamed = itertools.count()


class Lock:
    """One thread of one node has it at a time, and sees in shared arrays what others have written before they released it.

        with lock:
            histogram += mine

    Locks of the same name are one lock, on all nodes. Those without a name are numbered as they are made: then all nodes make
    the same ones in the same order. Making a lock sends nothing.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        self.name = f"number {next(_unnamed)}" if name is None else f"name {name}"
        digest = hashlib.blake2b(self.name.encode(), digest_size=8).digest()
        self._number = int.from_bytes(digest, "little") >> 17  # 47 bits, as the library asks
        self._owner: Optional[int] = None

    def acquire(self, blocking: bool = True) -> bool:
        """Takes the lock. Not blocking, returns False where another has it."""
        if self._owner == threading.get_ident():
            raise RuntimeError(f"this thread has the lock ({self.name}) already, and would wait for itself")
        if not here().lock(self._number, blocking):
            return False
        self._owner = threading.get_ident()
        return True

    def release(self) -> None:
        """Gives the lock up; by the thread that has taken it."""
        if self._owner != threading.get_ident():
            raise RuntimeError(f"this thread does not have the lock ({self.name}) that it releases")
        self._owner = None
        here().unlock(self._number)

    def __enter__(self) -> "Lock":
        self.acquire()
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.release()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Node 0 keeps a lock and waits in a barrier; the last node wants the lock."""

import weft

lock = weft.Lock("taken")


def keep():
    lock.acquire()
    weft.barrier()
    weft.barrier()


def want():
    weft.barrier()
    lock.acquire()
    weft.barrier()


if weft.node() == 0:
    keep()
elif weft.node() == weft.nodes() - 1:
    want()
else:
    weft.barrier()
    weft.barrier()

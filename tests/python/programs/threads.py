# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread works on shared memory while its node waits in barriers: what it writes is not lost."""

import sys
import threading

import weft

ME, NODES = weft.node(), weft.nodes()
TURNS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
counts = weft.zeros((NODES, 1000), int)  # rows of different nodes share pages
lock = weft.Lock()
done = threading.Event()


def work():
    for _ in range(TURNS):
        with lock:
            counts[:, ::7] += 1
        counts[ME, 1::7] += 1  # nobody else's
    done.set()


worker = threading.Thread(target=work)
worker.start()
turns = 0
while not weft.reduce(done.is_set(), lambda left, right: left and right):
    turns += 1
worker.join()
weft.barrier()
assert (counts[:, ::7] == TURNS * NODES).all(), counts[:, ::7]
assert (counts[:, 1::7] == TURNS).all(), counts[:, 1::7]
print("ok")

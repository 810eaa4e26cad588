# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that cannot be: each must raise, with a sentence, and the job goes on."""

import sys
import threading

import numpy as np

import weft

ME, NODES = weft.node(), weft.nodes()


def refused(kind, words, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert words in str(error), error
    else:
        sys.exit(f"{function} was not refused")


refused(TypeError, "Python objects", weft.zeros, 3, object)
refused(TypeError, "Python objects", weft.zeros, 3, [("a", "i4"), ("b", "O")])
refused(ValueError, "cannot have the shape", weft.zeros, (3, -1))
refused(ValueError, "there is no node", weft.broadcast, 1, NODES)
lock = weft.Lock()
refused(RuntimeError, "does not have the lock", lock.release)
with lock:
    refused(RuntimeError, "would wait for itself", lock.acquire)
shared = weft.zeros(100)
refused(ValueError, "broadcast", weft.put, shared[:10], np.ones(11))
if NODES > 1:
    refused(ValueError, "every node must ask for the same array", weft.zeros, 3 + ME)
    refused(ValueError, "every node must ask for the same array", weft.zeros, 3, int if ME else float)
    refused(ValueError, "not shared", weft.check_out, np.zeros(1000))
    refused(ValueError, "not shared", weft.put, np.zeros(1000), 1)
    refused(weft.Error, "is a node of one already", weft.run, print, 2)
    refused(MemoryError, "--shared-size", weft.zeros, 1 << 40)
    # Of two threads one is refused, and the other waits for all nodes.
    until_refused = weft.Lock()
    if ME == 0:
        until_refused.acquire()
    weft.barrier()
    if ME == 0:
        found, is_found = [], threading.Event()

        def come():
            try:
                weft.barrier()
            except weft.Error as error:
                found.append(str(error))
                is_found.set()

        threads = [threading.Thread(target=come) for _ in range(2)]
        for thread in threads:
            thread.start()
        is_found.wait()
        until_refused.release()
        for thread in threads:
            thread.join()
        assert len(found) == 1 and "another thread of this node" in found[0], found
    else:
        with until_refused:
            pass
        weft.barrier()
weft.barrier()
print("ok")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends as its argument says; on the last node, if it is one that not all do."""

import os
import signal
import sys
import time

import weft

how = sys.argv[1]
is_last = weft.node() == weft.nodes() - 1
weft.barrier()
if how == "raise" and is_last:
    raise LookupError("of the last node")
if how == "raise-first" and weft.node() == 0:
    raise LookupError("of the first node")
if how == "exit" and is_last:
    sys.exit(3)
if how == "exit-all":
    sys.exit(5)
if how == "message" and is_last:
    sys.exit("a last sentence")
if how == "abrupt" and is_last:
    os._exit(0)
if how == "abrupt-first" and weft.node() == 0:
    os._exit(0)
if how == "abrupt-status" and is_last:
    os._exit(7)
if how == "killed" and is_last:
    os.kill(os.getpid(), signal.SIGKILL)
if how == "crash" and is_last:
    import ctypes
    ctypes.string_at(8)
if how == "early" and is_last:
    sys.exit(0)
if how == "early-first" and weft.node() == 0:
    sys.exit(0)
if how == "early-caught":
    if is_last:
        sys.exit(0)
    try:
        weft.barrier()
    except weft.Error:
        print(f"node {weft.node()} has caught it")
    sys.exit(0)
if how == "late":
    time.sleep(0.2 * weft.node())  # who comes first waits, and serves the others
    print(f"node {weft.node()} ends")
    sys.exit(0)
if how == "partial":
    print(f"[{weft.node()}", end="")
    sys.exit(0)
if how == "mismatch":
    if is_last:
        weft.gather(1)
    else:
        weft.barrier()
if how == "compute":
    print("computes", flush=True)
    while True:
        pass
if how == "wait":
    if is_last:
        print("computes", flush=True)
        while True:
            pass
print("waits", flush=True)
weft.barrier()

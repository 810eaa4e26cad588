# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hands shared memory to the kernel: what another node has written, and pages that nobody has."""

import os
import socket
import sys
import tempfile
import threading

import numpy as np

import weft

WORDS = 300_000


def through_socket(data, target):
    left, right = socket.socketpair()
    sender = threading.Thread(target=left.sendall, args=(data,))
    sender.start()
    view = memoryview(target).cast("B")
    while view:
        view = view[right.recv_into(view):]
    sender.join()


def main():
    data, back, again = weft.zeros(WORDS), weft.zeros(WORDS), weft.zeros(WORDS)
    is_last = weft.node() == weft.nodes() - 1
    if weft.node() == 0:
        data[:] = np.arange(WORDS)
    weft.barrier()
    if is_last:
        with tempfile.TemporaryFile(buffering=0) as file:
            assert file.write(data) == data.nbytes
            file.seek(0)
            assert file.readinto(back) == data.nbytes
            file.seek(0)
            data.tofile(file)
            file.seek(0)
            assert np.array_equal(np.fromfile(file), data)
            assert os.preadv(file.fileno(), [again], 0) == data.nbytes
        assert np.array_equal(again, data)
        again[:] = 0
        through_socket(data, again)
    weft.barrier()
    assert np.array_equal(back, np.arange(WORDS)) and np.array_equal(again, back)
    print("ok")


main()

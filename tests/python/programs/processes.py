# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a node starts: processes that take no part."""

import multiprocessing
import os
import subprocess
import sys

import numpy as np

import weft

shared = weft.array(np.arange(10_000))


def total(numbers):
    return int(numbers.sum())


def touch(_):
    return int(shared[3])


def call(_):
    try:
        weft.barrier()
    except weft.Error as error:
        return str(error)
    return "nothing"


def main():
    how = sys.argv[1]
    if how == "touch":
        if weft.node() == 0:
            child = os.fork()
            if child == 0:
                touch(0)
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -11
        weft.barrier()
    elif how == "fork":
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(total, [np.array(shared), np.ones(3, int)]) == [49995000, 3]
            assert all("was forked by node" in each for each in pool.map(call, [0, 1]))
    elif how == "spawn":
        child = multiprocessing.get_context("spawn").Process(target=total, args=(np.ones(3, int),))
        child.start()
        child.join()
        sys.exit(child.exitcode)
    elif how == "shell":
        variables = subprocess.run(["env"], capture_output=True, text=True).stdout.splitlines()
        of_nodes = ("WEFT_NODE", "WEFT_BINDING", "WEFT_BOOTSTRAP", "WEFT_BOARD", "LD_PRELOAD", "LD_BIND_NOW")
        assert not [each for each in variables if each.startswith(of_nodes)], variables
        script = "import weft; weft.zeros(3)"
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert f"was started by node {weft.node()} of a job" in run.stderr, run.stderr
    weft.barrier()
    assert (shared == np.arange(10_000)).all()
    print("ok")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft.run, from an ordinary session."""

import sys

import numpy as np

import weft


def work(size, offset=0):
    shared = weft.zeros(size, int)
    shared[weft.my_part(size)] = weft.node()
    weft.barrier()
    print(f"node {weft.node()} works")
    return weft.node(), np.array(shared) + offset


def fail(node):
    weft.barrier()
    if weft.node() == node:
        raise KeyError("of a node")
    weft.barrier()


class Unpicklable(Exception):
    def __init__(self, one, two):
        super().__init__("cannot travel")


def fail_oddly():
    raise Unpicklable(1, 2)


def leave():
    sys.exit(4)


def main():
    for nodes in (1, 2, 4):
        results = weft.run(work, nodes, 100, 5)
        assert [node for node, _ in results] == list(range(nodes))
        assert all(np.array_equal(array, results[0][1]) for _, array in results)
        assert results[0][1][0] == 5 and results[0][1][-1] == 5 + nodes - 1
    try:
        weft.run(fail, 3, 1)
    except KeyError as error:
        assert "on node 1" in str(error.__cause__) and "in fail" in str(error.__cause__), error.__cause__
    else:
        sys.exit("no exception")
    for function, words in ((fail_oddly, "cannot travel"), (leave, "status 4")):
        try:
            weft.run(function, 2)
        except weft.Error as error:
            assert words in str(error), error
        else:
            sys.exit("no exception")
    assert weft.nodes() == 1
    print("ok")


if __name__ == "__main__":
    main()

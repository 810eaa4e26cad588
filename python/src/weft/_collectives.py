# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that all nodes make together, in the same order. Each of them is a barrier, too: behind it a node sees what all have
written to shared arrays before."""

from __future__ import annotations

import functools
import operator
import pickle
from collections.abc import Callable
from typing import Optional, TypeVar

from ._nodes import here

T = TypeVar("T")


def node() -> int:
    """The number of this node, from 0."""
    return here().node


def nodes() -> int:
    """How many nodes the job has: 1 without `weft run`."""
    return here().nodes


def barrier() -> None:
    """Waits until all nodes have come."""
    here().barrier()


def gather(value: T) -> list[T]:
    """The values of all nodes, by number, on all nodes. For small objects, which are pickled; data belong in shared arrays."""
    if here().nodes == 1:
        return [value]
    return [pickle.loads(each) for each in here().exchange(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))]


def broadcast(value: Optional[T] = None, root: int = 0) -> T:
    """The value of node `root`, on all nodes. What the others give does not matter."""
    if not 0 <= root < here().nodes:
        raise ValueError(f"there is no node {root}: the job has {here().nodes}")
    mine = pickle.dumps(value, pickle.HIGHEST_PROTOCOL) if here().node == root else b""
    return pickle.loads(here().exchange(mine)[root])


def reduce(value: T, op: Callable[[T, T], T] = operator.add) -> T:
    """op(...op(op(value of node 0, of node 1), of node 2)...), on all nodes: in the same order and with the same result. Values
    are numbers, or arrays of any size that `op` takes element by element (numpy.maximum, say)."""
    return functools.reduce(op, gather(value))


def my_part(length: int, part: Optional[int] = None, parts: Optional[int] = None) -> slice:
    """Of `length` things, those of this node, as a slice: node k has the k-th of nodes() parts that are as equal as can be.

    `part`, `parts`: another part than node(), of another number of parts.
    """
    part = here().node if part is None else part
    parts = here().nodes if parts is None else parts
    return slice(part * length // parts, (part + 1) * length // parts)

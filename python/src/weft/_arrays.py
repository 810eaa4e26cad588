# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy arrays in shared memory, and what a script may tell Weft about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _library
from ._collectives import broadcast, gather
from ._nodes import Blocks, here

Shape = Union[int, Sequence[int]]


def empty(shape: Shape, dtype: DTypeLike = float) -> NDArray[Any]:
    """A new shared array whose contents mean nothing.

    Collective: every node calls it, with the same shape and type, and gets the same memory. The array is an ordinary
    numpy.ndarray, in C order. Its memory is used again when no node has the array, or a view of it, any more.
    """
    return _new(shape, dtype, zeroed=False)


def zeros(shape: Shape, dtype: DTypeLike = float) -> NDArray[Any]:
    """The same, filled with zeros."""
    return _new(shape, dtype, zeroed=True)


def array(data: ArrayLike, dtype: DTypeLike = None, root: int = 0) -> NDArray[Any]:
    """A new shared array with the contents of node `root`'s `data`. What the others give does not matter.

    Collective, as `empty`.
    """
    is_root = here().node == root
    source = np.asarray(data, dtype) if is_root else None
    shape, kind = broadcast((source.shape, source.dtype) if source is not None else None, root)
    shared = empty(shape, kind)
    if source is not None:
        shared[...] = source
    here().barrier()
    return shared


def _new(shape: Shape, dtype: DTypeLike, zeroed: bool) -> NDArray[Any]:
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError(f"shared memory cannot hold Python objects, as an array of {kind} would: each node has objects of its own")
    sizes = (int(shape),) if np.ndim(shape) == 0 else tuple(int(each) for each in shape)
    if any(each < 0 for each in sizes):
        raise ValueError(f"an array cannot have the shape {sizes}")
    _require_the_same((sizes, kind))
    count = 1
    for each in sizes:
        count *= each
    memory = here().new_memory(max(count * kind.itemsize, 1), zeroed)
    return memory[:count * kind.itemsize].view(kind).reshape(sizes)


def _require_the_same(mine: tuple[tuple[int, ...], np.dtype]) -> None:
    if here().nodes == 1:
        return
    for node, theirs in enumerate(gather(mine)):
        if theirs != mine:
            raise ValueError(f"every node must ask for the same array: node {here().node} wants shape {mine[0]} of {mine[1]}, and "
                             f"node {node} shape {theirs[0]} of {theirs[1]}")


def get(source: NDArray[Any]) -> NDArray[Any]:
    """A private copy of a shared array or a part of it, whose pages are fetched all at once."""
    check_out(source)
    return np.array(source, copy=True)


def put(target: NDArray[Any], values: ArrayLike) -> None:
    """Copies values into a shared array or a part of it, and sends them on their way at once.

    As any assignment, it is seen by other nodes when they synchronise with this one. Pages that are overwritten whole are
    not fetched. Nobody else may use this part of the array meanwhile.
    """
    blocks, is_exact = _blocks(target)
    given = np.broadcast_to(np.asarray(values), target.shape)
    # The old contents are needed after all where only padding would be left, or where the copy may read or fail half-way.
    overwrites = is_exact and target.dtype.names is None and not given.dtype.hasobject and not np.may_share_memory(target, given)
    if overwrites and not np.can_cast(given.dtype, target.dtype, "same_kind"):
        overwrites = False
    here().check_out(blocks, _library.OVERWRITE if overwrites else _library.WRITE)
    target[...] = given
    here().commit(blocks)


def check_out(shared: NDArray[Any], write: bool = False) -> None:
    """Brings the pages of a shared array, or of a part of it, to this node, all at once; with `write`, to be written, too.

    Without it pages come when they are touched. A hint: it never changes a result.
    """
    here().check_out(_blocks(shared)[0], _library.WRITE if write else _library.READ)


def commit(shared: NDArray[Any]) -> None:
    """Sends what this node has written to a shared array, or to a part of it, to the pages' homes now, so that the next barrier
    or lock has less to send. A hint, as `check_out`."""
    here().commit(_blocks(shared)[0])


def home_of(shared: NDArray[Any]) -> int:
    """The node at which the page with the first element is kept, as this node knows it."""
    return here().home_of(_blocks(shared)[0][0])


def _blocks(part: NDArray[Any]) -> tuple[Blocks, bool]:
    """The memory of an array, and whether it is exactly that: rows at equal distances, or else the whole range around it."""
    if not isinstance(part, np.ndarray):
        raise TypeError(f"{part!r} is not an array in shared memory: shared[5] may be a copy of one number, shared[5:6] is not")
    if part.size == 0:
        return (part.ctypes.data, 0, 0, 1), True
    begin, end = np.byte_bounds(part) if hasattr(np, "byte_bounds") else np.lib.array_utils.byte_bounds(part)
    axes = [axis for axis in range(part.ndim) if part.shape[axis] > 1]
    block = part.itemsize
    while axes and part.strides[axes[-1]] == block:
        block *= part.shape[axes.pop()]
    if not axes:
        return (begin, block, block, 1), True
    if len(axes) == 1 and part.strides[axes[0]] >= block:
        return (begin, block, part.strides[axes[0]], part.shape[axes[0]]), True
    return (begin, end - begin, end - begin, 1), False

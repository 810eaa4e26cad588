# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""This process as a node: alone, or a member of a job, or neither. All have the same methods, which the rest of the package
calls; `here()` is the one that counts."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Protocol

import numpy as np

from . import _library, _places, _tasks
from ._errors import Error

_MOST_NODES = 64
_SLOT = 4096  # bytes, a page
_HEAD = 24  # of a slot: how many bytes, the address of a block that has them or 0, and the number of the exchange
_INLINE = _SLOT - _HEAD

Blocks = tuple[int, int, int, int]
"""Memory: address, bytes of a block, bytes from one block to the next, blocks."""


class Memory:
    """Bytes that NumPy takes as they are. Arrays keep it alive; when the last one has gone, the memory may go."""

    def __init__(self, address: int, size: int) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}


class Node(Protocol):
    """What the rest of the package needs of a node."""

    node: int
    nodes: int

    def barrier(self) -> None: ...
    def exchange(self, mine: bytes) -> list[bytes]: ...
    def new_memory(self, size: int, zeroed: bool) -> np.ndarray: ...
    def lock(self, number: int, blocking: bool) -> bool: ...
    def unlock(self, number: int) -> None: ...
    def check_out(self, blocks: Blocks, access: int) -> None: ...
    def commit(self, blocks: Blocks) -> None: ...
    def home_of(self, address: int) -> int: ...


class Alone:
    """No job: one node, and its memory is the process's own."""

    node, nodes = 0, 1

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}

    def barrier(self) -> None:
        pass

    def exchange(self, mine: bytes) -> list[bytes]:
        return [mine]

    def new_memory(self, size: int, zeroed: bool) -> np.ndarray:
        return np.zeros(size, np.uint8) if zeroed else np.empty(size, np.uint8)

    def lock(self, number: int, blocking: bool) -> bool:
        return self._locks.setdefault(number, threading.Lock()).acquire(blocking)

    def unlock(self, number: int) -> None:
        self._locks[number].release()

    def check_out(self, blocks: Blocks, access: int) -> None:
        pass

    def commit(self, blocks: Blocks) -> None:
        pass

    def home_of(self, address: int) -> int:
        return 0


class Member:
    """A node of a job of several. Collective calls are made by all nodes, in the same order."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self.node: int = library.weft_node()
        self.nodes: int = library.weft_nodes()
        self._slots: int = library.weft_binding_meeting_place()
        self._collective = threading.Lock()
        self._exchanges = 0
        self._lent: list[int] = [0, 0]  # the block of this node's bytes, of the last two exchanges; 0: none
        self._count = 0  # blocks of memory that the job has had
        self._dropped: list[int] = []  # numbers of those that this node needs no more, and has not said so
        self._held: dict[int, list[int]] = {}  # node 0: a block's address, and how many nodes may still need it
        self.serves_system_calls = library.weft_binding_serves_system_calls() != 0

    def _flags(self) -> int:
        flags = _library.THREADS if threading.active_count() > 1 else 0
        # Python's own handler only notes the signal, and would raise KeyboardInterrupt behind the wait.
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            flags |= _library.INTERRUPTIBLE
        return flags

    def _meet(self) -> None:
        _flush_output()
        met = self._library.weft_binding_barrier(_places.of_caller(), self._flags())
        if met == _library.MET:
            return
        if met == _library.BUSY:
            raise Error("another thread of this node waits in a barrier")
        gone = [str(node) for node in range(self.nodes) if self._library.weft_binding_has_left(node)]
        raise Error(f"node {' and '.join(gone)} has ended its script, and this node waits for all nodes: each node must come to "
                    f"the same barriers, broadcasts and new arrays")

    def _collectively(self, work: Callable[[], object]) -> object:
        if not self._collective.acquire(blocking=False):
            raise Error("another thread of this node makes a collective call; let one thread of each node make them")
        try:
            return work()
        finally:
            self._collective.release()

    def barrier(self) -> None:
        self._collectively(self._meet)

    def exchange(self, mine: bytes) -> list[bytes]:
        """Every node gives its bytes and gets those of all, by number. Small ones lie in a node's slot, others in a block. There
        are two sets of slots: a node that writes to one has passed a barrier since all have read it. A node that has come to the
        barrier for something else has an old number in its slot."""
        return self._collectively(lambda: self._exchange(mine))

    def _slot(self, node: int) -> int:
        return self._slots + (self._exchanges % 2 * _MOST_NODES + node) * _SLOT

    def _exchange(self, mine: bytes) -> list[bytes]:
        self._exchanges += 1
        set_of_slots = self._exchanges % 2
        if self._lent[set_of_slots]:
            self._library.weft_binding_free(self._lent[set_of_slots])
        block = self._lent[set_of_slots] = self._allocate(len(mine), False) if len(mine) > _INLINE else 0
        slot = self._slot(self.node)
        head = (ctypes.c_uint64 * 3).from_address(slot)
        head[:] = len(mine), block, self._exchanges
        ctypes.memmove(block or slot + _HEAD, mine, len(mine))
        self._meet()
        return [self._bytes_of(node) for node in range(self.nodes)]

    def _bytes_of(self, node: int) -> bytes:
        slot = self._slot(node)
        size, block, exchange = (ctypes.c_uint64 * 3).from_address(slot)
        if exchange != self._exchanges:
            raise Error(f"node {node} has made another collective call than node {self.node}: each node must come to the same "
                        f"barriers, broadcasts and new arrays, in the same order")
        return ctypes.string_at(block or slot + _HEAD, size)

    def _allocate(self, size: int, zeroed: bool) -> int:
        allocate = self._library.weft_binding_allocate_zeroed if zeroed else self._library.weft_binding_allocate
        address = allocate(size) if zeroed else allocate(size, 64)
        if not address:
            raise MemoryError(f"there is no room for {size} bytes of shared memory on node {self.node}: drop arrays, or let "
                              f"`weft run --shared-size` give more")
        return address

    def new_memory(self, size: int, zeroed: bool) -> np.ndarray:
        """Collective. Node 0 allocates, and frees what no node needs any more."""
        return self._collectively(lambda: self._new_memory(size, zeroed))

    def _new_memory(self, size: int, zeroed: bool) -> np.ndarray:
        address = self._allocate_or_0(size, zeroed) if self.node == 0 else 0
        dropped = [self._dropped.pop() for _ in range(len(self._dropped))]
        told = self._exchange(np.array([address, *dropped], np.uint64).tobytes())
        address = int(np.frombuffer(told[0], np.uint64)[0])
        if self.node == 0:
            for each in told:
                self._give_up(np.frombuffer(each, np.uint64)[1:])
        if address == 0:
            raise MemoryError(f"there is no room for {size} bytes of shared memory: drop arrays, or let `weft run --shared-size` "
                              f"give more")
        self._count += 1
        if self.node == 0:
            self._held[self._count] = [address, self.nodes]
        memory = Memory(address, size)
        weakref.finalize(memory, self._dropped.append, self._count).atexit = False
        return np.asarray(memory)

    def _allocate_or_0(self, size: int, zeroed: bool) -> int:
        try:
            return self._allocate(size, zeroed)
        except MemoryError:
            return 0  # the others wait to hear it

    def _give_up(self, numbers: np.ndarray) -> None:
        for number in numbers.tolist():
            held = self._held[number]
            held[1] -= 1
            if held[1] == 0:
                self._library.weft_binding_free(held[0])
                del self._held[number]

    def lock(self, number: int, blocking: bool) -> bool:
        if not blocking:
            return self._library.weft_binding_try_lock(number) != 0
        self._library.weft_binding_lock(number, _places.of_caller(), self._flags() & _library.INTERRUPTIBLE)
        return True

    def unlock(self, number: int) -> None:
        _flush_output()
        self._library.weft_binding_unlock(number)

    def _checked(self, result: int) -> int:
        if result < 0:
            raise ValueError(self._library.weft_error_text(result).decode())
        return result

    def check_out(self, blocks: Blocks, access: int) -> None:
        self._checked(self._library.weft_check_out_strided(*blocks, access))

    def commit(self, blocks: Blocks) -> None:
        self._checked(self._library.weft_commit_strided(*blocks))

    def home_of(self, address: int) -> int:
        return self._checked(self._library.weft_home_of(address))

    def keep_faults(self) -> None:
        self._library.weft_binding_keep_faults()


def _flush_output() -> None:
    """What was printed before others go on comes before what they print."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


class Outsider:
    """A process that must not act as a node of its own: each call says why."""

    def __init__(self, why: str) -> None:
        self._why = why

    def __getattr__(self, name: str) -> object:
        raise Error(self._why)


_here: Node


def here() -> Node:
    """This process as a node."""
    return _here


_PARENT = "WEFT_PARENT_NODE"  # in the environment of what a node starts: the node's number


def _begin() -> Node:
    path = os.environ.get("WEFT_BINDING")
    if path is not None:
        return _join(path)
    if _PARENT in os.environ:
        return Outsider(f"this process was started by node {os.environ[_PARENT]} of a job, and is no node itself: call weft in the "
                        f"script of the node, and hand copies of arrays to other processes")
    if _tasks.are_several():
        try:
            _tasks.become_task()
        except Error as error:
            return Outsider(str(error))
    if why := _tasks.why_outside():
        return Outsider(why)
    _tasks.warn_of_lonely_tasks()
    return Alone()


def _join(path: str) -> Node:
    library = _library.load(path)
    is_member = library.weft_binding_join() != 0
    # The library has taken its variables away, and Python has a copy of the environment.
    getenv = ctypes.CDLL(None).getenv
    getenv.restype, getenv.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
    for name in [name for name in os.environ if name.startswith("WEFT_") and getenv(name.encode()) is None]:
        del os.environ[name]
    if not is_member:
        return Alone()
    member = Member(library)
    os.environ[_PARENT] = str(member.node)
    os.register_at_fork(after_in_child=lambda: _become_outsider(member.node))
    _share_faults(member)
    _explain_bad_addresses(member)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)  # else lines are lost where another node ends the job
    return member


def _become_outsider(node: int) -> None:
    global _here
    _here = Outsider(f"this process was forked by node {node} of a job, and is no node itself: hand copies of arrays, "
                     f"numpy.array(shared), to other processes, and let them return results")


def _share_faults(member: Member) -> None:
    """faulthandler would take the signals away by which Weft learns of touched pages."""
    for name in ("enable", "disable"):
        def and_keep_faults(*arguments: object, _original: Callable = getattr(faulthandler, name), **named: object) -> object:
            result = _original(*arguments, **named)
            member.keep_faults()
            return result
        setattr(faulthandler, name, and_keep_faults)


def _explain_bad_addresses(member: Member) -> None:
    if member.serves_system_calls:
        return
    before = sys.excepthook

    def explain(kind: type[BaseException], error: BaseException, trace: object) -> None:
        before(kind, error, trace)
        if isinstance(error, OSError) and error.errno == 14:  # EFAULT
            print("weft: on this machine the kernel cannot wait for shared memory in system calls: hand it a copy, "
                  "numpy.array(shared); docs/reference/python.md says what helps", file=sys.stderr)

    sys.excepthook = explain


_here = _begin()

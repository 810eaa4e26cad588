# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every call of the package, on any number of nodes; on each, prints its number and ok."""

import threading

import numpy as np

import weft

ME, NODES = weft.node(), weft.nodes()


def arrays():
    for kind in (np.float64, np.int8, complex, np.dtype([("a", "i4"), ("b", "f8")])):
        for shape in ((), 5, (0, 3), (7, 11, 3), (300, 500)):
            shared = weft.zeros(shape, kind)
            assert shared.shape == np.zeros(shape).shape and shared.dtype == kind and type(shared) is np.ndarray
            assert not shared.tobytes().strip(b"\0")
    data = np.arange(6000.0).reshape(60, 100) + ME
    for root in (0, NODES - 1):
        shared = weft.array(data if ME == root else None, root=root)
        assert np.array_equal(shared, data - ME + root)
    own = weft.empty(NODES, int)
    own[ME] = ME * ME
    weft.barrier()
    assert own.tolist() == [node * node for node in range(NODES)]
    assert 0 <= weft.home_of(own) < NODES


def parts():
    for length in (0, 1, 3, 1000):
        covered = [index for node in range(NODES) for index in range(length)[weft.my_part(length, node)]]
        assert covered == list(range(length))
    assert weft.my_part(100) == weft.my_part(100, ME, NODES) and weft.my_part(10, 1, 2) == slice(5, 10)


def objects():
    for size in (0, 10, 4053, 4054, 4055, 100_000):
        assert weft.gather(bytes([ME]) * size) == [bytes([node]) * size for node in range(NODES)]
    for root in range(NODES):
        assert weft.broadcast({"from": ME, "text": "x" * 5000}, root) == {"from": root, "text": "x" * 5000}
    assert weft.reduce(ME + 1) == NODES * (NODES + 1) // 2
    assert weft.reduce(np.full(2000, ME), np.maximum).tolist() == [NODES - 1] * 2000
    assert weft.reduce(str(ME), lambda left, right: left + right) == "".join(map(str, range(NODES)))


def rounds():
    """Neighbours read what a node has just written, many times, and arrays come and go."""
    shared = weft.zeros((NODES, 3000), int)
    for turn in range(1, 60):
        shared[ME] += turn
        weft.barrier()
        assert (shared == turn * (turn + 1) // 2).all(), (turn, shared)
        weft.barrier()
        passing = weft.empty(20_000)
        passing[weft.my_part(20_000)] = turn
        weft.barrier()
        assert (passing == turn).all()


def locks():
    total = weft.zeros(5, int)
    first, again, other = weft.Lock("total"), weft.Lock("total"), weft.Lock()
    for turn in range(300):
        with first if turn % 2 else again:
            total += 1
        with other:
            pass
    weft.barrier()
    assert total.tolist() == [300 * NODES] * 5
    if ME == 0:
        assert other.acquire(blocking=False)
    weft.barrier()
    if ME != 0:
        assert not other.acquire(blocking=False)
    weft.barrier()
    if ME == 0:
        other.release()


def lock_of_threads():
    """Threads of all nodes take one lock."""
    total, lock = weft.zeros(1, int), weft.Lock("threads")

    def count():
        mine = weft.Lock("threads")
        for _ in range(100):
            with mine:
                total[0] += 1

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    weft.barrier()
    with lock:
        assert total[0] == 300 * NODES


def copies():
    shared = weft.zeros((200, 300))
    for turn, part in enumerate((np.s_[:], np.s_[10:20], np.s_[:, 50:250], np.s_[::3, ::2], np.s_[5:6, 7], np.s_[::-1], np.s_[3:3])):
        if ME == turn % NODES:
            weft.put(shared[part], turn + 1.5)
            weft.put(shared[1:], weft.get(shared[:-1]))
            weft.put(shared[1:], shared[:-1])  # from itself: it must not be overwritten unseen
        weft.barrier()
        taken = weft.get(shared[part])
        assert np.array_equal(taken, shared[part]) and not np.shares_memory(taken, shared)
        weft.check_out(shared[part], write=True)
        weft.commit(shared[part])
        weft.barrier()
    expected = np.zeros((200, 300))
    for turn, part in enumerate((np.s_[:], np.s_[10:20], np.s_[:, 50:250], np.s_[::3, ::2], np.s_[5:6, 7], np.s_[::-1], np.s_[3:3])):
        expected[part] = turn + 1.5
        for _ in range(2):
            expected[1:] = expected[:-1].copy()
    assert np.array_equal(shared, expected)


def copies_of_absent_pages():
    """Who puts a part of an array into another part of it needs what was there, though it overwrites all of that."""
    shared = weft.zeros((200, 300))
    for turn in range(5):
        if ME == turn % NODES:
            shared[:] = np.arange(turn, turn + 60_000.0).reshape(200, 300)
        weft.barrier()
        if ME == (turn + 1) % NODES:
            weft.put(shared[1:], shared[:-1])
        weft.barrier()
        assert np.array_equal(shared[1:], np.arange(turn, turn + 60_000.0).reshape(200, 300)[:-1])
        weft.barrier()


def algebra():
    """NumPy's own threads and loops touch pages that are elsewhere."""
    left, right, product = weft.zeros((300, 400)), weft.zeros((400, 500)), weft.zeros((300, 500))
    rows = weft.my_part(300)
    left[rows] = np.arange(300 * 400.0).reshape(300, 400)[rows] % 17
    inner = weft.my_part(400)
    right[inner] = np.arange(400 * 500.0).reshape(400, 500)[inner] % 13
    weft.barrier()
    np.dot(left[rows], right, out=product[rows])
    weft.barrier()
    expected = (np.arange(300 * 400.0).reshape(300, 400) % 17) @ (np.arange(400 * 500.0).reshape(400, 500) % 13)
    assert np.array_equal(product, expected)
    assert np.array_equal(np.sort(product, axis=None), np.sort(expected, axis=None))


for work in (arrays, parts, objects, rounds, locks, lock_of_threads, copies, copies_of_absent_pages, algebra):
    work()
    weft.barrier()
print(f"node {ME} of {NODES}: ok")

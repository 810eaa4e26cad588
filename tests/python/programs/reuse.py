# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays come and go: far more in all than there is room for at a time."""

import numpy as np

import weft

kept = []
for turn in range(60):
    fresh = weft.zeros(1 << 19)  # 4 MiB of 64, of which node 0 has half
    assert not fresh.any()
    weft.barrier()
    fresh[weft.my_part(1 << 19)] = turn + 1
    weft.barrier()
    kept.append(fresh[weft.node()::1000])  # a view keeps its array
    if len(kept) > 2:
        assert (kept.pop(0) == turn - 1).all()
    weft.barrier()
del fresh
small = [weft.empty(100, np.int32) for _ in range(1000)]
for number, each in enumerate(small):
    each[weft.node()] = number
weft.barrier()
assert all(each[node] == number for number, each in enumerate(small) for node in range(weft.nodes()))
print("ok")

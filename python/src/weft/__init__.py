# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy arrays in memory that several nodes share.

    $ weft run -n 4 --binding python3 heat.py

Each node is a Python process that runs the whole script, with memory of its own. What it gets from `empty`, `zeros` and `array`
is shared: the same addresses and the same contents on all nodes, as far as they synchronise by barriers and locks. Importing
weft joins the job, and waits for the other nodes. Without `weft run` there is one node, and everything works as well.
"""

from ._arrays import array, check_out, commit, empty, get, home_of, put, zeros
from ._collectives import barrier, broadcast, gather, my_part, node, nodes, reduce
from ._errors import Error
from ._launch import run
from ._locks import Lock

__all__ = ["Error", "Lock", "array", "barrier", "broadcast", "check_out", "commit", "empty", "gather", "get", "home_of", "my_part",
           "node", "nodes", "put", "reduce", "run", "zeros"]

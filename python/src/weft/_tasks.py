# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts that a launcher of parallel programs has started, as several tasks: mpirun, mpiexec, srun. The tasks are the nodes of one
job: each executes `weft task` in its place, which starts the script again as a node (tools/weft/task/task.hpp)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import _command
from ._errors import Error


def _number(*names: str) -> int:
    """The first that the environment has; -1: none."""
    return next((int(os.environ[name]) for name in names if os.environ.get(name, "").isdigit()), -1)


def _has(*names: str) -> bool:
    return all(name in os.environ for name in names)


def are_several() -> bool:
    """Whether a launcher has started this script several times, and lets the tasks speak to each other: as src/start/start.cpp."""
    if "WEFT_NODES" in os.environ:
        return False
    by_pmix = _has("PMIX_NAMESPACE", "PMIX_RANK") and _number("OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS") != 1
    return by_pmix or (_has("PMI_FD", "PMI_RANK") and _number("PMI_SIZE") > 1)


def become_task() -> None:
    """Does not return: the script begins anew, as a node."""
    if "mpi4py.MPI" in sys.modules:
        raise Error("this script was started as one of several tasks, and speaks to the others by MPI already: import weft before "
                    "mpi4py, so that the tasks become nodes")
    words = Path("/proc/self/cmdline").read_bytes().split(b"\0")[1:-1]
    command = _command.find()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    # By the path of this Python, which finds its packages by that.
    os.execv(command, [command, "task", "--binding", sys.executable, sys.executable, *words])


def why_outside() -> str:
    """Of a task that the launcher does not let speak to the others; empty: it is none."""
    tasks = _number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
    if "WEFT_NODES" in os.environ or tasks < 2:
        return ""
    return (f"this script was started as one of {tasks} tasks of an MPI launcher, and cannot speak to the others: start it by `weft run "
            f"-n N --binding python3 script.py`, with --hosts for several machines (WEFT_NODES=1: each task alone)")


def warn_of_lonely_tasks() -> None:
    """Tasks of Slurm that cannot speak to each other are as many runs of the script, which is hardly what was meant."""
    tasks = _number("SLURM_STEP_NUM_TASKS")
    if _has("WEFT_NODES") or _has("PMIX_RANK") or _has("PMI_FD") or tasks < 2 or _number("SLURM_PROCID") != 0:
        return
    print(f"weft: srun has started {tasks} tasks that know nothing of each other, so each runs the script alone; with srun "
          f"--mpi=pmix or --mpi=pmi2 they are the nodes of one job (WEFT_NODES=1: each alone, and no warning)", file=sys.stderr)

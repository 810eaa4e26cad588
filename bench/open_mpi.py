# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling for Open MPI, running under it, and what it sends. Beside MPICH, only the longer names are its own."""

import pathlib
import re
import shutil
import sys
import tempfile

import jobs

MPICC = "mpicc.openmpi"
MPIF90 = "mpif90.openmpi"
MPIRUN = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]
NETWORKS = {"shm": ["--mca", "btl", "vader,self"], "tcp": ["--mca", "btl", "tcp,self"]}  # more options for MPIRUN


def is_here():
    """With its headers, which Debian has in a package of their own."""
    if shutil.which(MPICC) is None or shutil.which(MPIRUN[0]) is None:
        return False
    folders = jobs.output_of([MPICC, "--showme:incdirs"]).stdout.split()
    return any((pathlib.Path(each) / "mpi.h").exists() for each in folders)


def has_fortran():
    return is_here() and shutil.which(MPIF90) is not None and shutil.which("gfortran") is not None


def sent_by(run, processes):
    """{"bytes", "messages"}: all that a job's point-to-point layer really sends, collectives included. `run` gets
    more options for MPIRUN, and runs the job."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"enable": "2", "enable_output": "3", "filename": f"{folder}/sent"}
        run(*(word for key, value in settings.items() for word in ("--mca", f"pml_monitoring_{key}", value)))
        # One for each rank, with a line for each rank that it sent to: E is the program's own, I that of collectives.
        files = list(pathlib.Path(folder).iterdir())
        if len(files) != processes:
            sys.exit(f"Open MPI's monitoring wrote {len(files)} files for {processes} ranks")
        sent = [found for file in files
                for found in re.findall(r"^[EI]\t\d+\t\d+\t(\d+) bytes\t(\d+) msgs", file.read_text(), re.M)]
    return {what: sum(int(found[which]) for found in sent) for which, what in enumerate(("bytes", "messages"))}

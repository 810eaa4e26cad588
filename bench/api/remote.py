# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs beside this file: remote memory operations by Weft, by UCX and by MPI; and their rows (rows.h)."""

import dataclasses
import pathlib

import jobs
import open_mpi
import paced

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 180  # s, of one program
# name of the row: (words, bytes of an operation if a bandwidth is told, times that of UCX)
ROWS = {
    "put": ("put of 8 B, waited for", 0, 1.5),
    "get": ("get of 8 B", 0, 1.5),
    "add": ("add to 8 B, with the old value", 0, 1.5),
    "multicast": ("multicast of 1 KiB, waited for", 0, 1.5),
    "message": ("64 B through a FIFO, there and back", 0, 1.5),
    "signal": ("signal, there and back", 0, 1.5),
    "adds": ("adds to 8 B, without it", 0, 2),
    "puts_4": ("puts of 4 B", 4, 2),
    "puts_64": ("puts of 64 B", 64, 2),
    "puts_256": ("puts of 256 B", 256, 2),
    "puts_1408": ("puts of 1,408 B", 1408, 2),
    "puts_65536": ("puts of 64 KiB", 1 << 16, 1 / 0.9),
    "puts_262144": ("puts of 256 KiB", 1 << 18, 1 / 0.9),
    "puts_1048576": ("puts of 1 MiB", 1 << 20, 1 / 0.9),
    "gets_65536": ("gets of 64 KiB", 1 << 16, 1 / 0.9),
    "gets_262144": ("gets of 256 KiB", 1 << 18, 1 / 0.9),
    "gets_1048576": ("gets of 1 MiB", 1 << 20, 1 / 0.9),
}

@dataclasses.dataclass
class System:
    command: object  # of a network -> words
    environment: object = lambda network: {}

    def run(self, network, rows, scale=1):
        """{row: us}"""
        words = [*self.command(network), ",".join(rows), scale]
        lines = jobs.output_of(words, TIMEOUT, **self.environment(network)).stdout.splitlines()
        return {name: float(us) for name, us in map(str.split, lines)}


def systems(bin_folder, folder):
    folder = pathlib.Path(folder)
    jobs.output_of([bin_folder / "weftcc", "-O2", HERE / "weft.c", "-o", folder / "api-weft"])
    found = {
        "weft": System(lambda network: [bin_folder / "weft", "run", "-n", 2, "--threads", 1, "--spread", "always",
                                        "--transport", network, folder / "api-weft"]),
        "ucx": System(lambda network: [bin_folder / "api_ucx"],
                      lambda network: {"UCX_TLS": paced.UCX_TRANSPORTS[network], "UCX_LOG_LEVEL": "error"}),
    }
    if open_mpi.is_here():
        jobs.output_of([open_mpi.MPICC, "-O2", HERE / "mpi.c", "-o", folder / "api-mpi"])
        found["mpi"] = System(lambda network: [*open_mpi.MPIRUN, "-n", 2, "--bind-to", "none", "--mca", "pml", "ob1",
                                               *open_mpi.NETWORKS[network], *paced.MPI_OPTIONS[network], folder / "api-mpi"])
    return found

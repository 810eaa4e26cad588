# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations as programs use them: with computing in between, at ordinary priority, beside others that do the same.

Weft, MPI, UCX and plain libomp run in turn, again and again, in one run of the benchmark. Each round gives a value of
each and a ratio of two; printed are medians and quartiles of both.
"""

import contextlib
import dataclasses
import os
import pathlib

import jobs
import open_mpi
import quiet

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 120  # s, of one program
NETWORKS = {"shm": "shared memory", "tcp": "TCP"}
MPI_OPTIONS = {"shm": [], "tcp": ["--mca", "osc", "pt2pt"]}
UCX_TRANSPORTS = {"shm": "posix,self", "tcp": "tcp,self"}
NODES = 2
COMPUTING = (0, 10, 100)  # microseconds between two operations
LOST = "-"  # in place of a ratio to what cannot be told from nothing


@dataclasses.dataclass(frozen=True)
class Row:
    """`yardsticks`: what others do in its place, (system, their row)."""

    text: str
    yardsticks: tuple = ()
    aim: object = None  # (row's median, the yardsticks' medians by system and row, network) -> whether it is met
    aim_text: str = ""


def add_arguments(parser):
    numbers = lambda text: [int(part) for part in text.split(",")]
    parser.add_argument("--rounds", type=int, default=9, help="of all programs in turn")
    parser.add_argument("--computing", type=numbers, default=list(COMPUTING), metavar="US,...",
                        help="microseconds of computing between two operations")
    quiet.add_argument(parser)


# --- where it runs ---

def placements():
    """(name, processors, or the reason why there are none)"""
    mine = sorted(os.sched_getaffinity(0))
    for text, wanted in (("as many nodes as processors", NODES), ("a processor to spare", NODES + 1)):
        few = f"not measured: {NODES} nodes and that need {wanted} processors, and here are {len(mine)}"
        yield text, mine[:wanted] if len(mine) >= wanted else few


@contextlib.contextmanager
def on_processors(chosen):
    """What is started meanwhile runs there alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, chosen)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# --- the programs ---

@dataclasses.dataclass
class System:
    rows: list  # that it has
    command: object  # of a network -> words
    environment: object = lambda network: {}

    def run(self, network, computing, scale=1):
        """{(row, computing): us}"""
        words = [*self.command(network), ",".join(self.rows), ",".join(map(str, computing)), scale]
        lines = jobs.output_of(words, TIMEOUT, **self.environment(network)).stdout.splitlines()
        return {(name, int(between)): float(us) for name, between, us in map(str.split, lines)}


def weft(options, folder, rows):
    binary = pathlib.Path(folder) / "paced-weft"
    jobs.output_of([options.bin / "weftcc", "-O2", HERE / "openmp.c", "-o", binary])
    command = lambda network: [options.bin / "weft", "run", "-n", NODES, "--threads", 1, "--transport", network, binary]
    return System(rows, command)


def libomp(folder, rows):
    binary = pathlib.Path(folder) / "paced-libomp"
    jobs.output_of(["clang-22", "-O2", "-fopenmp", HERE / "openmp.c", "-o", binary])
    return System(rows, lambda network: [binary], lambda network: {"OMP_NUM_THREADS": str(NODES)})


def mpi(folder, rows):
    """None where there is no Open MPI."""
    if not open_mpi.is_here():
        return None
    binary = pathlib.Path(folder) / "paced-mpi"
    jobs.output_of([open_mpi.MPICC, "-O2", HERE / "mpi.c", "-o", binary])
    return System(rows, lambda network: [*open_mpi.MPIRUN, "-n", NODES, "--bind-to", "none", "--mca", "pml", "ob1",
                                         *open_mpi.NETWORKS[network], *MPI_OPTIONS[network], binary])


def ucx(options, rows):
    environment = lambda network: {"UCX_TLS": UCX_TRANSPORTS[network], "UCX_LOG_LEVEL": "error"}
    return System(rows, lambda network: [options.bin / "paced_ucx"], environment)


# --- measuring ---

def measure(systems, network, options, calm):
    """{system: {(row, computing): [us of each round]}}; in each round another system is first."""
    found = {name: {} for name in systems}
    names = list(systems)
    for each in range(options.rounds):
        for name in names[each % len(names):] + names[:each % len(names)]:
            for key, us in calm.measure(lambda: systems[name].run(network, options.computing)).items():
                found[name].setdefault(key, []).append(us)
    return found


def ratio(ours, theirs):
    """Of each round; nothing where theirs cannot be told from nothing, as something small beside much computing."""
    if min(theirs) <= 0.02:
        return None
    return jobs.quartiles([a / b for a, b in zip(ours, theirs)])


def rows_of(rows, found, network, options):
    """What is printed, and goes to the JSON file: a list of rows."""
    table = []
    for name, row in rows.items():
        for computing in options.computing:
            ours = found["weft"][name, computing]
            entry = {"row": name, "computing_us": computing, "weft": jobs.quartiles(ours), "beside": []}
            medians = {}
            for system, theirs in row.yardsticks:
                values = found.get(system, {}).get((theirs, computing))
                if values is None:
                    continue
                medians[system, theirs] = jobs.quartiles(values)["median"]
                entry["beside"].append({"system": system, "row": theirs, **jobs.quartiles(values), "ratio": ratio(ours, values)})
            if row.aim is not None:
                entry["aim_is_met"] = row.aim(entry["weft"]["median"], medians, network)
            table.append(entry)
    return table


# --- printing ---

def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def spread(figure):
    return f"{number(figure['median'])} [{number(figure['low'])}, {number(figure['high'])}]"


def print_rows(rows, table):
    print(f"  {'':34}{'computing':>9}  {'Weft, us':24}{'beside it, us':48}{'Weft over it':20}aim")
    for entry in table:
        row = rows[entry["row"]]
        met = entry.get("aim_is_met")
        aim = "" if met is None else f"{row.aim_text}{'' if met else ' !'}"
        first = f"  {row.text:34}{entry['computing_us']:6} us  {spread(entry['weft']):24}"
        for beside in entry["beside"] or [None]:
            if beside is None:
                print(f"{first}{'':68}{aim}".rstrip())
                continue
            text = f"{beside['system']} {beside['row']} {spread(beside)}"
            times = spread(beside["ratio"]) if beside["ratio"] else LOST
            print(f"{first}{text:48}{times:20}{aim}".rstrip())
            first, aim = " " * len(first), ""
    print(flush=True)


def run(systems, rows, networks, options):
    """All placements and networks: measured and printed. {placement: {network: table}}"""
    systems = {name: system for name, system in systems.items() if system is not None}
    print(f"Ordinary priority, {options.rounds} rounds of all programs in turn. Microseconds that an operation takes beyond the "
          f"computing\nbetween two: median [quartiles]\n")
    tables = {}
    for text, chosen in placements():
        if isinstance(chosen, str):
            print(f"{text}: {chosen}\n")
            continue
        with on_processors(chosen):
            for network in networks:
                calm = quiet.Quiet(options.patience)
                found = measure(systems, network, options, calm)
                print(f"Over {NETWORKS[network]}, {text}; {calm.summary()}")
                table = rows_of(rows, found, network, options)
                print_rows(rows, table)
                tables.setdefault(text, {})[network] = table
    return tables

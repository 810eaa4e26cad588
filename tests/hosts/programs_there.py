# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples and the programs of tests/openmp on four hosts, of one and of two nodes each, by the drivers that they
have on one host. All of them take a quarter of an hour (tests/hosts/run --programs); the case runs some."""

import json
import re
import subprocess

from cases import Complaint, require

HOSTS = "h0,h1,h2,h3"
TABLE = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)

# A program or two of each room of tests/openmp, and those that ask what a process has once.
CHOSEN = {
    "tests/examples/matrix": "bfs,cg,heat-picture,nbody,queue,words",
    "tests/openmp/run": "atomic_capture.c,cancel.c,cxx_exceptions.cpp,exit_elsewhere.cpp,print_order.c,cxx_print_order.cpp,"
                        "teams.c,heap.c,process_numbers.c,process_own.c,process_output.c,reduction_user.c,nested.c,"
                        "signals_everywhere.c,exit_handlers_of_moved.cpp,locks.c,task_depend.c,thread_local_objects.cpp,pthread_threads.c,ompt_tasks.c,"
                        "for_dynamic.c,api_questions.c,api_sharing.c,f_api.f90,api_threads.c,threads_on_nodes.c,thread_pool.cpp,"
                        "threads_that_move.c,moves_among_readers.c,moving_threads_ends.c,balanced_threads.c,follows_data.c,gathered_threads.c,"
                        "parallel_map.cpp,queue_pipeline.c,c11_threads_on_nodes.c,threads_outlive_main.c,exit_beside_threads.c,"
                        "remote_transfers.c,remote_fifos.c,remote_shapes.c,cxx_remote.cpp,f_remote.f90",
}


class ProgramsThere:
    def test_programs(self):
        for driver, names in CHOSEN.items():
            passed, failed, output = self.run_programs(driver, names, nodes="5")  # one host has two
            require(passed > 0 and failed == 0, output)

    def test_regions(self):
        """Between hosts nothing is met in memory: regions and reductions go by messages."""
        turns = self.out / "turns"
        subprocess.run([self.bin / "weftcc", "-O1", self.root / "tests/regions/programs/turns.c", "-o", turns], check=True)
        for way in ("regions", "sums-of-regions", "sums-in-a-region", "small-teams", "cancelled", "told-at-times"):
            job = self.run("--hosts", HOSTS, "-t", 1, "--stats=json", turns, way, 100, 1, env={"OMP_CANCELLATION": "true"})
            require(job.returncode == 0 and job.stdout == "right\n", f"{way}: {job.stdout}{job.stderr}")
            nodes = [json.loads(line)["counters"] for line in job.stderr.splitlines() if line.startswith("{")]
            met = [node["empty_barriers"] + node["empty_publications"] + node["contributions_met"] for node in nodes]
            require(met == [0, 0, 0, 0], f"{way}: {met} met in memory")

    def run_programs(self, driver, names=None, nodes="4,8"):
        """How many jobs have passed, and failed, and what the driver says."""
        out = self.bin.parent / "matrix" / f"hosts_{driver.split('/')[1]}"
        # Where eight nodes share two processors with other tests, each message may wait for its turn.
        command = [self.root / driver, "--bin", self.bin, "--nodes", nodes, "--threads", 1, "--back-ends", "auto", "--timeout", 400,
                   "--out", out]
        if names:
            command += ["--test", names]
        # Bound, the first nodes of all hosts would share one processor: these hosts are one machine.
        result = self.lab.run("h0", command, folder=self.root, env={"WEFT_HOSTS": HOSTS, "WEFT_BIND": "none"}, stderr=subprocess.STDOUT,
                              stdout=subprocess.PIPE, capture_output=False)
        self.require_nothing_left()
        found = TABLE.search(result.stdout)
        if found is None:
            raise Complaint(result.stdout)
        return int(found.group(1)), int(found.group(2)), result.stdout

    def all_programs(self):
        """Runs them, says what each driver says, and returns how the jobs have ended, counted."""
        ends = {"passed": 0, "failed": 0}
        for driver in CHOSEN:
            passed, failed, output = self.run_programs(driver)
            print(output, flush=True)
            ends["passed"] += passed
            ends["failed"] += failed
        return {end: count for end, count in ends.items() if count}

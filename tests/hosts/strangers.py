# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strangers who connect to the nodes of a job on several hosts. Whatever they do changes nothing but the counter of
refused connections."""

import json
import re
import sys

from cases import require

# Each is a program of the third host: it gets the node's address and port, and prints how many connections it made.
CONNECT = """
import json, random, socket, sys
host, port = sys.argv[1], int(sys.argv[2])
def connect():
    one = socket.create_connection((host, port))
    one.settimeout(60)
    return one
def ended(one):
    try:
        while one.recv(4096): pass
    except OSError: pass
    one.close()
"""
SCAN = """
for each in range(1024, 65536):
    one = socket.socket()
    if one.connect_ex((host, each)) == 0 and each == port: print(1)
    one.close()
"""
GARBAGE = """
chance = random.Random(5)
for turn in range(300):
    one = connect()
    beginning = (b'', b'GET / HTTP/1.0\\r\\n\\r\\n', b'\\x16\\x03\\x01')[turn % 3]
    one.send(beginning + chance.randbytes(1 + chance.randrange(3000)))
    one.shutdown(socket.SHUT_WR)
    ended(one)
print(300)
"""
# What a node has said to another one at the beginning of this job, once more.
REPLAY = """
recorded = bytes.fromhex(sys.stdin.read())
for turn in range(20):
    one = connect()
    one.send(recorded)
    one.shutdown(socket.SHUT_WR)
    ended(one)
print(20)
"""
# Half of a handshake, or nothing, and then silence until the node has had enough.
HALF_OPEN = """
recorded = bytes.fromhex(sys.stdin.read())
silent = [connect() for turn in range(20)]
for turn, one in enumerate(silent):
    if turn % 2: one.send(recorded[:len(recorded) // (turn + 1)])
for one in silent: ended(one)
print(20)
"""
TEN_THOUSAND = """
for turn in range(100):
    some = [connect() for each in range(100)]
    for one in some: one.shutdown(socket.SHUT_WR)
    for one in some: ended(one)  # else the job may end before it has seen the last
print(10000)
"""


class Strangers:
    def attacked(self, script, *options, needs_recording=False):
        """A job that a stranger attacks ends as it should, and has counted the stranger's connections."""
        scanned = self.out / "scanned"
        scanned.unlink(missing_ok=True)
        recorder = self.lab.record("h1")
        job = self.start("--hosts", "h0,h1", "-t", 1, *options, self.program("work"), "until", scanned)
        spoken = json.loads(recorder.communicate()[0])  # by "ADDRESS:PORT" of who was called
        place, said = next((place, said) for place, said in spoken.items() if not place.endswith(":22") and said)
        host, _, port = place.rpartition(":")
        made = self.lab.run("h2", [sys.executable, "-c", CONNECT + script, host, port], input=said, stdin=None)
        scanned.touch()
        require(made.returncode == 0, made.stderr)
        _, errors = job.communicate(timeout=120)
        require(job.returncode == 0, f"status {job.returncode}: {errors}")
        found = re.fullmatch(r"weft: node \d: (\d+) connections? from outside the job (?:was|were) refused\n", errors)
        require(found and int(found.group(1)) == int(made.stdout), f"{made.stdout.strip()} were made: {errors}")
        self.require_nothing_left()

    def test_strangers_scan_ports(self):
        self.attacked(SCAN)

    def test_strangers_send_garbage(self):
        for options in ((), ("--encrypt", "off")):
            self.attacked(GARBAGE, *options)

    def test_strangers_replay_a_handshake(self):
        for options in ((), ("--encrypt", "off")):
            self.attacked(REPLAY, *options)

    def test_strangers_stay_half_open(self):
        self.attacked(HALF_OPEN)

    def test_ten_thousand_strangers(self):
        self.attacked(TEN_THOUSAND)

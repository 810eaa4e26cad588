# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Listens to a network interface: says "ready", and when its input ends, how many packets came and how many of them
held the text.

    python3 wire_tap.py INTERFACE TEXT
"""

import select
import socket
import sys

ALL_PROTOCOLS = 3


def main():
    interface, text = sys.argv[1], sys.argv[2].encode()
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    tap.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 26)
    tap.bind((interface, 0))
    print("ready", flush=True)
    packets = found = 0
    while True:
        readable, _, _ = select.select([tap, sys.stdin], [], [])
        if tap in readable:
            packets += 1
            found += text in tap.recv(1 << 17)
        elif readable:
            break
    print(packets, found)


main()

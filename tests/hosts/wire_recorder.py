# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Listens to a network interface: says "ready", and when its input ends, what each caller of a TCP connection over IPv4
has said first: an object of JSON, by the address and port that were called, in hexadecimal digits.

    python3 wire_recorder.py INTERFACE
"""

import json
import select
import socket
import struct
import sys

ALL_PROTOCOLS, IPV4, TCP = 3, 0x0800, 6
SYN, ACK = 2, 16
ETHERNET_BYTES = 14
MOST_BYTES = 100_000  # of a connection


def parts_of(packet):
    """Who sends to whom, the flags and the bytes; nothing if it is no TCP over IPv4."""
    if struct.unpack("!H", packet[12:14])[0] != IPV4 or packet[ETHERNET_BYTES + 9] != TCP:
        return None
    ip = packet[ETHERNET_BYTES:]
    length = struct.unpack("!H", ip[2:4])[0]
    tcp = ip[(ip[0] & 15) * 4:length]
    source, target = struct.unpack("!HH", tcp[:4])
    names = (f"{socket.inet_ntoa(ip[12:16])}:{source}", f"{socket.inet_ntoa(ip[16:20])}:{target}")
    return *names, tcp[13], tcp[(tcp[12] >> 4) * 4:]


def main():
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    tap.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 26)
    tap.bind((sys.argv[1], 0))
    print("ready", flush=True)
    called, said = {}, {}  # by caller
    while True:
        readable, _, _ = select.select([tap, sys.stdin], [], [])
        if tap not in readable:
            break
        parts = parts_of(tap.recv(1 << 17))
        if parts is None:
            continue
        source, target, flags, contents = parts
        if flags & SYN and not flags & ACK:
            called[source], said[source] = target, b""
        elif called.get(source) == target and len(said[source]) < MOST_BYTES:
            said[source] += contents
    print(json.dumps({target: said[source].hex() for source, target in called.items()}))


main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the first entry of a library's list of constructors is the one that refers to the runtime."""
import re
import subprocess
import sys

library = sys.argv[1]
symbols = subprocess.check_output(["llvm-nm", "-C", library], text=True)
begin = next(int(line.split()[0], 16) for line in symbols.splitlines()
             if line.endswith("(anonymous namespace)::begin()"))
relocations = subprocess.check_output(["llvm-readelf", "-rSW", library], text=True)
array = int(re.search(r"\.init_array\s+INIT_ARRAY\s+([0-9a-f]+)", relocations).group(1), 16)
first = re.search(rf"^0*{array:x}\s.*RELATIVE\s+([0-9a-f]+)$", relocations, re.MULTILINE)
if first is None or int(first.group(1), 16) != begin:
    sys.exit(f"{library}: the first constructor is not at {begin:#x}")

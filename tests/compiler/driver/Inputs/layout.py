# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the writable data of an executable that stays writable starts on a page of its own."""
import subprocess
import sys

sections = {}
relro_end = 0
for line in subprocess.check_output(["llvm-readelf", "-SlW", sys.argv[1]], text=True).splitlines():
    words = line.replace("[ ", "[").split()
    if words[:1] and words[0][0] == "[" and words[0].strip("[]").isdigit() and len(words) > 7:
        sections[words[1]] = (int(words[3], 16), int(words[5], 16), words[7])
    if words[:1] == ["GNU_RELRO"]:
        relro_end = int(words[2], 16) + int(words[5], 16)
writable = {name: start for name, (start, size, flags) in sections.items()
            if flags == "WA" and start >= relro_end and size > 0}
page = 4096
end_of_relro = (relro_end + page - 1) // page * page
wrong = [name for name, start in writable.items() if start < end_of_relro]
late = [name for name in (".got", ".got.plt", ".data.rel.ro", ".init_array", ".dynamic")
        if name in writable]
if wrong or late or ".bss" not in writable:
    sys.exit(f"{sys.argv[1]}: on RELRO's last page: {wrong}; not in RELRO: {late}; {writable}")

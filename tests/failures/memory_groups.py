# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control groups with a memory limit, one for each node of a job, so that the kernel enforces it."""

import os
import pathlib

ROOT = pathlib.Path("/sys/fs/cgroup")


class MemoryGroups:
    """`with MemoryGroups(count, bytes) as groups`: what nodes write to in order to enter (see
    programs/for_each_node.c), or OSError where this is not possible. Takes version 1 and 2."""

    def __init__(self, count, limit_bytes):
        self.is_version_2 = (ROOT / "cgroup.controllers").exists()
        parent = ROOT if self.is_version_2 else ROOT / "memory"
        self.folders = [parent / f"weft-test-{os.getpid()}-{number}" for number in range(count)]
        self.limit_bytes = limit_bytes

    def __enter__(self):
        try:
            if self.is_version_2:
                (ROOT / "cgroup.subtree_control").write_text("+memory")
            for folder in self.folders:
                folder.mkdir()
                limit = "memory.max" if self.is_version_2 else "memory.limit_in_bytes"
                (folder / limit).write_text(str(self.limit_bytes))
                if (folder / "memory.swap.max").exists():
                    (folder / "memory.swap.max").write_text("0")
        except OSError:
            self.__exit__()
            raise
        return [folder / "cgroup.procs" for folder in self.folders]

    def peaks(self):
        """The most that each group has held, in bytes."""
        name = "memory.peak" if self.is_version_2 else "memory.max_usage_in_bytes"
        return [int((folder / name).read_text()) for folder in self.folders if (folder / name).exists()]

    def __exit__(self, *_):
        for folder in self.folders:
            if folder.exists():
                folder.rmdir()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of the program that cannot be shared, or are not the same on all nodes."""

import subprocess

from job import Complaint

SHARED = ["-fPIC", "-shared"]


class LibraryTests:
    """Cases for Tests, which has program() and run()."""

    def library(self, folder, flags=(), compiler=None, name="library"):
        (self.out / folder).mkdir(exist_ok=True)
        return self.program(name, flags=[*SHARED, *flags], output=f"{folder}/lib{name}.so", compiler=compiler)

    def differing_libraries(self):
        """Nodes that find another file under a library's name: by LD_LIBRARY_PATH, as each host may."""
        first = self.library("first")
        self.library("second", flags=["-fno-omit-frame-pointer", "-Wl,--defsym=more=1"])
        program = self.program("uses_library", link=[f"-L{first.parent}", "-llibrary"])
        launched = self.program("for_each_node", flags=["-nostartfiles"])
        environment = {"NODE_PROGRAM": str(program), "LD_LIBRARY_PATH": str(first.parent)}
        self.run(launched, environment=environment).expect(0, "")
        self.run(launched, environment={**environment, "NODE_LIBRARIES_1": str(self.out / "second")}).expect(
            1, r"(?m)^weft: node \d \(pid \d+, \S+\): nodes \d and \d do not run the same program at the same "
               r"addresses: here .*library\.so.*; there .*library\.so")

    def loaded_differently(self):
        """The same at run time."""
        self.library("first")
        self.library("second", flags=["-fno-omit-frame-pointer", "-Wl,--defsym=more=1"])
        program = self.program("loads_library")
        launched = self.program("for_each_node", flags=["-nostartfiles"])
        environment = {"NODE_PROGRAM": str(program), "NODE_ARGUMENT_1": "by-program",
                       "NODE_ARGUMENT_2": "liblibrary.so", "LD_LIBRARY_PATH": str(self.out / "first")}
        self.run(launched, environment=environment).expect(0, "", "loaded")
        self.run(launched, environment={**environment, "NODE_LIBRARIES_2": str(self.out / "second")}).expect(
            1, r"(?m)^weft: node 0 \(pid \d+, \S+\): dlopen: node 2 cannot load liblibrary\.so as node 0 has: there "
                r".*first/liblibrary\.so at .*; here nothing")
        self.run(launched, environment={**environment, "NODE_LIBRARIES_1": "/"}).expect(
            1, r"(?m)^weft: node 0 .*: dlopen: node 1 cannot load liblibrary\.so as node 0 has: .*cannot open shared "
                r"object file")

    def loaded_by_library(self):
        """A library without Weft loads one with Weft: on all nodes, unless its own data is each node's."""
        library = self.library("first")
        program = self.program("loads_library")
        self.run(program, "by-library", library, self.library("first", compiler="clang-22", name="loader")).expect(
            0, "", "loaded")
        own = self.library("own", compiler="clang-22", name="loader", flags=["-DMAY_START_THREADS"])
        self.run(program, "by-library", library, own).expect(
            1, r"(?m)^weft: node 0 .*: \S+liblibrary\.so, which was linked by weftcc, is loaded by a library that was "
               r"not: its data cannot be shared\.")

    def own_data(self):
        """What was told to a library with data of each node's own is said, if it is asked for."""
        library = self.library("own", compiler="clang-22", name="settings")
        program = self.program("uses_settings", output="own/uses_settings",
                               link=[f"-L{library.parent}", "-lsettings", f"-Wl,-rpath,{library.parent}"])
        check = {"WEFT_CHECK": "libraries"}
        why = (r"libsettings\.so: static data is each node's own, as it has constructors and can make threads, which "
               r"stay on a node; no atomic instructions\n")
        told = (r"libsettings\.so: its static data is each node's own, and 1 words of it have changed on node 0 and not "
                r"on node 1; the first is settings_level \+ 0 at 0x[0-9a-f]+\. What the library was told")
        self.run(program, "main", environment=check).expect(0, f"(?s){why}.*{told}", "levels")
        _, errors = self.run(program, "all", environment=check).expect(0, why, "levels")
        if "have changed" in errors:
            raise Complaint(f"It tells of a change that all nodes have made:\n{errors}")

    def loaded_deeply(self):
        program = self.program("loads_library")
        self.run(program, "deep", self.library("first")).expect(
            1, r"(?m)^weft: node 0 .*: dlopen of \S+liblibrary\.so with RTLD_DEEPBIND")
        self.run(program, "deep", self.library("first", compiler="clang-22", name="loader")).expect(0, "", "loaded")

    def half_made(self):
        """Compiled by weftcc and linked by clang: as a library of the program, and as one that it loads."""
        (self.out / "half").mkdir(exist_ok=True)
        made = self.program("library", flags=["-fPIC", "-c"], output="half/library.o")
        subprocess.run(["clang-22", "-shared", made, "-o", made.parent / "liblibrary.so"], check=True)
        sentence = r"liblibrary\.so was compiled by weftcc, but linked by another command"
        program = self.program("uses_library", link=[f"-L{made.parent}", "-llibrary", f"-Wl,-rpath,{made.parent}"],
                               output="half/uses_library")
        self.run(program).expect(1, r"(?m)^weft: node \d .*: \S+" + sentence)
        self.run(self.program("loads_library"), "by-program", made.parent / "liblibrary.so").expect(
            1, r"(?m)^weft: node 0 .*: dlopen: \S+" + sentence)

    def test_libraries(self):
        yield "differing_libraries", self.differing_libraries
        yield "loaded_differently", self.loaded_differently
        yield "loaded_by_library", self.loaded_by_library
        yield "own_data", self.own_data
        yield "loaded_deeply", self.loaded_deeply
        yield "half_made", self.half_made

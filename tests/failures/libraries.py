# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of the program that cannot be shared, or are not the same on all nodes."""

import subprocess

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
        loader = self.library("first", compiler="clang-22", name="loader")
        self.run(self.program("loads_library"), "by-library", self.library("first"), loader).expect(
            1, r"(?m)^weft: node 0 .*: \S+liblibrary\.so, which was linked by weftcc, is loaded by a library that was "
                r"not: its data cannot be shared\.")

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
        yield "loaded_deeply", self.loaded_deeply
        yield "half_made", self.half_made

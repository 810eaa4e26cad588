# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One node touches private memory of another: a sentence, and never other bytes."""

KINDS = {
    "errno": r"a thread-local variable of \S+libc\.so\.6\. Pass on",
    "words": r"allocated or mapped there by the C library or another library\. Let the node",
    "directory": r"allocated or mapped there by the C library or another library\. Let the node",
    "conversion": r"allocated or mapped there by the C library or another library\. Let the node",
}
BACK_ENDS = ["uffd-async", "uffd-sync", "mprotect"]


class PrivateMemoryTests:
    """Cases for Tests, which has program() and run()."""

    def touch(self, kind, maker, toucher, back_end, writes):
        """With two threads a node."""
        sentence = (rf"(?m)^weft: node {toucher // 2} \(pid \d+, \S+\): the program has touched 0x[0-9a-f]+, which is "
                    rf"private memory of node {maker // 2}: {KINDS[kind]}.* It did so at "
                    rf"(main\.omp_outlined, )?\S+private_memory\.c:{31 if writes else 32}$")
        arguments = [kind, maker, toucher] + ["write"] * writes
        self.run(self.program("private_memory", flags=["-g"]), *arguments,
                 options=["--back-end", back_end]).expect(1, sentence, "")

    def test_private_memory(self):
        for kind in KINDS:
            for maker, toucher in ((0, 2), (0, 4), (2, 0), (5, 3)):
                writes = kind == "errno" and maker > 0
                yield (f"private_{kind}_{maker}_{toucher}",
                       lambda k=kind, m=maker, t=toucher, w=writes: self.touch(k, m, t, "uffd-async", w))
        for back_end in BACK_ENDS:
            yield f"private_errno_{back_end}", lambda b=back_end: self.touch("errno", 0, 5, b, True)
        # The maker's own threads may use it.
        yield "private_of_neighbour", lambda: self.run(
            self.program("private_memory", flags=["-g"]), "words", 2, 3).expect(0, "", f"{ord('/')}\n")

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into an executable or library where the link asks for it (compiler/linker/weft_ld.cpp):
// the note that a thread which stands in for another may run its code. It finds that one's
// variables. The owner is WEFT_NOTE_OWNER, the type WEFT_THREAD_LOCALS_NOTE_TYPE.
asm(R"(
    .section .note.weft.thread_locals, "a", @note
    .balign 4
    .globl weft_thread_locals_follow
    .hidden weft_thread_locals_follow
weft_thread_locals_follow:
    .long 5, 0, 2
    .asciz "Weft"
    .balign 4
    .text
)");

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into each executable and shared library with thread-local variables: makes their block a
// whole number of pages, which begin at a page. Then no other object's thread-local data shares a
// page with it, so the node library can put it into shared memory
// (runtime/addresses/thread_places.hpp). The sections hold nothing; their alignment is what counts.
//
// The pass writes a reference to the symbol into objects that have such variables
// (compiler/pass/modules/thread_locals.cpp), so that this comes out of the archive.
asm(R"(
    .section .tdata.weft, "awTR", @progbits
    .balign 4096
    .section .tbss.weft, "awTR", @nobits
    .balign 4096
    .globl weft_thread_local_pages
    .hidden weft_thread_local_pages
    .set weft_thread_local_pages, 0
    .text
)");

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of the C and C++ libraries that the program reads and sets: defined here, among the
// data of the executable or library that weftcc links, so that they are shared by all nodes. The
// libraries find these in place of their own, as they find the copies that a linker makes
// (R_X86_64_COPY). Weak: a program may have a getopt of its own, and a static libstdc++ has streams
// that are shared anyway.
//
// C++'s standard streams are objects without the buffer: that (stdio_sync_filebuf) is each node's
// own, at the same address on all, and goes straight on to stdout. What is shared is format, state,
// locale and to which buffer the stream leads. All on a page of their own, as each output writes to
// its stream.
//
// Not here: environ and the time zone's variables, which Weft sets on each node; stdin, stdout and
// stderr, which it uses itself.
#include <istream>

#define WEFT_SHARED __attribute__((weak, visibility("default")))

extern "C" {

WEFT_SHARED char* optarg = nullptr;
WEFT_SHARED int optind = 1;
WEFT_SHARED int opterr = 1;
WEFT_SHARED int optopt = '?';

// What each link asks for, so that this comes out of the archive even where the C++ library stands
// before it.
[[gnu::visibility("hidden")]] extern const char weft_shared_variables = 0;

}  // extern "C"

static_assert(sizeof(std::istream) == 280 && sizeof(std::wistream) == 280);
static_assert(sizeof(std::ostream) == 272 && sizeof(std::wostream) == 272);

#define WEFT_STREAM(name, bytes) \
  ".weak " #name                 \
  "\n"                           \
  ".type " #name                 \
  ", @object\n"                  \
  ".size " #name ", " #bytes     \
  "\n"                           \
  ".balign 16\n" #name ": .zero " #bytes "\n"

asm(".pushsection .bss.weft_streams, \"aw\", @nobits\n"
    ".balign 4096\n"  //
    WEFT_STREAM(_ZSt3cin, 280) WEFT_STREAM(_ZSt4cout, 272) WEFT_STREAM(_ZSt4cerr, 272)
        WEFT_STREAM(_ZSt4clog, 272) WEFT_STREAM(_ZSt4wcin, 280) WEFT_STREAM(_ZSt5wcout, 272)
            WEFT_STREAM(_ZSt5wcerr, 272) WEFT_STREAM(_ZSt5wclog, 272)  //
    ".balign 4096\n"
    ".popsection");

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's maps on one node: straight to the C library, bound by the dynamic linker as
// allocation.cpp says. In a job of several nodes the node library's definitions come first.
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "start/visibility.hpp"

#define WEFT_FORWARD(name)                                        \
  decltype(&(name)) weft_resolve_##name(void) { return &(name); } \
  WEFT_EXPORT decltype(name) __wrap_##name __attribute__((ifunc("weft_resolve_" #name)));

extern "C" {

WEFT_FORWARD(mmap)
WEFT_FORWARD(mmap64)
WEFT_FORWARD(munmap)
WEFT_FORWARD(mremap)
WEFT_FORWARD(msync)
WEFT_FORWARD(mprotect)
WEFT_FORWARD(pkey_mprotect)
WEFT_FORWARD(madvise)
WEFT_FORWARD(posix_madvise)
WEFT_FORWARD(mlock)
WEFT_FORWARD(mlock2)
WEFT_FORWARD(munlock)
WEFT_FORWARD(mincore)
WEFT_FORWARD(remap_file_pages)
WEFT_FORWARD(shm_open)
WEFT_FORWARD(memfd_create)
WEFT_FORWARD(shmat)
WEFT_FORWARD(shmdt)
WEFT_FORWARD(brk)
WEFT_FORWARD(sbrk)

}  // extern "C"

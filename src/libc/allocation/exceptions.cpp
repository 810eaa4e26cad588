// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of thrown exceptions. A std::exception_ptr may go to another node, so exceptions are
// on the shared heap, as what they hold is. The program's C++ runtime knows nothing of that: the
// Itanium ABI has it ask for memory here, in front of which it keeps its own record.
//
// Exceptions that libstdc++.so itself throws (std::vector::at) do not come here, and stay on their
// node. The node library's own ones do come here: before there is a shared heap, and in forked
// children, they are in private memory. A C program may have no C++ runtime at all, or one that
// came by dlopen() and cannot be found here.
#include <cstddef>
#include <cstring>
#include <exception>

#include "libc/allocation/allocation.hpp"
#include "libc/interposition/interpose.hpp"

namespace {

// The size of libstdc++'s record, __cxa_refcounted_exception; a part of its ABI.
constexpr std::size_t kRecordBytes = 128;

using Allocate = void*(std::size_t);
using Free = void(void*);

}  // namespace

WEFT_ENTRY(void*, __cxa_allocate_exception, std::size_t bytes) {
  if (void* const block = weft::libc::program_allocate(kRecordBytes + bytes)) {
    std::memset(block, 0, kRecordBytes);
    return static_cast<std::byte*>(block) + kRecordBytes;
  }
  Allocate* const real = WEFT_REAL_AS(Allocate*, __cxa_allocate_exception);
  if (real == nullptr) std::terminate();  // as the ABI says
  // It keeps some memory for this case.
  return real(bytes);
}

WEFT_ENTRY(void, __cxa_free_exception, void* thrown) {
  void* const block = static_cast<std::byte*>(thrown) - kRecordBytes;
  Free* const real = WEFT_REAL_AS(Free*, __cxa_free_exception);
  // Without a runtime that keeps some memory, all are from above.
  if (real == nullptr || weft::libc::is_on_shared_heap(block)) return weft::libc::release(block);
  real(thrown);
}

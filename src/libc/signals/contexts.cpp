// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setcontext and swapcontext have the kernel read a signal mask in the program's memory, which is
// the first that they look at of the context to come: its page may be away. getcontext and
// swapcontext have written to both sides of the mask before the kernel does.
#include <ucontext.h>

#include <cerrno>

#include "libc/interposition/interpose.hpp"

namespace weft::libc {
namespace {

void fetch_mask(const ucontext_t* context) {
  (void)*reinterpret_cast<const volatile char*>(&context->uc_sigmask);
}

// The page may have gone again meanwhile. A pointer that is none has ended the program above. Where
// it fails, the C library's swapcontext does not give back a register that is the caller's.
[[gnu::always_inline]] inline bool is_to_be_repeated(int result) {
#if defined(__x86_64__)
  asm volatile("" : : : "r12");
#endif
  return result != 0 && errno == EFAULT;
}

}  // namespace

WEFT_ENTRY(int, setcontext, const ucontext_t* context) {
  int result = 0;
  do {
    fetch_mask(context);
    result = WEFT_REAL(setcontext)(context);
  } while (is_to_be_repeated(result));
  return result;
}

// Returns when somebody goes on with `left`: to this frame, which is on that one's stack.
WEFT_ENTRY(int, swapcontext, ucontext_t* left, const ucontext_t* context) {
  int result = 0;
  do {
    fetch_mask(context);
    result = WEFT_REAL(swapcontext)(left, context);
  } while (is_to_be_repeated(result));
  return result;
}

}  // namespace weft::libc

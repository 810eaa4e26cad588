// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program sets in the C++ library, which keeps it in variables of its own: set on all
// nodes of a job. weftcc renames the calls by --wrap; this is linked into what makes them.
#include <cstdint>
#include <exception>
#include <ios>
#include <new>

#include "base/compiler_abi.h"

#define HIDDEN __attribute__((visibility("hidden")))

extern "C" {

std::terminate_handler __real__ZSt13set_terminatePFvvE(std::terminate_handler);
std::new_handler __real__ZSt15set_new_handlerPFvvE(std::new_handler);
bool __real__ZNSt8ios_base15sync_with_stdioEb(bool);
int __real__ZNSt8ios_base6xallocEv();

HIDDEN std::terminate_handler __wrap__ZSt13set_terminatePFvvE(std::terminate_handler handler) {
  if (__weft_spans_nodes == 0) return __real__ZSt13set_terminatePFvvE(handler);
  const auto set = [](void* argument) {
    const auto given = reinterpret_cast<std::terminate_handler>(argument);
    return reinterpret_cast<void*>(__real__ZSt13set_terminatePFvvE(given));
  };
  void* const previous = __weft_run_everywhere(set, reinterpret_cast<void*>(handler));
  return reinterpret_cast<std::terminate_handler>(previous);
}

HIDDEN std::new_handler __wrap__ZSt15set_new_handlerPFvvE(std::new_handler handler) {
  if (__weft_spans_nodes == 0) return __real__ZSt15set_new_handlerPFvvE(handler);
  const auto set = [](void* argument) {
    const auto given = reinterpret_cast<std::new_handler>(argument);
    return reinterpret_cast<void*>(__real__ZSt15set_new_handlerPFvvE(given));
  };
  void* const previous = __weft_run_everywhere(set, reinterpret_cast<void*>(handler));
  return reinterpret_cast<std::new_handler>(previous);
}

// In a job the streams stay in step with stdio: buffers of their own would be each node's, and what
// is in them would come out of order.
HIDDEN bool __wrap__ZNSt8ios_base15sync_with_stdioEb(bool sync) {
  if (__weft_spans_nodes == 0) return __real__ZNSt8ios_base15sync_with_stdioEb(sync);
  static bool present = true;
  const bool previous = present;
  present = sync;
  return previous;
}

// The next index of ios_base's arrays: the same everywhere, as streams are shared.
HIDDEN int __wrap__ZNSt8ios_base6xallocEv() {
  if (__weft_spans_nodes == 0) return __real__ZNSt8ios_base6xallocEv();
  const auto next = [](void*) {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(__real__ZNSt8ios_base6xallocEv()));
  };
  return static_cast<int>(reinterpret_cast<std::intptr_t>(__weft_run_everywhere(next, nullptr)));
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/thread_exits.hpp"

#include <utility>

#include "libc/interposition/interpose.hpp"
#include "pthread/threads/carriers.hpp"
#include "runtime/libraries/program_objects.hpp"
#include "stacks/stacks.hpp"

extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* library);

namespace weft::pthread {
namespace {

// By a pointer: a thread-local object with a destructor would be one of these itself.
constinit thread_local std::vector<ThreadExit>* exits = nullptr;

void keep(ThreadExit exit) {
  if (exits == nullptr) exits = new std::vector<ThreadExit>;
  exits->push_back(exit);
}

}  // namespace

std::vector<ThreadExit> carry_off_thread_exits() {
  return exits == nullptr ? std::vector<ThreadExit>() : std::exchange(*exits, {});
}

void take_over_thread_exits(std::vector<ThreadExit> carried) {
  if (carried.empty()) return;
  if (exits == nullptr) exits = new std::vector<ThreadExit>;
  *exits = std::move(carried);
}

void run_thread_exits() {
  if (exits == nullptr) return;
  while (!exits->empty()) {
    ThreadExit last = exits->back();
    exits->pop_back();
    call_on_program_stack(
        [](void* c) {
          const ThreadExit exit = *static_cast<const ThreadExit*>(c);
          reinterpret_cast<void (*)(void*)>(exit.function)(exit.argument);
        },
        &last);
  }
  if (!is_visitor()) delete std::exchange(exits, nullptr);
}

WEFT_ENTRY(int, __cxa_thread_atexit_impl, void (*function)(void*), void* argument, void* library) {
  if (own_carrier() == nullptr || !is_in_program(library)) {
    return WEFT_REAL(__cxa_thread_atexit_impl)(function, argument, library);
  }
  on_runtime_stack([=] { keep({reinterpret_cast<void*>(function), argument}); });
  return 0;
}

}  // namespace weft::pthread

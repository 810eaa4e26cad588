// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is to be done at the program's end, beside atexit (node/exit_handlers.hpp): once, on node 0,
// whichever node asks for it.
#include <stdlib.h>

#include "libc/interpose.hpp"
#include "process/topics.hpp"

extern "C" int __cxa_at_quick_exit(void (*handler)(void*), void* library);

namespace weft::process {
namespace {

using Handler = void (*)(void*);
using ExitHandler = void (*)(int, void*);

Answer register_quick(const Request& request) {
  const auto handler = reinterpret_cast<Handler>(request.a);
  return {WEFT_REAL(__cxa_at_quick_exit)(handler, nullptr)};
}

Answer register_ordinary(const Request& request) {
  const auto handler = reinterpret_cast<ExitHandler>(request.a);
  return {WEFT_REAL(on_exit)(handler, reinterpret_cast<void*>(request.b))};
}

}  // namespace

void perform_endings() {
  perform(Call::kAtQuickExit, register_quick);
  perform(Call::kOnExit, register_ordinary);
}

WEFT_ENTRY(int, __cxa_at_quick_exit, Handler handler, void* library) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(__cxa_at_quick_exit)(handler, library);
  const Request request = {.call = Call::kAtQuickExit,
                           .a = reinterpret_cast<std::intptr_t>(handler)};
  return static_cast<int>(ask_node(*node, NodeId(0), request).result);
}

WEFT_ENTRY(int, on_exit, ExitHandler handler, void* argument) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(on_exit)(handler, argument);
  const Request request = {.call = Call::kOnExit,
                           .a = reinterpret_cast<std::intptr_t>(handler),
                           .b = reinterpret_cast<std::intptr_t>(argument)};
  return static_cast<int>(ask_node(*node, NodeId(0), request).result);
}

}  // namespace weft::process

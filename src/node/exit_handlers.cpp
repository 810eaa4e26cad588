// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program wants done at its end (atexit, destructors of static objects) is kept for the
// whole job, whichever node's thread asks for it. So it is for foreign libraries whose data is
// shared; other libraries' handlers are each node's own.
#include "node/exit_handlers.hpp"

#include <dlfcn.h>

#include "base/threads/guard_words.hpp"
#include "process/lifetime/endings.hpp"
#include "runtime/libraries/program_objects.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

using Handler = void (*)(void*);
using Register = int (*)(Handler, void*, void*);

Register real_register() {
  static const auto real = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  return real;
}

int register_here(Handler handler, void* argument, void* library) {
  const Register real = real_register();
  // Not on a program stack: the C library holds a lock, which a service handler may want.
  return on_runtime_stack([=] {
    const WithProcessPointerGuard with_guard;
    return real(handler, argument, library);
  });
}

// An object's handle is in its data; atexit passes the executable's, which is null.
bool is_programs(const Node& node, const void* library) {
  return library == nullptr || is_in_program(library) || node.is_shared(library);
}

}  // namespace

void prepare_exit_handlers() {
  // Found now: a dlsym in the middle of the program takes away what its dlerror has to say.
  (void)real_register();
}

}  // namespace weft

extern "C" __attribute__((visibility("default"))) int __cxa_atexit(weft::Handler handler,
                                                                   void* argument, void* library) {
  weft::Node* const node = weft::this_node();
  if (node == nullptr || !weft::is_programs(*node, library)) {
    return weft::register_here(handler, argument, library);
  }
  return weft::process::at_exit_call(*node, handler, argument);
}

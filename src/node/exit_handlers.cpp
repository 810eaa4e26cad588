// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program wants done at its end (atexit, destructors of static objects) is done once, on
// node 0, whichever node's thread asked for it: the program ends there, and its memory is still
// shared then. So it is for foreign libraries whose data is shared; other handlers are each node's.
#include "node/exit_handlers.hpp"

#include <dlfcn.h>

#include "base/bytes.hpp"
#include "runtime/program_objects.hpp"
#include "runtime/stacks.hpp"

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
  return on_runtime_stack([=] { return real(handler, argument, library); });
}

int register_on_node_0(Node& node, Handler handler, void* argument) {
  return on_runtime_stack([&] {
    Bytes request;
    ByteWriter writer(request);
    writer.u64(reinterpret_cast<std::uintptr_t>(handler));
    writer.u64(reinterpret_cast<std::uintptr_t>(argument));
    return static_cast<int>(node.call(NodeId(0), Service::kAtExit, std::move(request)).size());
  });
}

// An object's handle is in its data; atexit passes the executable's, which is null.
bool is_programs(const Node& node, const void* library) {
  return library == nullptr || is_in_program(library) || node.is_shared(library);
}

}  // namespace

void serve_exit_handlers(Node& node) {
  // Found now: a dlsym in the middle of the program takes away what its dlerror has to say.
  (void)real_register();
  node.serve(Service::kAtExit, [](NodeId, ByteView request) {
    ByteReader reader(request);
    const auto handler = reinterpret_cast<Handler>(reader.u64());
    auto* const argument = reinterpret_cast<void*>(reader.u64());
    const bool registered = register_here(handler, argument, nullptr) == 0;
    return Bytes(registered ? 0 : 1);
  });
}

}  // namespace weft

extern "C" __attribute__((visibility("default"))) int __cxa_atexit(weft::Handler handler,
                                                                   void* argument, void* library) {
  weft::Node* const node = weft::this_node();
  if (node == nullptr || node->self() == weft::NodeId(0) || !weft::is_programs(*node, library)) {
    return weft::register_here(handler, argument, library);
  }
  return weft::register_on_node_0(*node, handler, argument);
}

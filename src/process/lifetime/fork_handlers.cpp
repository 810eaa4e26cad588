// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program wants done before and after its forks (pthread_atfork), whichever node's thread
// says so and whichever forks. In the C library's list of one node they would be called by that
// node alone, and in the child before it has a copy of the memory. Handlers of other libraries are
// in those lists: they are about each node's own data.
#include <algorithm>
#include <atomic>
#include <initializer_list>

#include "libc/interposition/interpose.hpp"
#include "process/requests/topics.hpp"
#include "runtime/job/job.hpp"
#include "runtime/libraries/program_objects.hpp"

extern "C" int __register_atfork(void (*before)(), void (*in_parent)(), void (*in_child)(),
                                 void* library);

namespace weft::process {
namespace {

using Handler = void (*)();

// For ever. A list that only grows, so that it is whole in a child at any moment.
struct Handlers {
  const Handlers* earlier;
  Handler before, in_parent, in_child;
};
std::atomic<const Handlers*> latest = nullptr;

// One at a time, as all changes of the process.
Answer add(const Request& request) {
  latest.store(new Handlers{.earlier = latest.load(),
                            .before = reinterpret_cast<Handler>(request.a),
                            .in_parent = reinterpret_cast<Handler>(request.b),
                            .in_child = reinterpret_cast<Handler>(request.c)});
  return {};
}

void call(Handler handler) {
  if (handler != nullptr) handler();
}

// In the order in which they were registered.
void run_after(const Handlers* last, bool in_child) {
  if (last == nullptr) return;
  run_after(last->earlier, in_child);
  call(in_child ? last->in_child : last->in_parent);
}

void run(libc::ForkStage stage) {
  if (stage != libc::ForkStage::kBefore)
    return run_after(latest.load(), stage == libc::ForkStage::kInChild);
  for (const Handlers* each = latest.load(); each != nullptr; each = each->earlier)
    call(each->before);
}

// libomp registers some as well, when the program first needs it.
bool are_programs(std::initializer_list<Handler> handlers) {
  return std::ranges::any_of(handlers, [](Handler handler) {
    return handler != nullptr && is_in_program(reinterpret_cast<const void*>(handler));
  });
}

}  // namespace

void perform_fork_handlers() {
  perform(Call::kAddForkHandlers, add);
  set_fork_handlers(run);
}

// pthread_atfork, which is a part of each program and library, calls it.
WEFT_ENTRY(int, __register_atfork, void (*before)(), void (*in_parent)(), void (*in_child)(),
           void* library) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr || !are_programs({before, in_parent, in_child}))
    return WEFT_REAL(__register_atfork)(before, in_parent, in_child, library);
  (void)everywhere(*node, {.call = Call::kAddForkHandlers,
                           .a = reinterpret_cast<std::int64_t>(before),
                           .b = reinterpret_cast<std::int64_t>(in_parent),
                           .c = reinterpret_cast<std::int64_t>(in_child)});
  return 0;
}

}  // namespace weft::process

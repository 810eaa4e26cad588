// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork in a node. The shared region is mapped MAP_SHARED: a child would write on its parent's
// stack. And a child is no node: it has none of the threads that serve the others, and its copies
// of the connections belong to the parent.
//
// The program's handlers of pthread_atfork run outside of all that: the child's change its own
// copy.
//
//   parent (its runtime stack)        child (a copy of that stack)
//   before_fork: brings what other
//   nodes have
//   fork ───────────────────────────► detach_child: the region becomes private memory
//   waits, so that its own writes     says that it is done
//   do not get into the child's copy
//   returns to the program            returns to the program, with the C library's heap alone
//
// In the child, blocks of the shared heap may be used, resized and freed; freeing them does
// nothing. system, popen and posix_spawn do not come here: they start their child within the C
// library, on private memory, with the parent waiting for its exec.
//
// Rejected: turning fork into vfork. It would serve fork and exec, but a child that works for
// itself would change its parent's memory, and one that calls exit would end the parent's node.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>

#include "base/threads/held_cancellation.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

constexpr char kNoChildren[] =
    "weft: the program forked; in a job of several nodes a child cannot have a copy of the memory. "
    "posix_spawn, system and popen work\n";

void become_child(const Hooks& node) {
  if (node.detach_child == nullptr) {
    (void)!WEFT_REAL(write)(STDERR_FILENO, kNoChildren, sizeof kNoChildren - 1);
    _exit(127);
  }
  in_forked_child.store(true, std::memory_order_release);
  node.detach_child();
}

pid_t fork_node(const Hooks& node) {
  const CancellationHeld uncancelled;
  // The child's end is closed when it is done, or dead.
  int detached[2];
  if (WEFT_REAL(pipe2)(detached, O_CLOEXEC) != 0) return -1;
  if (node.before_fork != nullptr) node.before_fork();
  const pid_t child = WEFT_REAL(fork)();
  const int fork_errno = errno;
  if (child == 0) {
    become_child(node);
    close(detached[1]);
    close(detached[0]);
    return 0;
  }
  close(detached[1]);
  char nothing;
  while (child > 0 && WEFT_REAL(read)(detached[0], &nothing, 1) == -1 && errno == EINTR) {
  }
  close(detached[0]);
  errno = fork_errno;
  return child;
}

}  // namespace

WEFT_ENTRY(pid_t, fork, void) {
  const Hooks* const node = hooks();
  if (node == nullptr) return WEFT_REAL(fork)();
  const auto run_handlers = [node](ForkStage stage) {
    if (node->run_fork_handlers != nullptr) node->run_fork_handlers(stage);
  };
  run_handlers(ForkStage::kBefore);
  const bool is_child = in_forked_child.load(std::memory_order_acquire);
  const pid_t child =
      is_child ? WEFT_REAL(fork)() : on_runtime_stack([node] { return fork_node(*node); });
  const int fork_errno = errno;
  run_handlers(child == 0 ? ForkStage::kInChild : ForkStage::kInParent);
  errno = fork_errno;
  return child;
}

}  // namespace weft::libc

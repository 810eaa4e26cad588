// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the C library entry points that libweft-node.so takes over (this folder) reach the node. They
// are called from the first instruction of the process on; until the runtime sets the hooks, every
// one of them does what the C library's own does. A node never clears them: blocks of the shared
// heap are freed by destructors of the program until the process ends.
//
// Why a table of functions and not runtime/interface/node.hpp: this layer stands below the runtime,
// and its tests run it without one.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/bytes.hpp"
#include "base/ids.hpp"

struct sigaction;

namespace weft::heap {
class Heap;
}

namespace weft::libc {

// True in a process that a node has forked (fork.cpp): it has a copy of the shared heap's blocks,
// but takes no part in it any more.
inline constinit std::atomic<bool> in_forked_child = false;

// When the program's handlers of pthread_atfork are called.
enum class ForkStage : std::uint8_t { kBefore, kInParent, kInChild };

struct Hooks {
  // Where the program's allocations go.
  heap::Heap* heap = nullptr;
  // True for an address in the shared region, be it heap, data or stack.
  bool (*is_shared)(const void* pointer) = nullptr;
  // What the program wants done about faults (SIGSEGV, SIGBUS) that are its own.
  void (*fault_action)(int signal, struct sigaction* action) = nullptr;
  void (*set_fault_action)(int signal, const struct sigaction* action) = nullptr;
  // Calls f(argument), a signal handler of the program, on the thread that it has interrupted.
  void (*run_handler)(void (*f)(void*), void* argument) = nullptr;
  // The program has set a handler for a signal that may come while its thread waits in the runtime
  // (1), or has none for it any more (-1).
  void (*count_handlers)(int change) = nullptr;
  // The program has said here what is to be done about a signal: the others do the same from now
  // on. Waits until they do; on the runtime stack.
  void (*share_action)(int signal, const struct sigaction& action) = nullptr;
  // Counts for the first signal that is to be handled so without having been set here. False: none
  // may be handled now, but soon.
  bool (*admit_handlers)() = nullptr;
  // Called before a fork, on the runtime stack: brings what is elsewhere.
  void (*before_fork)() = nullptr;
  // Called in the child of a fork, on the runtime stack, while the parent waits: makes the shared
  // region the child's own (see fork.cpp).
  void (*detach_child)() = nullptr;
  // What the program wants done about a fork; on its stack.
  void (*run_fork_handlers)(ForkStage stage) = nullptr;
  // This node's place in the job.
  NodeId self = {};
  unsigned node_count = 1;
  // Has another node do a file operation (libc/streams/forwarding.hpp), and waits for its answer.
  // Called on the runtime stack.
  Bytes (*ask_for_file)(NodeId node, Bytes request) = nullptr;
};

inline constinit std::atomic<const Hooks*> installed_hooks = nullptr;

// The table must live as long as it is set. Null: no node.
void set_hooks(const Hooks* hooks);

// The hooks, or null as long as there is no node.
[[nodiscard]] inline const Hooks* hooks() {
  return installed_hooks.load(std::memory_order_acquire);
}

}  // namespace weft::libc

// Marks what libweft-node.so offers to the program and its libraries.
#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

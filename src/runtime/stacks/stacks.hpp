// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two stacks a thread. Program code runs on a *program stack* in the shared region, so that a
// pointer to any of its variables means the same on every node. Weft, libomp and everything that
// holds the node's lock run on the *runtime stack*, the private one that the thread was born with:
// the engine may take any page of the shared region away while it works, also one of the program
// stack of the very thread that drives it.
//
//   runtime stack (private)            program stack (shared region)
//   ┌───────────────┐ call_on_program  ┌──────────────┐
//   │ thread start  │ ───────────────► │ microtask    │
//   │               │                  │  ... kmpc_x  │
//   │ engine        │ ◄─────────────── │              │
//   └───────────────┘ on_runtime_stack └──────────────┘
//
// The two may nest to any depth: each switch continues below what the other side has in use.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace weft {

// True while the calling thread runs on its program stack.
[[nodiscard]] bool is_on_program_stack();

// Gives the calling thread a program stack, [bottom, top), in place of what it had. Called on the
// runtime stack, while nothing of the old one is in use.
void set_program_stack(std::byte* bottom, std::byte* top);
[[nodiscard]] bool has_program_stack();

// Prepares the calling thread, born for OpenMP, to run program code as the node's thread
// `local_thread` (0 up to most_threads_per_node() - 1): it gets that slot's program stack, in place
// of what it had, and a stack for signal handlers. Called on its runtime stack, before each region.
void take_program_stack(unsigned local_thread);

// The same for a thread that the program has made itself: it gets a stack that no other thread has,
// if there is one left, and else goes on without. On its runtime stack; give it back when it ends.
void take_own_program_stack();
void give_back_own_program_stack();

// The calling thread, on its runtime stack, goes on with a new page when it next switches to its
// program stack: what it calls there then writes none of the pages that hold its present variables.
void leave_page_of_program_stack();

// Runs f(argument) on the calling thread's program stack, below what is in use there. A thread
// without a program stack, or on it already, just calls.
void call_on_program_stack(void (*f)(void*), void* argument);

// Runs f(argument) on the calling thread's runtime stack, below what is in use there.
void call_on_runtime_stack(void (*f)(void*), void* argument);

// The same for any callable, which must not throw; returns what it returns.
template <typename F>
auto on_runtime_stack(F&& f) {
  using Result = std::invoke_result_t<F&>;
  if (!is_on_program_stack()) return f();
  if constexpr (std::is_void_v<Result>) {
    call_on_runtime_stack(
        [](void* callable) { (*static_cast<std::remove_reference_t<F>*>(callable))(); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))));
  } else {
    // The result travels through the program stack's frame, by the program's address: the write
    // may fault, which is harmless as no lock is held here.
    struct Call {
      std::remove_reference_t<F>* callable;
      Result result;
    } call{std::addressof(f), Result{}};
    call_on_runtime_stack(
        [](void* c) {
          auto* inner = static_cast<Call*>(c);
          inner->result = (*inner->callable)();
        },
        &call);
    return std::move(call.result);
  }
}

// A block of `bytes` in the shared region, 64-byte aligned, zero at first, at the same address on
// every node provided that every node asks for the same blocks in the same order. Never freed.
[[nodiscard]] void* control_block(std::size_t bytes);

// The contents that an address of the executable's data had before the program started; the
// address itself if it is not in the executable's writable data.
[[nodiscard]] const void* initial_contents_of(const void* program_address);

}  // namespace weft

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
//
// A program may also run on stacks that it has made itself, in any of its memory (makecontext,
// fibers). Such a one in the shared region is as a program stack: its pages come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace weft {

// Tells which memory is shared, and makes stacks there known as the program's. Once, before the
// program runs.
void set_shared_memory(bool (*contains)(const void*));

// True while the calling thread runs on its program stack, or one that the program has made in
// shared memory.
[[nodiscard]] bool is_on_program_stack();
// The first alone.
[[nodiscard]] bool is_on_own_program_stack();

// Gives the calling thread a program stack, [bottom, top), in place of what it had. Called on the
// runtime stack, while nothing of the old one is in use.
void set_program_stack(std::byte* bottom, std::byte* top);
[[nodiscard]] bool has_program_stack();
struct ProgramStack {
  std::byte* bottom;
  std::byte* top;
};
[[nodiscard]] ProgramStack program_stack();

// The calling thread runs a handler of the program's, which may have interrupted anything: a
// private stack, other than the runtime's, is for nothing else on a thread with a program stack.
// For code that the program calls.
[[nodiscard]] inline bool is_in_signal_handler() {
  return has_program_stack() && !is_on_program_stack();
}

// The calling thread, on its runtime stack, goes on with a new page when it next switches to its
// program stack: what it calls there then writes none of the pages that hold its present variables.
void leave_page_of_program_stack();

// Runs f(argument) on the calling thread's program stack, below what is in use there. A thread
// without a program stack, or on it already, just calls.
void call_on_program_stack(void (*f)(void*), void* argument);

// --- a program part, which may leave its thread and go on at another ---
//
// The program stack is the same memory on both, and the new thread's pointer (the place of its
// thread-local variables, runtime/addresses/thread_places.hpp) is the old one's. So no address that
// compiled code has in a register changes. The lowest frame of the program stack says where the
// present thread's runtime stack continues; whoever unwinds or returns goes by that.

// Where a part stands that is on no thread.
struct ProgramPart {
  std::uintptr_t stack_pointer = 0;
};

// The ways in which a thread is done with a part: it has left, or its function has returned.
struct PartEnd {
  std::uint64_t has_left;
  void* result;
};

// Runs f(argument) as a part at the top of the calling thread's program stack. Called on its
// runtime stack, with nothing on the program stack.
[[nodiscard]] PartEnd begin_program_part(void* (*f)(void*), void* argument);
// The same with a part that has left another thread. The program stack is the part's.
[[nodiscard]] PartEnd continue_program_part(const ProgramPart& part);

// Whether the calling thread, on its own program stack, has nothing under way on its runtime stack
// but begin_program_part or continue_program_part.
[[nodiscard]] bool can_leave_program_part();
// Leaves, if that is so: continue_program_part() of some thread goes on behind it. The thread's own
// begin_program_part or continue_program_part returns.
void leave_program_part();
// The part that has left the calling thread last.
[[nodiscard]] const ProgramPart& left_program_part();

// Runs f(argument) on the calling thread's runtime stack, below what is in use there.
void call_on_runtime_stack(void (*f)(void*), void* argument);

// The same for any callable, which must not throw; returns what it returns. Whatever takes a lock
// that the engine may need too, or hands local variables to the kernel, must run there: the pages
// of a program stack come and go. f's captures are read through the program stack, so f reads them
// before it locks.
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

}  // namespace weft

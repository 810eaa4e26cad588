// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/running.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/futex.hpp"
#include "base/threads/held_cancellation.hpp"
#include "pthread/cancellation/first_cancellation.hpp"
#include "pthread/load/presence.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/keys.hpp"
#include "pthread/threads/placing.hpp"
#include "pthread/threads/processors.hpp"
#include "pthread/threads/thread_exits.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "runtime/stacks/program_stacks.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

thread_local bool is_outside_thread = false;

// The program's threads of this node: now, and ever.
std::atomic<std::uint32_t> living = 0;
std::atomic<std::uint64_t> ever = 0;

void note_end() {
  living.fetch_sub(1);
  futex_wake_all(living);
}

void end_this_thread() {
  run_thread_exits();
  destroy_values();
  note_absence();
  give_back_own_program_stack();
  if (!std::exchange(is_outside_thread, false) || this_node() == nullptr) return;
  this_node()->count_outside_threads(-1);
  if (threads_start_anywhere) count_out(this_node()->self());
  note_end();
}

pthread_key_t end_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    pthread_key_create(&made, [](void*) { end_this_thread(); });
    return made;
  }();
  return key;
}

// Where threads stay on node 0, the processors of this host's other nodes are idle between regions.
void use_idle_processors() {
  if (!threads_start_anywhere && this_node()->self() == NodeId(0)) use_processors_of_job();
}

// Instead of Weft's, from the thread's first function on. Other nodes must find it, too.
void take_stack_of_program(const Start& start) {
  if (start.stack == nullptr || !has_program_stack()) return;
  std::byte* const top = start.stack + start.stack_bytes;
  const Node& node = *this_node();
  if (node.is_shared(start.stack) && node.is_shared(top - 1)) set_program_stack(start.stack, top);
}

struct Call {
  Start start;
  std::optional<Inheritance> inheritance;
  std::optional<unsigned> place_to_move_from = std::nullopt;  // none: it stays
  void* result = nullptr;
};

// Nothing here may need cleaning up: pthread_exit unwinds through it.
void* run(void* argument) {
  const int cancellation = hold_cancellation();
  Call call = *static_cast<Call*>(argument);
  std::free(argument);
  clean_up_at_end_of_thread();
  running_at_place();
  is_outside_thread = true;  // counted by who made it
  if (call.inheritance) take_on(*call.inheritance);
  use_idle_processors();
  take_own_program_stack();
  take_stack_of_program(call.start);
  note_presence();
  let_in_cancellation(cancellation);
  if (call.place_to_move_from && has_program_stack()) {
    return run_program_part(call.start, *call.place_to_move_from);
  }
  call_on_program_stack(
      [](void* c) {
        auto* const inner = static_cast<Call*>(c);
        inner->result = call_function(inner->start);
      },
      &call);
  (void)hold_cancellation();  // to its end
  return call.result;
}

}  // namespace

// Counted before it is there: who makes it may arrive at a barrier before it runs.
int create_here(pthread_t* id, const pthread_attr_t* attributes, const Start& start,
                const std::optional<Inheritance>& inheritance) {
  prepare_cancellation();
  void* const memory = std::malloc(sizeof(Call));
  if (memory == nullptr) return EAGAIN;
  auto* const call = new (memory) Call{.start = start, .inheritance = inheritance};
  this_node()->count_outside_threads(1);
  living.fetch_add(1);
  ever.fetch_add(1);
  const int error = threads_may_move
                        ? create_that_may_move(id, attributes, run, call, call->place_to_move_from)
                        : create_at_place(id, attributes, run, call);
  if (error == 0) return 0;
  this_node()->count_outside_threads(-1);
  note_end();
  std::free(memory);
  return error;
}

void* call_function(const Start& start) {
  if (!start.returns_int) {
    return reinterpret_cast<void* (*)(void*)>(start.function)(start.argument);
  }
  const auto function = reinterpret_cast<int (*)(void*)>(start.function);
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(function(start.argument)));
}

bool is_own_thread_of_program() { return is_outside_thread || own_carrier() != nullptr; }

std::uint64_t wait_for_threads_here() {
  for (std::uint32_t now = living; now > 0; now = living) futex_wait(living, now);
  return ever;
}

void clean_up_at_end_of_thread() {
  static const char some_value = 0;
  pthread_setspecific(end_key(), &some_value);
}

}  // namespace weft::pthread

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that the program makes itself. They run program code, so they get a program stack in
// shared memory, where other nodes' threads can name their variables; the stack that they are born
// with is their runtime stack. Threads of libomp, of UCX and of Weft are made here too, and are
// left as they are.
#include "pthread/threads/threads.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/futex.hpp"
#include "pthread/threads/elsewhere.hpp"
#include "pthread/threads/keys.hpp"
#include "pthread/threads/thread_cancellation.hpp"
#include "pthread/threads/thread_ids.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/parking.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/stacks/program_stacks.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

struct Start {
  void* (*function)(void*);
  void* argument;
};

// A place in the library that this address belongs to, the same for all of its addresses.
const void* library_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

bool is_of_ucx(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  const char* name = std::strrchr(info.dli_fname, '/');
  name = name == nullptr ? info.dli_fname : name + 1;
  return std::strncmp(name, "libuc", 5) == 0;  // libucp, libuct_*, libucs, libucm
}

bool is_of_libomp(const void* address) {
  const void* libomp = WEFT_REAL_AS(const void*, __kmpc_fork_call);
  return libomp != nullptr && library_of(address) == library_of(libomp);
}

// Whether a thread that begins like this runs the program's code.
bool is_programs(void* (*function)(void*), const void* argument) {
  if (this_node()->is_shared(argument)) return true;
  const auto* address = reinterpret_cast<const void*>(function);
  return library_of(address) != library_of(reinterpret_cast<const void*>(&is_programs)) &&
         !is_of_libomp(address) && !is_of_ucx(address);
}

thread_local bool is_outside_thread = false;

// The program's threads of this node.
std::atomic<std::uint32_t> living = 0;

void note_end() {
  living.fetch_sub(1);
  futex_wake_all(living);
}

pthread_key_t end_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    pthread_key_create(&made, [](void*) {
      destroy_values();
      give_back_own_program_stack();
      if (std::exchange(is_outside_thread, false) && this_node() != nullptr) {
        this_node()->count_outside_threads(-1);
        note_end();
      }
    });
    return made;
  }();
  return key;
}

// Nothing here may need cleaning up: pthread_exit unwinds through it.
void* run(void* argument) {
  struct Call {
    Start start;
    void* result;
  } call{*static_cast<Start*>(argument), nullptr};
  std::free(argument);
  clean_up_at_end_of_thread();
  running_at_place();
  is_outside_thread = true;  // counted by who made it
  take_own_program_stack();
  call_on_program_stack(
      [](void* c) {
        auto* inner = static_cast<Call*>(c);
        inner->result = inner->start.function(inner->start.argument);
      },
      &call);
  return call.result;
}

// Counted before it is there: who makes it may arrive at a barrier before it runs.
int create_counted(pthread_t* id, const pthread_attr_t* attributes, Start* start) {
  [[maybe_unused]] static const bool is_ready = (prepare_cancellation(), true);
  this_node()->count_outside_threads(1);
  living.fetch_add(1);
  const int error = create_at_place(id, attributes, run, start);
  if (error == 0) return 0;
  this_node()->count_outside_threads(-1);
  note_end();
  return error;
}

int create(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
           void* argument) {
  if (this_node() == nullptr) {  // not a node yet, or a forked process
    return WEFT_REAL(pthread_create)(id, attributes, function, argument);
  }
  if (is_of_libomp(reinterpret_cast<const void*>(function))) {
    return create_at_place(id, attributes, function, argument);
  }
  if (!is_programs(function, argument)) {
    return WEFT_REAL(pthread_create)(id, attributes, function, argument);
  }
  auto* start = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (start == nullptr) return EAGAIN;
  *start = {function, argument};
  const int error = create_counted(id, attributes, start);
  if (error != 0) std::free(start);
  return error;
}

// C11's threads return an int.
struct C11Start {
  thrd_start_t function;
  void* argument;
};

void* run_c11(void* argument) {
  const C11Start start = *static_cast<C11Start*>(argument);
  std::free(argument);
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(start.function(start.argument)));
}

}  // namespace

void start_pthread(Node& node) {
  start_parking(node);
  prepare_keys();
  serve_threads();
}

void wait_for_threads() {
  for (std::uint32_t now = living; now > 0; now = living) futex_wait(living, now);
}

void clean_up_at_end_of_thread() {
  static const char some_value = 0;
  pthread_setspecific(end_key(), &some_value);
}

// On the runtime stack: its locals are what the kernel reads.
WEFT_ENTRY(int, pthread_create, pthread_t* id, const pthread_attr_t* attributes,
           void* (*function)(void*), void* argument) {
  return on_runtime_stack([&] {
    const int error = create(id, attributes, function, argument);
    if (error == 0) *id = tagged(*id);
    return error;
  });
}

WEFT_ENTRY(int, thrd_create, thrd_t* id, thrd_start_t function, void* argument) {
  if (this_node() == nullptr) {
    const int error = WEFT_REAL(thrd_create)(id, function, argument);
    if (error == thrd_success) *id = tagged(*id);
    return error;
  }
  return on_runtime_stack([&]() -> int {
    auto* start = static_cast<C11Start*>(std::malloc(sizeof(C11Start)));
    if (start == nullptr) return thrd_nomem;
    *start = {function, argument};
    auto* programs = static_cast<Start*>(std::malloc(sizeof(Start)));
    if (programs != nullptr) *programs = {run_c11, start};
    if (programs != nullptr && create_counted(id, nullptr, programs) == 0) {
      *id = tagged(*id);
      return thrd_success;
    }
    std::free(programs);
    std::free(start);
    return thrd_error;
  });
}

// glibc's thrd_join reads a C11 thread's result as such; these were made as POSIX threads.
WEFT_ENTRY(int, thrd_join, thrd_t id, int* result) {
  void* value = nullptr;
  if (pthread_join(id, &value) != 0) return thrd_error;
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return thrd_success;
}

}  // namespace weft::pthread

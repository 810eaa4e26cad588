// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pthread_create and its kin: whose the new thread is, and the node on which it starts. Threads of
// libomp, of UCX and of Weft are made here too, and are left as they are.
#include "pthread/threads/threads.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/page_range.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "pthread/cancellation/first_cancellation.hpp"
#include "pthread/synchronisation/mutexes.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/keys.hpp"
#include "pthread/threads/libomp_code.hpp"
#include "pthread/threads/placing.hpp"
#include "pthread/threads/processors.hpp"
#include "pthread/threads/running.hpp"
#include "pthread/threads/thread_ids.hpp"
#include "pthread/waiting/parking.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/interface/move_points.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "runtime/libraries/library_of.hpp"
#include "runtime/libraries/program_objects.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

// Without its folder, empty for the program; lives as long as the library is loaded.
std::string_view name_of_library(const void* address) {
  const link_map* const library = library_of(address);
  if (library == nullptr) return {};
  const std::string_view path = library->l_name;
  return path.substr(path.rfind('/') + 1);
}

bool is_of_ucx(const void* address) {
  return name_of_library(address).starts_with("libuc");  // libucp, libuct_*, libucs, libucm
}

// Whether a thread that begins like this runs the program's code.
bool is_programs(const Start& start) {
  if (this_node()->is_shared(start.argument)) return true;
  const void* const address = start.function;
  return library_of(address) != library_of(reinterpret_cast<const void*>(&is_programs)) &&
         !is_of_libomp(address) && !is_of_ucx(address);
}

bool is_mapped(const void* address) {
  const auto page = reinterpret_cast<std::uintptr_t>(address) & ~(kPageBytes - 1);
  return WEFT_REAL(msync)(reinterpret_cast<void*>(page), 1, MS_ASYNC) == 0;
}

// Whether any node can run it: the function works for the program, as those of std::thread do, and
// not for a library with data of its own; the argument means the same everywhere.
bool can_start_anywhere(const Start& start) {
  if (!is_in_program(start.function) &&
      !name_of_library(start.function).starts_with("libstdc++.")) {
    return false;
  }
  const void* const argument = start.argument;
  return argument == nullptr || this_node()->is_shared(argument) || is_in_program(argument) ||
         !is_mapped(argument);
}

// The program has said where the calling thread's threads start.
bool is_placed() { return node_for_threads != kNoNode && !threads_start_with_maker; }

// None: any.
std::vector<NodeId> nodes_for(const pthread_attr_t* attributes) {
  if (node_for_threads != kNoNode) return {node_for_threads};
  const Bytes processors = processors_in(attributes);
  return processors.empty() ? std::vector<NodeId>() : nodes_with_one_of(set_of(processors));
}

int create_elsewhere(NodeId node, pthread_t* id, const pthread_attr_t* attributes,
                     const Start& start) {
  const Bytes birth = to_bytes(birth_of(start, attributes));
  const ThreadAnswer answer = ask_about_thread(node, {}, {ThreadCall::kCreate, 0, 0, birth});
  if (answer.error == 0) *id = tagged(answer.value, node);
  return answer.error;
}

// A stack of the program's is for its own functions: Weft would run on what other nodes may write.
int create_own(pthread_t* id, const pthread_attr_t* attributes, const Start& start) {
  int error = 0;
  if (start.stack != nullptr) {
    pthread_attr_t others = attributes_of(birth_of(start, attributes));
    error = create_here(id, &others, start);
    pthread_attr_destroy(&others);
  } else {
    error = create_here(id, attributes, start);
  }
  if (error == 0) *id = tagged(*id);
  return error;
}

int create_of_program(pthread_t* id, const pthread_attr_t* attributes, const Start& start,
                      bool is_in_handler) {
  prepare_cancellation();
  if (!threads_start_anywhere) return create_own(id, attributes, start);
  const NodeId self = this_node()->self();
  // A handler may have interrupted anything, and waits for nobody.
  const bool stays = threads_start_with_maker || is_in_handler || !can_start_anywhere(start);
  const NodeId node = place_thread(stays ? std::vector{self} : nodes_for(attributes));
  const int error = node == self ? create_own(id, attributes, start)
                                 : create_elsewhere(node, id, attributes, start);
  if (error != 0) count_out(node);
  return error;
}

// In the child of a fork Weft has no threads, but its libraries are there: their thread-local
// variables may leave nothing of a small stack, which the C library then refuses.
int create_in_child(pthread_t* id, const pthread_attr_t* attributes, const Start& start) {
  const auto function = reinterpret_cast<void* (*)(void*)>(start.function);
  if (start.stack == nullptr) {
    return create_without_place(id, attributes, function, start.argument);
  }
  int error = WEFT_REAL(pthread_create)(id, attributes, function, start.argument);
  if (error != EINVAL) return error;
  pthread_attr_t others = attributes_of(birth_of(start, attributes));
  error = create_without_place(id, &others, function, start.argument);
  pthread_attr_destroy(&others);
  return error;
}

// Threads that are not the program's: not a node yet, or a library's.
int create_plainly(pthread_t* id, const pthread_attr_t* attributes, const Start& start) {
  const auto function = reinterpret_cast<void* (*)(void*)>(start.function);
  const bool is_openmp = this_node() != nullptr && is_of_libomp(start.function);
  if (is_openmp) return create_at_place(id, attributes, function, start.argument);
  return WEFT_REAL(pthread_create)(id, attributes, function, start.argument);
}

// Threads that Weft does not run, with the id that the program sees.
int create_unserved(pthread_t* id, const pthread_attr_t* attributes, const Start& start) {
  const int error = libc::in_forked_child ? create_in_child(id, attributes, start)
                                          : create_plainly(id, attributes, start);
  if (error == 0) *id = tagged(*id);
  return error;
}

}  // namespace

void start_pthread(Node& node) {
  start_parking(node);
  start_placing(node);
  note_processors_of_node();
  prepare_keys();
  serve_threads();
  serve_mutexes();
  start_carriers(node);
}

// A thread that has ended may have made one on a node that was asked before: until no node has had
// a new one between two rounds.
void wait_for_threads() {
  const Node& node = *this_node();
  for (std::uint64_t before = UINT64_MAX;;) {
    std::uint64_t ever = wait_for_threads_here();
    for (NodeId other(1); other.value() < node.node_count(); ++other) {
      ever += ask_about_thread(other, {}, {ThreadCall::kAwaitOthers}).value;
    }
    if (ever == before) return;
    before = ever;
  }
}

ThreadAnswer create_for_other_node(const ThreadBirth& birth) {
  pthread_attr_t attributes = attributes_of(birth);
  pthread_t id{};
  // It is born with its name. If it took it on later, that might come behind a name that another
  // thread has given it meanwhile.
  const std::string own = own_name();
  prctl(PR_SET_NAME, birth.name.c_str());
  const int error = create_here(&id, &attributes, start_of(birth), inheritance_of(birth));
  prctl(PR_SET_NAME, own.c_str());
  pthread_attr_destroy(&attributes);
  return {error, id};
}

// On the runtime stack: its locals are what the kernel reads.
WEFT_ENTRY(int, pthread_create, pthread_t* id, const pthread_attr_t* attributes,
           void* (*function)(void*), void* argument) {
  pass_move_point();
  const std::span<std::byte> stack = stack_in(attributes);
  const Start start{.function = reinterpret_cast<void*>(function),
                    .argument = argument,
                    .is_placed = is_placed(),
                    .stack = stack.data(),
                    .stack_bytes = stack.size()};
  const bool is_in_handler = is_in_signal_handler();
  return on_runtime_stack([=] {
    const bool is_thread_of_program = this_node() != nullptr &&
                                      !is_of_libomp(reinterpret_cast<const void*>(function)) &&
                                      is_programs(start);
    return is_thread_of_program ? create_of_program(id, attributes, start, is_in_handler)
                                : create_unserved(id, attributes, start);
  });
}

WEFT_ENTRY(int, thrd_create, thrd_t* id, thrd_start_t function, void* argument) {
  if (this_node() == nullptr) {
    const int error = WEFT_REAL(thrd_create)(id, function, argument);
    if (error == thrd_success) *id = tagged(*id);
    return error;
  }
  pass_move_point();
  const Start start{.function = reinterpret_cast<void*>(function),
                    .argument = argument,
                    .returns_int = true,
                    .is_placed = is_placed()};
  const bool is_in_handler = is_in_signal_handler();
  const int error =
      on_runtime_stack([=] { return create_of_program(id, nullptr, start, is_in_handler); });
  if (error == ENOMEM) return thrd_nomem;
  return error == 0 ? thrd_success : thrd_error;
}

// glibc's thrd_join reads a C11 thread's result as such; these were made as POSIX threads.
WEFT_ENTRY(int, thrd_join, thrd_t id, int* result) {
  void* value = nullptr;
  if (pthread_join(id, &value) != 0) return thrd_error;
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return thrd_success;
}

}  // namespace weft::pthread

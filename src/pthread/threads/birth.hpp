// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that is made for a thread of another node: its function, its attributes, and what it has
// of its maker, as POSIX and Linux have it (pthread_create(3), clone(2)). Functions have the same
// address on all nodes, the argument is in shared memory or a number.
//
// Not its maker's: the processors that it may run on. Unless its attributes name some, they are the
// node's, as the maker's may be those of another host.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/codec.hpp"
#include "base/threads/floating_point.hpp"

namespace weft::pthread {

// How a new thread begins.
struct Start {
  void* function = nullptr;  // void* (*)(void*)
  void* argument = nullptr;
  bool returns_int = false;  // it is C11's, and the function an int (*)(void*)
  bool is_placed = false;    // by weft_thread_on: --balance leaves it there
  // The stack that it is to run on (pthread_attr_setstack), from its lowest byte on; null: one of
  // Weft's.
  std::byte* stack = nullptr;
  std::uint64_t stack_bytes = 0;
};

struct ThreadBirth {
  void* function = nullptr;
  void* argument = nullptr;
  bool returns_int = false;
  bool is_placed = false;
  // Attributes of its own.
  bool is_detached = false;
  void* stack = nullptr;  // null: of Weft's
  std::uint64_t stack_bytes = 0;
  Bytes processors = {};  // a cpu_set_t; empty: the node's
  // Its maker's, but where the attributes say something else.
  std::int64_t policy = 0, priority = 0;
  std::uint64_t blocked = 0;  // a bit for each signal, the lowest one for signal 1
  // Its maker's.
  std::int64_t niceness = 0;
  FloatingPointControl floating_point = {};
  std::string name = {};
  WEFT_FIELDS(self.function, self.argument, self.returns_int, self.is_placed, self.is_detached,
              self.stack, self.stack_bytes, self.processors, self.policy, self.priority,
              self.blocked, self.niceness, self.floating_point, self.name)
};

// Of a thread that the calling thread is to make.
[[nodiscard]] ThreadBirth birth_of(const Start& start, const pthread_attr_t* attributes);

[[nodiscard]] Start start_of(const ThreadBirth& birth);

// The stack that the attributes name; empty: none.
[[nodiscard]] std::span<std::byte> stack_in(const pthread_attr_t* attributes);

// On the thread's node: attributes by which it can be made there; to be destroyed.
[[nodiscard]] pthread_attr_t attributes_of(const ThreadBirth& birth);

// What the thread itself has to take on when it begins. Needs no cleaning up: pthread_exit unwinds
// through the function that has it.
struct Inheritance {
  FloatingPointControl floating_point = {};
  int niceness = 0;
};
[[nodiscard]] Inheritance inheritance_of(const ThreadBirth& birth);
void take_on(const Inheritance& inheritance);

// Of the calling thread.
struct Scheduling {
  int policy = SCHED_OTHER;
  sched_param parameters = {};
};
[[nodiscard]] Scheduling own_scheduling();
[[nodiscard]] std::string own_name();
[[nodiscard]] int own_niceness();
void adopt_niceness(int niceness);

// Sets of signals as numbers: a bit for each, the lowest one for signal 1.
[[nodiscard]] std::uint64_t bits_of(const sigset_t& set);
[[nodiscard]] sigset_t signals_in(std::uint64_t bits);

// The processors that the attributes name; empty: none.
[[nodiscard]] Bytes processors_in(const pthread_attr_t* attributes);

}  // namespace weft::pthread

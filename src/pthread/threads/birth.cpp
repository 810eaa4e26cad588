// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/birth.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "libc/interposition/interpose.hpp"
#include "pthread/threads/processors.hpp"
#include "runtime/interface/job_processors.hpp"

namespace weft::pthread {
namespace {

constexpr int kSignals = 64;

sigset_t blocked_signals(const pthread_attr_t* attributes) {
  sigset_t set;
  if (attributes != nullptr && pthread_attr_getsigmask_np(attributes, &set) == 0) return set;
  WEFT_REAL(pthread_sigmask)(SIG_SETMASK, nullptr, &set);
  return set;
}

Scheduling scheduling(const pthread_attr_t* attributes) {
  Scheduling wanted;
  int inherits = PTHREAD_INHERIT_SCHED;
  if (attributes != nullptr) pthread_attr_getinheritsched(attributes, &inherits);
  if (inherits == PTHREAD_INHERIT_SCHED) {
    wanted = own_scheduling();
  } else {
    pthread_attr_getschedpolicy(attributes, &wanted.policy);
    pthread_attr_getschedparam(attributes, &wanted.parameters);
  }
  return wanted;
}

}  // namespace

std::uint64_t bits_of(const sigset_t& set) {
  std::uint64_t bits = 0;
  for (int number = 1; number <= kSignals; ++number) {
    if (sigismember(&set, number) == 1) bits |= std::uint64_t{1} << (number - 1);
  }
  return bits;
}

sigset_t signals_in(std::uint64_t bits) {
  sigset_t set;
  sigemptyset(&set);
  for (int number = 1; number <= kSignals; ++number) {
    if ((bits >> (number - 1) & 1) != 0) sigaddset(&set, number);
  }
  return set;
}

Scheduling own_scheduling() {
  Scheduling own;
  WEFT_REAL(pthread_getschedparam)(WEFT_REAL(pthread_self)(), &own.policy, &own.parameters);
  return own;
}

std::string own_name() {
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  return name;
}

int own_niceness() { return WEFT_REAL(getpriority)(PRIO_PROCESS, 0); }

void adopt_niceness(int niceness) {
  if (own_niceness() != niceness) (void)WEFT_REAL(setpriority)(PRIO_PROCESS, 0, niceness);
}

ThreadBirth birth_of(const Start& start, const pthread_attr_t* attributes) {
  ThreadBirth birth{.function = start.function,
                    .argument = start.argument,
                    .returns_int = start.returns_int,
                    .is_placed = start.is_placed,
                    .stack = start.stack};
  if (attributes != nullptr) {
    int state = PTHREAD_CREATE_JOINABLE;
    std::size_t bytes = 0;
    pthread_attr_getdetachstate(attributes, &state);
    pthread_attr_getstacksize(attributes, &bytes);
    birth.is_detached = state == PTHREAD_CREATE_DETACHED;
    birth.stack_bytes = bytes;
    birth.processors = processors_in(attributes);
  }
  const Scheduling wanted = scheduling(attributes);
  birth.policy = wanted.policy;
  birth.priority = wanted.parameters.sched_priority;
  birth.blocked = bits_of(blocked_signals(attributes));
  birth.niceness = own_niceness();
  birth.floating_point = present_floating_point();
  birth.name = own_name();
  return birth;
}

Start start_of(const ThreadBirth& birth) {
  return {.function = birth.function,
          .argument = birth.argument,
          .returns_int = birth.returns_int,
          .is_placed = birth.is_placed,
          .stack = static_cast<std::byte*>(birth.stack),
          .stack_bytes = birth.stack_bytes};
}

std::span<std::byte> stack_in(const pthread_attr_t* attributes) {
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (attributes == nullptr) return {};
  pthread_attr_getstack(attributes, &begin, &bytes);
  const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;  // null if it names none
  return end == 0 ? std::span<std::byte>() : std::span(static_cast<std::byte*>(begin), bytes);
}

pthread_attr_t attributes_of(const ThreadBirth& birth) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (birth.is_detached) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (birth.stack_bytes > 0) pthread_attr_setstacksize(&attributes, birth.stack_bytes);
  if (birth.policy == SCHED_FIFO || birth.policy == SCHED_RR) {
    const sched_param parameters = {.sched_priority = static_cast<int>(birth.priority)};
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, static_cast<int>(birth.policy));
    pthread_attr_setschedparam(&attributes, &parameters);
  }
  const sigset_t blocked = signals_in(birth.blocked);
  pthread_attr_setsigmask_np(&attributes, &blocked);
  // Else it would have those of the thread that makes it, and that one of whoever has made it.
  const bool names_some = !birth.processors.empty();
  const cpu_set_t processors = set_of(names_some ? birth.processors : processors_of_node().set);
  pthread_attr_setaffinity_np(&attributes, sizeof processors, &processors);
  return attributes;
}

Inheritance inheritance_of(const ThreadBirth& birth) {
  return {.floating_point = birth.floating_point, .niceness = static_cast<int>(birth.niceness)};
}

void take_on(const Inheritance& inheritance) {
  adopt_floating_point(inheritance.floating_point);
  adopt_niceness(inheritance.niceness);
}

// Attributes that name none tell of all that there may be.
Bytes processors_in(const pthread_attr_t* attributes) {
  cpu_set_t set;
  if (attributes == nullptr) return {};
  if (pthread_attr_getaffinity_np(attributes, sizeof set, &set) != 0) return {};
  if (CPU_COUNT(&set) == CPU_SETSIZE) return {};
  if (has_processors_told(&set, sizeof set) && nodes_with_one_of(set).empty()) return {};
  const ByteView bytes = std::as_bytes(std::span(&set, 1));
  return {bytes.begin(), bytes.end()};
}

}  // namespace weft::pthread

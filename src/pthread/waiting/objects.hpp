// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronisation objects of POSIX and C11 threads (mutexes, condition variables, semaphores, ...).
// One that lies in the shared region is the whole job's: threads on all nodes may use it, and it
// carries what they wrote, as it does between threads of one process. One in private memory (of a
// library, of the C library, of Weft itself) is the C library's, untouched.
//
//   mutex, spin lock   a lock of the engine, named by the object's address; nothing is written to
//   the
//                      object but by pthread_mutex_init, whose kind of mutex is read
//   all others         a monitor: an engine's lock that guards the state, which is in the object's
//                      own memory, and a queue of waiting threads (parking.hpp)
//
// Static initialisers are all zero or, for mutexes, a kind; so they work. Destroying changes
// nothing.
//
// In a program that stays on node 0 (runtime/interface/spreading.hpp) all objects are the C
// library's, at its speed. Weft then only shows who waits for what (shown_waits.hpp).
#pragma once

#include <ctime>

#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

// The node, if the object is the job's; else null, and the C library's function is to be called.
[[nodiscard]] Node* job_of(const void* object);
// Whether waits for what job_of() gives to the C library are to be shown.
[[nodiscard]] bool waits_are_shown();

// `time`, of a clock, as a time of now_ns (base/futex.hpp).
[[nodiscard]] std::int64_t monotonic(clockid_t clock, const timespec& time);

// What the C library would call EINVAL.
[[nodiscard]] inline bool is_valid(const timespec& time) {
  return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}
[[nodiscard]] inline bool is_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

}  // namespace weft::pthread

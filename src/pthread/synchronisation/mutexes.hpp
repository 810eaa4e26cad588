// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes of the job, for the other objects' use. Errors are errno values, as everywhere in POSIX
// threads.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <vector>

#include "runtime/interface/held_locks.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

// On the runtime stack; `mutex` is the job's.
int lock_mutex(Node& node, const pthread_mutex_t& mutex);
int try_lock_mutex(Node& node, const pthread_mutex_t& mutex);
int lock_mutex_until(Node& node, const pthread_mutex_t& mutex, std::int64_t until_ns);
int unlock_mutex(Node& node, const pthread_mutex_t& mutex);
// It has just been initialised, where one may have been freed, or forgotten, while a thread of this
// node had it. Other nodes' threads are not asked.
void make_mutex_free(Node& node, const pthread_mutex_t& mutex);

// The same, of whatever mutex.
int lock_any_mutex(pthread_mutex_t* mutex);
int unlock_any_mutex(pthread_mutex_t* mutex);

// Answers other nodes from now on; once, before the program runs.
void serve_mutexes();

// Whether the calling thread holds locks of the job that are no mutexes: such locks stay with their
// node.
[[nodiscard]] bool holds_other_locks();
// The mutexes and spin locks that the calling thread holds go with it to another node, where it
// takes them over. They are locked all the time. On the runtime stack.
[[nodiscard]] std::vector<CarriedLock> carry_off_mutexes(const Node& node);
void take_over_mutexes(const Node& node, const std::vector<CarriedLock>& locks);

}  // namespace weft::pthread

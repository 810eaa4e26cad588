// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes of the job, for the other objects' use. Errors are errno values, as everywhere in POSIX
// threads.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "runtime/interface/node.hpp"

namespace weft::pthread {

// On the runtime stack; `mutex` is the job's.
int lock_mutex(Node& node, const pthread_mutex_t& mutex);
int try_lock_mutex(Node& node, const pthread_mutex_t& mutex);
int lock_mutex_until(Node& node, const pthread_mutex_t& mutex, std::int64_t until_ns);
int unlock_mutex(Node& node, const pthread_mutex_t& mutex);

// The same, of whatever mutex.
int lock_any_mutex(pthread_mutex_t* mutex);
int unlock_any_mutex(pthread_mutex_t* mutex);

}  // namespace weft::pthread

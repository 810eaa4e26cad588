// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include <cstdint>
#include <optional>

#include "runtime/interface/node.hpp"

namespace weft::pthread {

// On the runtime stack; `condition` is the job's. kCancelled (cancellation/cancellable.hpp): the
// thread, which has the mutex again, is to end.
int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex,
                       std::optional<std::int64_t> until_ns);
// Then, on the program's stack: what the call returns, unless the thread ends here.
int end_of_wait(int error);
// Of a condition variable that is the C library's, on the program's stack; `site`: where the
// program calls.
int wait_in_process(pthread_cond_t* condition, pthread_mutex_t* mutex, const void* site);
void signal_condition(const pthread_cond_t* condition, std::uint32_t count);

}  // namespace weft::pthread

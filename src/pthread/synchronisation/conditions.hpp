// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include <cstdint>
#include <optional>

#include "runtime/interface/node.hpp"

namespace weft::pthread {

// On the runtime stack; `condition` is the job's.
int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex,
                       std::optional<std::int64_t> until_ns);
void signal_condition(const pthread_cond_t* condition, std::uint32_t count);

}  // namespace weft::pthread

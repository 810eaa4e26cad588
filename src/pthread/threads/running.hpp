// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's threads of this node: how they begin, and what is done when they end. They run
// program code, so they get a program stack in shared memory, where other nodes' threads can name
// their variables; the stack that they are born with is their runtime stack.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <optional>

#include "pthread/threads/birth.hpp"

namespace weft::pthread {

// pthread_create; the id is the C library's. `inheritance`: of a maker on another node.
[[nodiscard]] int create_here(pthread_t* id, const pthread_attr_t* attributes, const Start& start,
                              const std::optional<Inheritance>& inheritance = std::nullopt);

// Calls the function that a thread begins with.
[[nodiscard]] void* call_function(const Start& start);

// Whether the program has made the calling thread, here or on the node that it came from.
[[nodiscard]] bool is_own_thread_of_program();

// Returns when the program's threads on this node have ended; not the one that runs main. Returns
// how many there have ever been.
[[nodiscard]] std::uint64_t wait_for_threads_here();

}  // namespace weft::pthread

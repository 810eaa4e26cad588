// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of Weft's own in a node. std::thread throws where the system allows no more of them; the
// user is to get a sentence.
#pragma once

#include <fmt/format.h>
#include <pthread.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/threads/niceness.hpp"

namespace weft {

// Why there is no thread; `error` is of pthread_create().
[[nodiscard]] inline std::string refused_thread(int error) {
  return fmt::format("cannot start a thread: {}; the limit of processes and threads is `ulimit -u`",
                     std::strerror(error));
}

// Starts a thread that nobody joins. Returns a sentence if the system allows no more, else nothing.
template <typename Function>
[[nodiscard]] std::string start_own_thread(Function function) {
  auto run = [function = std::move(function), niceness = niceness_of_started]() mutable {
    if (niceness) (void)setpriority(PRIO_PROCESS, 0, *niceness);
    function();
  };
  using Run = decltype(run);
  auto owned = std::make_unique<Run>(std::move(run));
  pthread_t thread;
  const int error = pthread_create(
      &thread, nullptr,
      [](void* argument) -> void* {
        const std::unique_ptr<Run> mine(static_cast<Run*>(argument));
        (*mine)();
        return nullptr;
      },
      owned.get());
  if (error != 0) return refused_thread(error);
  (void)owned.release();  // it is the thread's
  pthread_detach(thread);
  return {};
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files with entry points for tasks share.
#pragma once

#include <sched.h>

#include <span>

#include "openmp/libomp/kmp_abi.hpp"
#include "openmp/libomp/real.hpp"
#include "openmp/tasking/runtime.hpp"
#include "openmp/tasks/descent.hpp"
#include "openmp/tasks/task_block.hpp"
#include "openmp/team/implied_flush.hpp"
#include "openmp/team/team.hpp"
#include "openmp/tools/task_events.hpp"

namespace weft::openmp::tasks {

// The compilers pass two lists of dependences, which both count.
struct DependLists {
  std::int32_t count = 0;
  const DependInfo* list = nullptr;
  std::int32_t more_count = 0;
  const DependInfo* more = nullptr;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count + more_count); }
  [[nodiscard]] std::span<const DependInfo> first() const {
    return {list, static_cast<std::size_t>(count)};
  }
  [[nodiscard]] std::span<const DependInfo> second() const {
    return {more, static_cast<std::size_t>(more_count)};
  }
};

// taskgroup and its end. The end waits, combines reductions, and comes back.
void begin_group(Member& member);
void end_group(Member& member);

}  // namespace weft::openmp::tasks

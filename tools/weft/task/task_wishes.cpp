// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/task/task_wishes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "weft/nodes/variables.hpp"

namespace weft {

Result<TaskWishes> wishes_from_environment() {
  TaskWishes wishes;
  if (const std::string deadlock = from_environment("WEFT_DEADLOCK"); !deadlock.empty()) {
    const auto known = parse_on_deadlock(deadlock);
    if (!known) {
      return Failure{fmt::format("WEFT_DEADLOCK={} is not report, abort or off", deadlock)};
    }
    wishes.deadlock = *known;
  }
  if (const std::string grace = from_environment("WEFT_GRACE"); !grace.empty()) {
    const char* const end = grace.data() + grace.size();
    const auto [stop, error] = std::from_chars(grace.data(), end, wishes.grace_seconds);
    if (error != std::errc() || stop != end) {
      return Failure{fmt::format("WEFT_GRACE={} is not a number of seconds", grace)};
    }
  }
  return wishes;
}

}  // namespace weft

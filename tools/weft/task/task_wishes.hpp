// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What users of other launchers say by variables about the supervision of a job, where those of
// `weft run` have options.
#pragma once

#include "base/result.hpp"
#include "weft/job/job_watch.hpp"

namespace weft {

struct TaskWishes {
  OnDeadlock deadlock = OnDeadlock::kReport;  // WEFT_DEADLOCK
  unsigned grace_seconds = 10;  // WEFT_GRACE: from `weft kill` to the end by force; 0: for ever
};

// Of this process's environment; fails with a sentence.
[[nodiscard]] Result<TaskWishes> wishes_from_environment();

}  // namespace weft

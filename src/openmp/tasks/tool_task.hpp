// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool (OMPT) knows of a task. Tasks have one only while a tool watches.
#pragma once

#include <omp-tools.h>

namespace weft::openmp::tasks {
struct Task;
}

namespace weft::openmp::tools {

struct ToolTask {
  ompt_data_t own_data = {0};
  ompt_frame_t own_frame = {.exit_frame = {0},
                            .enter_frame = {0},
                            .exit_frame_flags = ompt_frame_application | ompt_frame_framepointer,
                            .enter_frame_flags = ompt_frame_runtime | ompt_frame_framepointer};
  ompt_data_t* data = &own_data;  // libomp's, of an implicit task
  ompt_frame_t* frame = &own_frame;
  int flags = ompt_task_explicit;
  // The task whose execution this one's interrupts.
  const tasks::Task* suspended = nullptr;

  ToolTask() = default;
  ToolTask(const ToolTask&) = delete;
  ToolTask& operator=(const ToolTask&) = delete;
};

}  // namespace weft::openmp::tools

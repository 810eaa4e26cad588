// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool (OMPT) may ask about a thread of the spanning team.
#pragma once

#include <omp-tools.h>

namespace weft::openmp::tools {

struct ToolThread {
  ompt_data_t* parallel = nullptr;  // libomp's, of the node's part
  int state = ompt_state_work_parallel;
  ompt_wait_id_t wait_id = 0;
  bool is_yielding = false;  // in taskyield
  bool joins = false;        // it was told to wait for the region's end
};

}  // namespace weft::openmp::tools

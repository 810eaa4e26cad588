// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each file of this folder does for other nodes: registers its performers.
#pragma once

#include "process/requests/calls.hpp"

namespace weft::process {

void perform_children();
void perform_closing();
void perform_directory();
void perform_endings();
void perform_environment();
void perform_fork_handlers();
void perform_heap_numbers();
void perform_identity();
void perform_kernel_calls();
void perform_limits();
void perform_locales();
void perform_messages();
void perform_output();
void perform_prctl();
void perform_random();
void perform_timers();
void perform_usage();
void prepare_lists();
void prepare_words();

// Of node 0, whose numbers are the job's.
struct Identity {
  int pid = 0, parent = 0;
  int main_thread = 0;  // in the kernel's count
  WEFT_FIELDS(self.pid, self.parent, self.main_thread)
};
[[nodiscard]] Identity present_identity();
void adopt_identity(const Identity& identity);
[[nodiscard]] int present_job_pid();

}  // namespace weft::process

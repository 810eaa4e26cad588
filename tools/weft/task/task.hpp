// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that a launcher of parallel programs has started, as a node of one job. The program that
// was started executes `weft task` in its place (src/start/start.cpp; python/src/weft/_tasks.py),
// which
//
//   meets the other tasks through the launcher (launchers/launcher_link.hpp),
//   starts the program again as its child, a node like those of `weft run`, and
//   stands between node and launcher until both are done: what nodes exchange, how they end.
//
// So PMIx and its threads stay outside the program, and what ends a node by force is seen.
#pragma once

namespace weft {

struct TaskProgram {
  const char* file;
  char** arguments;           // argv, with its name, and a null pointer at the end
  bool joins_itself = false;  // by the binding, as Python scripts do
};

// Returns this process's exit status; with a single task, does not return but is the program.
[[nodiscard]] int run_task(const TaskProgram& program, const char* version);

}  // namespace weft

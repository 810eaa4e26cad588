// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's block: what the compiler knows of a task (libomp's kmp_task_t), then its private
// variables, then the pointers to its shared ones. It is in the shared heap, so that it has the
// same address on every node and its creator's variables can point into it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "openmp/libomp/kmp_abi.hpp"
#include "openmp/tasks/task.hpp"
#include "runtime/interface/node.hpp"

namespace weft::openmp::tasks {

struct TaskBlock {
  void* shareds;
  TaskEntry routine;
  std::int32_t part;
  TaskEntry destructors;  // if kHasDestructors was given: destroys the private variables
  std::int32_t priority;  // if kHasPriority was given
};
static_assert(offsetof(TaskBlock, destructors) == 24 && sizeof(TaskBlock) == 40);

// What the compiler asks for with __kmpc_omp_task_alloc.
inline constexpr std::int32_t kTiedFlag = 1, kFinalFlag = 2, kMergedFlag = 4, kDestructorsFlag = 8,
                              kPriorityFlag = 32;

// Contents are undefined. Ends the job if there is no memory. Both are called on the runtime stack.
[[nodiscard]] TaskBlock* allocate_block(Node& node, std::size_t bytes);
void free_block(TaskBlock* block);

// The record of a block's task. Only on the node that has allocated it, until the task ends.
void set_task_of(TaskBlock* block, Task* task);
[[nodiscard]] Task* task_of(TaskBlock* block);

// How a taskloop is cut into chunks; `amount` is the clause's value.
enum class TaskloopSchedule : std::int32_t { kDefault = 0, kGrainsize = 1, kTaskCount = 2 };
struct TaskloopCut {
  std::uint64_t chunks = 0, grain = 1, longer_chunks = 0;
};
// `iterations` > 0. The default is `default_chunks` chunks.
[[nodiscard]] TaskloopCut cut_taskloop(std::uint64_t iterations, TaskloopSchedule schedule,
                                       std::uint64_t amount, bool strict,
                                       std::uint64_t default_chunks);
// How many iterations lie between the bounds (both inclusive).
[[nodiscard]] std::uint64_t count_iterations(std::uint64_t lower, std::uint64_t upper,
                                             std::int64_t step);
struct TaskloopChunk {
  std::uint64_t lower = 0, upper = 0;  // the loop variable's first and last value
  bool is_last = false;
};
[[nodiscard]] TaskloopChunk chunk_of(const TaskloopShape& shape, std::uint64_t chunk);

// Makes a chunk's block from the pattern's. On the program stack: it calls the compiler's function.
void fill_chunk(const TaskloopShape& shape, std::uint64_t chunk, TaskBlock* block);

}  // namespace weft::openmp::tasks

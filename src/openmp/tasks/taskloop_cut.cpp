// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of taskloops. Bounds are 64-bit patterns, whatever the loop variable's type.
#include <algorithm>

#include "openmp/tasks/task_block.hpp"

namespace weft::openmp::tasks {

// The compiler tests for loops without iterations itself where the variable is signed or unsigned;
// what comes here has some, or is one step short of the first.
std::uint64_t count_iterations(std::uint64_t lower, std::uint64_t upper, std::int64_t step) {
  const bool is_upwards = step > 0;
  const std::uint64_t distance = is_upwards ? upper - lower : lower - upper;
  const auto stride = static_cast<std::uint64_t>(is_upwards ? step : -step);
  return distance == ~std::uint64_t{0} ? 0 : distance / stride + 1;
}

TaskloopCut cut_taskloop(std::uint64_t iterations, TaskloopSchedule schedule, std::uint64_t amount,
                         bool strict, std::uint64_t default_chunks) {
  const bool is_grainsize = schedule == TaskloopSchedule::kGrainsize;
  if (schedule == TaskloopSchedule::kDefault) amount = default_chunks;
  amount = std::clamp<std::uint64_t>(amount, 1, iterations);
  if (is_grainsize && strict) return {(iterations - 1) / amount + 1, amount, 0};
  // At least the grain size, and below twice as much; or as many chunks as were asked for. The
  // first chunks take one iteration more each.
  TaskloopCut cut;
  cut.chunks = is_grainsize ? iterations / amount : amount;
  cut.grain = iterations / cut.chunks;
  cut.longer_chunks = iterations % cut.chunks;
  return cut;
}

TaskloopChunk chunk_of(const TaskloopShape& shape, std::uint64_t chunk) {
  const std::uint64_t first = chunk * shape.grain + std::min(chunk, shape.longer_chunks);
  const std::uint64_t wanted = shape.grain + (chunk < shape.longer_chunks ? 1 : 0);
  const std::uint64_t count = std::min(wanted, shape.iterations - first);
  const auto step = static_cast<std::uint64_t>(shape.step);
  return {shape.lower + first * step, shape.lower + (first + count - 1) * step,
          chunk + 1 == shape.chunks};
}

}  // namespace weft::openmp::tasks

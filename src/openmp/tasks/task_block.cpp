// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tasks/task_block.hpp"

#include <cstring>

#include "base/compiler_abi.h"

namespace weft::openmp::tasks {
namespace {

// Before the block. libomp's blocks begin at a cache line too.
constexpr std::size_t kHeaderBytes = 64;

struct Header {
  Task* task;
};

Header* header_of(TaskBlock* block) {
  return reinterpret_cast<Header*>(reinterpret_cast<std::byte*>(block) - kHeaderBytes);
}

}  // namespace

TaskBlock* allocate_block(Node& node, std::size_t bytes) {
  const std::size_t whole = (kHeaderBytes + bytes + kHeaderBytes - 1) & ~(kHeaderBytes - 1);
  auto* memory = static_cast<std::byte*>(__wrap_aligned_alloc(kHeaderBytes, whole));
  if (memory == nullptr) node.fail("OpenMP: no memory for a task");
  return reinterpret_cast<TaskBlock*>(memory + kHeaderBytes);
}

void free_block(TaskBlock* block) { __wrap_free(header_of(block)); }

void set_task_of(TaskBlock* block, Task* task) { header_of(block)->task = task; }
Task* task_of(TaskBlock* block) { return header_of(block)->task; }

void fill_chunk(const TaskloopShape& shape, std::uint64_t chunk, TaskBlock* block) {
  auto* pattern = reinterpret_cast<TaskBlock*>(shape.pattern);
  std::memcpy(static_cast<void*>(block), pattern, shape.block_bytes);
  auto* bytes = reinterpret_cast<std::byte*>(block);
  if (pattern->shareds != nullptr) {
    const auto offset =
        static_cast<std::byte*>(pattern->shareds) - reinterpret_cast<std::byte*>(pattern);
    block->shareds = bytes + offset;
  }
  const TaskloopChunk bounds = chunk_of(shape, chunk);
  std::memcpy(bytes + shape.lower_offset, &bounds.lower, sizeof bounds.lower);
  std::memcpy(bytes + shape.upper_offset, &bounds.upper, sizeof bounds.upper);
  if (shape.duplicate == 0) return;
  using Duplicate = void (*)(TaskBlock* to, TaskBlock* from, std::int32_t is_last);
  reinterpret_cast<Duplicate>(shape.duplicate)(block, pattern, bounds.is_last ? 1 : 0);
}

}  // namespace weft::openmp::tasks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP's trait `partition` of allocators: the nodes on which memory has its homes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::openmp {

// omp.h's numbers.
enum class Partition : std::uintptr_t {
  kEnvironment = 15,  // where the heap has it
  kNearest = 16,      // the caller's node
  kBlocked = 17,      // a part of consecutive pages for each node
  kInterleaved = 18,  // pages in turn
};

// Memory in whole pages that nobody uses yet, in the shared heap. Does not wait for other nodes.
// The homes go there when the next barrier is passed behind the beginning of the next region, or,
// of kNearest in a region, behind the next barrier. Said on other nodes than 0, kBlocked and
// kInterleaved do nothing.
void divide(void* pages, std::size_t bytes, Partition partition);

}  // namespace weft::openmp

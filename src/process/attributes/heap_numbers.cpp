// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program asks and tells the C library's heap: its own heap is the shared one, of which
// each node has a share. Numbers are sums over the nodes, and count whole pages that hold blocks.
#include <malloc.h>

#include <algorithm>
#include <climits>
#include <cstdio>

#include "libc/allocation/allocation.hpp"
#include "libc/interposition/interpose.hpp"
#include "process/requests/topics.hpp"

namespace weft::process {
namespace {

std::size_t bytes_of_job(Node& node) {
  std::int64_t bytes = 0;
  for (NodeId whom; whom.value() < node.node_count(); ++whom) {
    bytes += ask_node(node, whom, {.call = Call::kHeapBytes}).result;
  }
  return static_cast<std::size_t>(bytes);
}

int at_most_int(std::size_t bytes) {
  return static_cast<int>(std::min(bytes, static_cast<std::size_t>(INT_MAX)));
}

}  // namespace

void perform_heap_numbers() {
  perform(Call::kHeapBytes, [](const Request&) {
    return Answer{static_cast<std::int64_t>(libc::bytes_on_shared_heap())};
  });
}

WEFT_ENTRY(struct mallinfo2, mallinfo2, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(mallinfo2)();
  const std::size_t bytes = bytes_of_job(*node);
  struct mallinfo2 numbers = {};
  numbers.arena = bytes;
  numbers.uordblks = bytes;
  return numbers;
}

// Its numbers are too small for large heaps; the C library's wrap around.
WEFT_ENTRY(struct mallinfo, mallinfo, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL_AS(struct mallinfo (*)(), mallinfo)();
  const int bytes = at_most_int(bytes_of_job(*node));
  struct mallinfo numbers = {};
  numbers.arena = bytes;
  numbers.uordblks = bytes;
  return numbers;
}

WEFT_ENTRY(void, malloc_stats, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(malloc_stats)();
  const std::size_t bytes = bytes_of_job(*node);
  std::fprintf(stderr, "Total (incl. mmap):\nsystem bytes     = %10zu\nin use bytes     = %10zu\n",
               bytes, bytes);
}

WEFT_ENTRY(int, malloc_info, int options, FILE* to) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr || options != 0) return WEFT_REAL(malloc_info)(options, to);
  const std::size_t bytes = bytes_of_job(*node);
  std::fprintf(to, "<malloc version=\"1\">\n<system type=\"current\" size=\"%zu\"/>\n</malloc>\n",
               bytes);
  return 0;
}

// What it sets has no effect on what the program can see: it is the C library's way to use memory.
WEFT_ENTRY(int, mallopt, int what, int value) {
  return WEFT_JOB_OF_CALLER() == nullptr ? WEFT_REAL(mallopt)(what, value) : 1;
}
WEFT_ENTRY(int, malloc_trim, std::size_t kept) {
  return WEFT_JOB_OF_CALLER() == nullptr ? WEFT_REAL(malloc_trim)(kept) : 0;
}

}  // namespace weft::process

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threadprivate variables as flang makes them: an ordinary global, of which each thread but the
// first of the job gets a copy, with the contents that the global had before the program started.
// The copies are in the shared heap, so that copyin and copyprivate can read them from any node.
// (clang's are thread-local data: see thread_local_block.hpp.)
//
// A copy belongs to the number of a thread in the job's teams, wherever that thread runs: it is
// found by lists in shared memory, one for each number.
//
//   number 1 ──► variable, copy ──► variable, copy
//   number 2 ──► variable, copy
//
// Only the thread that has the number at present looks at a list, so it needs no lock. Threads of
// nested regions have no such number, and copies of their own.
#include <cstring>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/compiler_abi.h"
#include "openmp/libomp/real.hpp"
#include "openmp/regions/parallel_region.hpp"
#include "openmp/team/placed_team.hpp"
#include "openmp/team/unsupported.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

constexpr std::size_t kAlignment = 64;

// In the shared heap.
struct CopyNote {
  void* variable;
  void* copy;
  CopyNote* next;
};
CopyNote** lists = nullptr;  // in shared memory, by the numbers of threads
unsigned list_count = 0;

void* take_memory(std::size_t bytes) {
  const std::size_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* const memory = __wrap_aligned_alloc(kAlignment, whole);
  if (memory == nullptr) this_node()->fail("no memory for a copy of a threadprivate variable");
  return memory;
}

void* new_copy(void* variable, std::size_t size) {
  void* const copy = take_memory(size);
  std::memcpy(copy, initial_contents_of(variable), size);
  return copy;
}

void* copy_of_number(unsigned number, void* variable, std::size_t size) {
  for (CopyNote* note = lists[number]; note != nullptr; note = note->next) {
    if (note->variable == variable) return note->copy;
  }
  void* const copy = new_copy(variable, size);
  lists[number] = new (take_memory(sizeof(CopyNote))) CopyNote{variable, copy, lists[number]};
  return copy;
}

// The calling thread's copy; made at the first call, and kept from region to region.
void* copy_of(void* variable, std::size_t size) {
  struct Copies {
    int number = kNoThread;
    std::unordered_map<void*, void*> of_number, of_thread;
  };
  thread_local Copies copies;
  const int number = number_in_job();
  if (number == kNoThread || static_cast<unsigned>(number) >= list_count) {
    void*& copy = copies.of_thread[variable];
    if (copy == nullptr) copy = new_copy(variable, size);
    return copy;
  }
  if (std::exchange(copies.number, number) != number) copies.of_number.clear();
  void*& copy = copies.of_number[variable];
  if (copy == nullptr) copy = copy_of_number(static_cast<unsigned>(number), variable, size);
  return copy;
}

void* threadprivate(void* variable, std::size_t size) {
  const Node* node = this_node();
  if (node == nullptr || is_initial_thread(*node)) return variable;
  return on_runtime_stack([&] { return copy_of(variable, size); });
}

}  // namespace

void prepare_threadprivate(const Node& node) {
  list_count = node.node_count() * node.most_threads_per_node();
  lists = static_cast<CopyNote**>(control_block(list_count * sizeof(CopyNote*)));
}

}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

// The cache is in the program's data, so shared; the table above takes its place.
WEFT_ENTRY void* __kmpc_threadprivate_cached(Ident*, std::int32_t, void* variable, std::size_t size,
                                             void***) {
  return threadprivate(variable, size);
}

WEFT_ENTRY void* __kmpc_threadprivate(Ident*, std::int32_t, void* variable, std::size_t size) {
  return threadprivate(variable, size);
}

// Constructors and destructors of copies, for targets without thread-local data.
WEFT_ENTRY void __kmpc_threadprivate_register(Ident* loc, void* variable, void* construct,
                                              void* copy, void* destroy) {
  if (this_node() != nullptr) fail_unsupported("a threadprivate variable with a constructor", loc);
  real().__kmpc_threadprivate_register(loc, variable, construct, copy, destroy);
}

WEFT_ENTRY void __kmpc_threadprivate_register_vec(Ident* loc, void* variable, void* construct,
                                                  void* copy, void* destroy, std::size_t length) {
  if (this_node() != nullptr) fail_unsupported("a threadprivate array with a constructor", loc);
  real().__kmpc_threadprivate_register_vec(loc, variable, construct, copy, destroy, length);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threadprivate variables as flang makes them: an ordinary global, of which each thread but the
// first of the job gets a copy, with the contents that the global had before the program started.
// The copies are in the shared heap, so that copyin and copyprivate can read them from any node.
// (clang's are thread-local data: see thread_local_block.hpp.)
#include <cstring>
#include <unordered_map>

#include "base/compiler_abi.h"
#include "openmp/libomp/real.hpp"
#include "openmp/regions/parallel_region.hpp"
#include "openmp/team/unsupported.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

constexpr std::size_t kAlignment = 64;

// The calling thread's copy; made at the first call, and kept from region to region.
void* copy_of(void* variable, std::size_t size) {
  thread_local std::unordered_map<void*, void*> copies;
  void*& copy = copies[variable];
  if (copy == nullptr) {
    const std::size_t whole = (size + kAlignment - 1) / kAlignment * kAlignment;
    copy = __wrap_aligned_alloc(kAlignment, whole);
    if (copy == nullptr) this_node()->fail("no memory for a copy of a threadprivate variable");
    std::memcpy(copy, initial_contents_of(variable), size);
  }
  return copy;
}

void* threadprivate(void* variable, std::size_t size) {
  const Node* node = this_node();
  if (node == nullptr || is_initial_thread(*node)) return variable;
  return on_runtime_stack([&] { return copy_of(variable, size); });
}

}  // namespace
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

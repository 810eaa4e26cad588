// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory for the process, by explicit calls.
#include "binding/binding.h"
#include "binding/process.hpp"

using namespace weft;
using namespace weft::binding;

extern "C" {

void* weft_binding_allocate(std::size_t bytes, std::size_t alignment) {
  return shared_heap().allocate(bytes, alignment);
}

void* weft_binding_allocate_zeroed(std::size_t bytes) {
  return shared_heap().allocate_zeroed(bytes);
}

void weft_binding_free(void* block) { shared_heap().deallocate(block); }

void* weft_binding_meeting_place() { return meeting_place(); }

}  // extern "C"

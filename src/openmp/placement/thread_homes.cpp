// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/placement/thread_homes.hpp"

#include "base/thread_local_abi.h"
#include "openmp/team/thread_local_block.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "runtime/interface/spreading.hpp"

extern "C" {
__attribute__((visibility("default"))) __thread std::intptr_t __weft_thread_local_shift = 0;
}

namespace weft::openmp {
namespace {

// Thread pointers, from which all blocks of static thread-local data have the same distances on all
// threads; 0: not known, or private. Each node writes its own part.
std::uintptr_t* homes = nullptr;
unsigned homes_per_node = 0;

std::uintptr_t& home_of(unsigned number, unsigned threads_per_node) {
  return homes[number / threads_per_node * homes_per_node + number % threads_per_node];
}

std::uintptr_t thread_pointer() {
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
}

}  // namespace

void prepare_thread_homes(const Node& node) {
  homes_per_node = node.most_threads_per_node();
  homes = static_cast<std::uintptr_t*>(
      control_block(node.node_count() * homes_per_node * sizeof(std::uintptr_t)));
}

void note_thread_home(const Node& node, unsigned local_number) {
  if (spread_policy == SpreadPolicy::kAlways || !has_thread_local_data()) return;
  const std::uintptr_t home = owner_of_place(__builtin_thread_pointer()) ? thread_pointer() : 0;
  std::uintptr_t& noted = homes[node.self().value() * homes_per_node + local_number];
  if (noted != home) noted = home;  // a page that nobody writes is here
}

bool are_thread_homes_known(unsigned team_size, unsigned threads_per_node) {
  for (unsigned number = 0; number < team_size; ++number) {
    if (home_of(number, threads_per_node) == 0) return false;
  }
  return true;
}

std::intptr_t* stand_in_for(unsigned number, unsigned threads_per_node) {
  __weft_thread_local_shift =
      static_cast<std::intptr_t>(home_of(number, threads_per_node) - thread_pointer());
  return &__weft_thread_local_shift;
}

}  // namespace weft::openmp

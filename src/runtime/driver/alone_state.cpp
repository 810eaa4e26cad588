// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/alone_state.hpp"

#include <thread>

#include "base/assert.hpp"
#include "base/compiler_abi.h"

// In place of libweft.so's.
extern "C" [[gnu::visibility("default")]] int __weft_threads_elsewhere = 1;

namespace weft {
namespace {

void tell_compiled_code(int threads_elsewhere) {
  __atomic_store_n(&__weft_threads_elsewhere, threads_elsewhere, __ATOMIC_SEQ_CST);
}

}  // namespace

bool AloneState::enter() {
  if (!alone_.load(std::memory_order_relaxed)) return false;
  inside_.fetch_add(1);
  if (alone_.load()) return true;
  leave();
  return false;
}

void AloneState::begin_region(bool others_here) {
  if (!others_here && alone_.load()) tell_compiled_code(0);
}

void AloneState::end_region() {
  if (!for_good_) tell_compiled_code(1);
}

void AloneState::begin() {
  alone_.store(elsewhere_.load() == 0);
  if (!alone_) return;
  is_awaited_ = false;
  if (for_good_) tell_compiled_code(0);
}

bool AloneState::begin_elsewhere() {
  if (alone_.load()) return false;
  elsewhere_.fetch_add(1);
  return true;
}

void AloneState::end() {
  WEFT_ASSERT(!for_good_, "node 0 was to be alone for good");
  alone_.store(false);
  while (inside_.load() != 0) std::this_thread::yield();
}

}  // namespace weft

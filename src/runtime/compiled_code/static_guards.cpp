// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialisation of C++ static local variables, once for the whole job (Itanium C++ ABI, 3.3.2).
// The guard is in shared memory, and libstdc++ would only keep the threads of one node apart. Its
// first byte says "initialised"; compiled code reads that before it calls here.
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/locks/lock_ids.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

LockId lock_of_guard(const void* guard) { return lock_of(LockKind::kStaticGuard, guard); }

// Compiled code reads the byte with an atomic acquire load: where the guard is shared, it must find
// the object's contents by an atomic release store.
void set_initialised(std::uint64_t* guard) {
  const std::optional<GlobalOffset> offset =
      this_node() == nullptr ? std::nullopt : this_node()->offset_of(guard);
  if (!offset) {
    std::atomic_ref(*reinterpret_cast<std::uint8_t*>(guard)).store(1, std::memory_order_release);
    return;
  }
  AtomicRequest store{.where = *offset, .size = 1, .operation = AtomicOperation::kStore};
  store.operand[0] = std::byte{1};
  on_runtime_stack([&] { this_node()->atomic(store, Ordering::kRelease); });
}

bool is_initialised(const std::uint64_t* guard) {
  return *reinterpret_cast<const volatile std::uint8_t*>(guard) != 0;
}

// Statics of libraries, and of Weft itself (which may be in the engine now): this node's own.
bool is_private(const std::uint64_t* guard) {
  return this_node() == nullptr || !this_node()->is_shared(guard);
}

std::atomic_ref<std::uint8_t> in_progress(std::uint64_t* guard) {
  return std::atomic_ref(reinterpret_cast<std::uint8_t*>(guard)[1]);
}

bool acquire_privately(std::uint64_t* guard) {
  while (in_progress(guard).exchange(1, std::memory_order_acquire) != 0) sched_yield();
  if (!is_initialised(guard)) return true;
  in_progress(guard).store(0, std::memory_order_release);
  return false;
}

void unlock(std::uint64_t* guard) {
  if (is_private(guard)) return in_progress(guard).store(0, std::memory_order_release);
  on_runtime_stack([guard] { this_node()->release(lock_of_guard(guard)); });
}

}  // namespace
}  // namespace weft

extern "C" {

// 1: the caller initialises, and then releases or aborts. 0: it is done.
[[gnu::visibility("default")]] int __cxa_guard_acquire(std::uint64_t* guard) {
  if (weft::is_private(guard)) return weft::acquire_privately(guard) ? 1 : 0;
  weft::on_runtime_stack([guard] { weft::this_node()->acquire(weft::lock_of_guard(guard)); });
  if (!weft::is_initialised(guard)) return 1;  // the lock is held until release or abort
  weft::unlock(guard);
  return 0;
}

[[gnu::visibility("default")]] void __cxa_guard_release(std::uint64_t* guard) {
  weft::set_initialised(guard);
  weft::unlock(guard);
}

[[gnu::visibility("default")]] void __cxa_guard_abort(std::uint64_t* guard) { weft::unlock(guard); }

}  // extern "C"

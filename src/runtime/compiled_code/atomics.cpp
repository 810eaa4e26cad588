// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler pass calls for atomic operations when the job spans nodes
// (base/compiler_abi.h). Memory outside the shared region is this node's own: the operation is done
// right there. In the region it is done at the page's home.
#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "base/assert.hpp"
#include "base/compiler_abi.h"
#include "base/held_signals.hpp"
#include "base/locks/lock_ids.hpp"
#include "base/signal_safe_mutex.hpp"
#include "memory/pages/atomic_perform.hpp"
#include "protocol/updates/merged_atomics.hpp"
#include "runtime/compiled_code/volatile_loads.hpp"
#include "runtime/interface/move_points.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

// Makes operations on an object that the processor cannot operate on at once (an odd size, or not
// aligned) exclude each other. Private memory needs it as well: threads of the node share it.
class ObjectLock {
 public:
  explicit ObjectLock(const void* p) : node_(this_node()), lock_(lock_of(LockKind::kAtomic, p)) {
    if (node_ == nullptr) {
      lock_of_forked_process.lock();
    } else {
      on_runtime_stack([this] { node_->acquire(lock_); });
    }
  }
  ~ObjectLock() {
    if (node_ == nullptr) {
      lock_of_forked_process.unlock();
    } else {
      on_runtime_stack([this] { node_->release(lock_); });
    }
  }
  ObjectLock(const ObjectLock&) = delete;
  ObjectLock& operator=(const ObjectLock&) = delete;

 private:
  static inline SignalSafeMutex lock_of_forked_process;
  Node* const node_;
  const LockId lock_;
};

Ordering ordering_of(std::uint32_t order) {
  switch (order) {
    case __ATOMIC_RELAXED:
      return Ordering::kRelaxed;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
      return Ordering::kAcquire;
    case __ATOMIC_RELEASE:
      return Ordering::kRelease;
    default:
      return Ordering::kAcquireRelease;
  }
}

AtomicRequest request_for(std::uint32_t size, AtomicOperation operation, AtomicType type) {
  AtomicRequest request;
  request.size = static_cast<std::uint8_t>(size);
  request.operation = operation;
  request.type = type;
  return request;
}

AtomicRequest request_for(std::uint32_t size, std::uint32_t operation, std::uint32_t type) {
  return request_for(size, static_cast<AtomicOperation>(operation), static_cast<AtomicType>(type));
}

// Null in a process that the program has forked: its memory is its own.
std::optional<GlobalOffset> shared_offset(const void* p) {
  return this_node() == nullptr ? std::nullopt : this_node()->offset_of(p);
}

// While no other node can be in the way, an operation is the processor's.
class Alone {
 public:
  Alone() : node_(this_node()), is_alone_(node_ != nullptr && node_->enter_alone()) {}
  ~Alone() {
    if (is_alone_) node_->leave_alone();
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  explicit operator bool() const { return is_alone_; }

 private:
  Node* const node_;
  const bool is_alone_;
};

// On private memory, and while this node is alone; else nothing is done, but the request says where
// it is to be. A node that is alone need not know whether memory is private.
bool perform_at_once(void* p, AtomicRequest& request, AtomicResult& result) {
  const Alone alone;
  const std::optional<GlobalOffset> offset = alone ? std::nullopt : shared_offset(p);
  if (offset) {
    request.where = *offset;
    return false;
  }
  perform_atomic(request, static_cast<std::byte*>(p), result);
  return true;
}

AtomicResult perform(void* p, AtomicRequest& request, Ordering ordering) {
  AtomicResult result;
  if (perform_at_once(p, request, result)) return result;
  pass_move_point();
  result = on_runtime_stack([&] { return this_node()->atomic(request, ordering); });
  return result;
}

// `waits`: for another value than the thread's last load has found.
AtomicResult load(const void* p, std::uint32_t size, Ordering ordering, bool waits) {
  AtomicRequest request = request_for(size, AtomicOperation::kLoad, AtomicType::kInteger);
  AtomicResult result;
  if (perform_at_once(const_cast<void*>(p), request, result)) return result;
  pass_move_point();
  result = on_runtime_stack([&] {
    return waits ? this_node()->look(request, ordering) : this_node()->atomic(request, ordering);
  });
  return result;
}

void store(void* p, const void* value, std::uint32_t size, Ordering ordering) {
  AtomicRequest request = request_for(size, AtomicOperation::kStore, AtomicType::kInteger);
  std::memcpy(request.operand, value, size);
  perform(p, request, ordering);
}

thread_local VolatileLoads volatile_loads;

// Handlers have volatile flags too, but may have interrupted anything, a barrier for one, and wait
// for nobody: their accesses are plain ones.
void load_volatile(const void* p, void* out, std::uint32_t size, bool waits) {
  if (is_in_signal_handler()) {
    AtomicRequest request = request_for(size, AtomicOperation::kLoad, AtomicType::kInteger);
    const AtomicResult result =
        perform_atomic(request, static_cast<std::byte*>(const_cast<void*>(p)));
    std::memcpy(out, result.before, size);
    return;
  }
  if (!waits && volatile_loads.believe(p, out, size, __rdtsc())) return;
  const AtomicResult result = load(p, size, Ordering::kAcquire, waits);
  std::memcpy(out, result.before, size);
  volatile_loads.note(p, out, size, __rdtsc());
}

void store_volatile(void* p, const void* value, std::uint32_t size) {
  if (is_in_signal_handler()) {
    AtomicRequest request = request_for(size, AtomicOperation::kStore, AtomicType::kInteger);
    std::memcpy(request.operand, value, size);
    (void)perform_atomic(request, static_cast<std::byte*>(p));
    return;
  }
  const std::optional<GlobalOffset> offset = shared_offset(p);
  if (!offset) return store(p, value, size, Ordering::kRelease);
  on_runtime_stack([&] {
    AtomicRequest request = request_for(size, AtomicOperation::kStore, AtomicType::kInteger);
    request.where = *offset;
    std::memcpy(request.operand, value, size);
    // A handler that comes now must find the store done, as what it stores comes after. Nothing of
    // the program's is touched meanwhile: a fault would let signals in (libc/signals/signals.cpp).
    const SignalsHeld held;
    (void)this_node()->atomic(request, Ordering::kRelease);
  });
}

// By who has the object's lock. The size is one of the processor's; the address is not.
void update_unaligned(void* p, const void* operand, void* old_out, AtomicRequest request) {
  WEFT_ASSERT(weft_atomic_is_native(nullptr, request.size) != 0, "operation {} on {} bytes",
              static_cast<int>(request.operation), request.size);
  alignas(16) std::byte object[16];
  std::memcpy(object, p, request.size);
  std::memcpy(request.operand, operand, request.size);
  const AtomicResult result = perform_atomic(request, object);
  std::memcpy(p, object, request.size);
  if (old_out != nullptr) std::memcpy(old_out, result.before, request.size);
}

// An update that nobody waits for.
void update(void* p, AtomicRequest& request) {
  AtomicResult unseen;
  if (perform_at_once(p, request, unseen)) return;
  on_runtime_stack([&] { this_node()->merge(request); });
}

}  // namespace

void forget_volatile_loads() { volatile_loads = {}; }

}  // namespace weft

using weft::AtomicOperation;
using weft::AtomicRequest;
using weft::AtomicResult;
using weft::AtomicType;

extern "C" {

// In place of libweft.so's: compiled code takes its slow path in this process.
[[gnu::visibility("default")]] int __weft_spans_nodes = 1;

[[gnu::visibility("default")]] void __weft_atomic_load(const void* p, void* out, std::uint32_t size,
                                                       std::uint32_t order) {
  if (!weft_atomic_is_native(p, size)) {
    const weft::ObjectLock lock(p);
    std::memcpy(out, p, size);
    return;
  }
  const bool waits = (order & WEFT_LOAD_WAITS) != 0;
  order &= ~static_cast<std::uint32_t>(WEFT_LOAD_WAITS);
  if (order == WEFT_ORDER_VOLATILE) return weft::load_volatile(p, out, size, waits);
  const AtomicResult result = weft::load(p, size, weft::ordering_of(order), waits);
  std::memcpy(out, result.before, size);
}

[[gnu::visibility("default")]] void __weft_atomic_store(void* p, const void* value,
                                                        std::uint32_t size, std::uint32_t order) {
  if (!weft_atomic_is_native(p, size)) {
    const weft::ObjectLock lock(p);
    std::memcpy(p, value, size);
    return;
  }
  if (order == WEFT_ORDER_VOLATILE) return weft::store_volatile(p, value, size);
  weft::store(p, value, size, weft::ordering_of(order));
}

[[gnu::visibility("default")]] void __weft_atomic_rmw(void* p, const void* operand, void* old_out,
                                                      std::uint32_t size, std::uint32_t operation,
                                                      std::uint32_t type, std::uint32_t order) {
  if (!weft_atomic_is_native(p, size)) {
    const weft::ObjectLock lock(p);
    if (operation == WEFT_ATOMIC_EXCHANGE) {
      if (old_out != nullptr) std::memcpy(old_out, p, size);
      std::memcpy(p, operand, size);
    } else {
      weft::update_unaligned(p, operand, old_out, weft::request_for(size, operation, type));
    }
    return;
  }
  AtomicRequest request = weft::request_for(size, operation, type);
  std::memcpy(request.operand, operand, size);
  const bool is_unseen = old_out == nullptr && order == __ATOMIC_RELAXED;
  if (is_unseen && weft::MergedAtomics::commutes(request.operation)) {
    return weft::update(p, request);
  }
  const AtomicResult result = weft::perform(p, request, weft::ordering_of(order));
  if (old_out != nullptr) std::memcpy(old_out, result.before, size);
}

[[gnu::visibility("default")]] int __weft_atomic_compare_exchange(void* p, void* expected,
                                                                  const void* desired,
                                                                  std::uint32_t size,
                                                                  std::uint32_t success,
                                                                  std::uint32_t failure) {
  if (!weft_atomic_is_native(p, size)) {
    const weft::ObjectLock lock(p);
    const bool equal = std::memcmp(p, expected, size) == 0;
    std::memcpy(equal ? p : expected, equal ? desired : p, size);
    return equal ? 1 : 0;
  }
  AtomicRequest request =
      weft::request_for(size, AtomicOperation::kCompareExchange, AtomicType::kInteger);
  std::memcpy(request.expected, expected, size);
  std::memcpy(request.operand, desired, size);
  const AtomicResult result = weft::perform(p, request, weft::ordering_of(success));
  const bool exchanged = std::memcmp(result.before, request.expected, size) == 0;
  if (!exchanged) std::memcpy(expected, result.before, size);
  return exchanged ? 1 : 0;
}

[[gnu::visibility("default")]] void __weft_fence(std::uint32_t order) {
  weft::Node* node = weft::this_node();
  if (node == nullptr) return std::atomic_thread_fence(std::memory_order_seq_cst);
  if (const weft::Alone alone; alone) return std::atomic_thread_fence(std::memory_order_seq_cst);
  if (order == __ATOMIC_RELEASE) return node->note_fence();
  weft::on_runtime_stack([node, order] { node->fence(order == WEFT_ORDER_POLLED); });
}

}  // extern "C"

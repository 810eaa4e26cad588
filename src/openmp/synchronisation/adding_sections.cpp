// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections that only add, as the compiler pass has found them (base/compiler_abi.h): by a
// right to add without the lock, where the node has one or gets one (protocol/locks.md, 26).
#include <cstring>
#include <span>

#include "base/compiler_abi.h"
#include "base/fixed_vector.hpp"
#include "base/locks/lock_ids.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

// Rights begin behind the other answers of __weft_begin_adding.
constexpr std::uint64_t kFirstRight = 2;

LockId lock_id(std::uint32_t kind, const void* lock) {
  return lock_of(kind == WEFT_LOCK_CRITICAL ? LockKind::kCritical : LockKind::kLock, lock);
}

// Copies of what may lie on a program stack, whose pages another thread's acquire takes away.
using Updates = FixedVector<AtomicRequest, WEFT_MOST_SUMS>;
using Inputs = FixedVector<AddingInput, WEFT_MOST_TERMS>;

// The compiled code has stored eight bytes just now: a load of sixteen would wait for them.
void copy_operand(AtomicRequest& update, const weft_sum& sum) {
  if (sum.size <= 8) {
    std::memcpy(update.operand, sum.operand, 8);
  } else {
    std::memcpy(update.operand, sum.operand, sizeof sum.operand);
  }
}

// False: a target is not in shared memory, or not where atomic operations can be.
bool read_sums(const Node& node, std::span<const weft_sum> sums, Updates& updates) {
  for (const weft_sum& sum : sums) {
    const std::optional<GlobalOffset> where = node.offset_of(sum.target);
    if (!where || weft_atomic_is_native(sum.target, sum.size) == 0) return false;
    AtomicRequest& update = updates.push_back({.where = *where});
    update.size = static_cast<std::uint8_t>(sum.size);
    update.operation = static_cast<AtomicOperation>(sum.operation);
    update.type = static_cast<AtomicType>(sum.type);
    copy_operand(update, sum);
  }
  return true;
}

// Those in shared memory.
void read_terms(const Node& node, std::span<const weft_term> terms, Inputs& inputs) {
  for (const weft_term& term : terms) {
    const std::optional<GlobalOffset> where = node.offset_of(term.address);
    if (where) inputs.push_back({*where, static_cast<std::uint8_t>(term.size)});
  }
}

std::uint64_t begin(Node& node, LockId lock, std::span<const weft_sum> sums, const void* site) {
  Updates updates;
  if (!read_sums(node, sums, updates)) return WEFT_NOT_BEGUN;
  AddingTargets targets;
  for (const AtomicRequest& update : updates.view()) targets.push_back(target_of(update));
  const board::Purpose purpose(board::WaitKind::kLock, lock.value(), nullptr, site);
  const std::uint64_t right = node.acquire_adding(lock, targets);
  return right == 0 ? WEFT_LOCK_IS_HELD : right + kFirstRight;
}

int add(Node& node, LockId lock, std::uint64_t right, std::span<const weft_sum> sums,
        std::span<const weft_term> terms) {
  Updates updates;
  Inputs inputs;
  if (!read_sums(node, sums, updates)) return WEFT_TAKE_LOCK;
  read_terms(node, terms, inputs);
  switch (node.add(lock, right - kFirstRight, {updates.view(), inputs.view()})) {
    case AddingResult::kAdded:
      return WEFT_ADDED;
    case AddingResult::kBeginAgain:
      return WEFT_BEGIN_AGAIN;
    case AddingResult::kTakeLock:
      break;
  }
  return WEFT_TAKE_LOCK;
}

}  // namespace
}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

extern "C" {

[[gnu::visibility("default")]] std::uint64_t __weft_begin_adding(std::uint32_t kind, void* lock,
                                                                 const weft_sum* sums,
                                                                 std::uint32_t count) {
  Node* const node = this_node();
  // Tools are told of the lock itself. A lock in private memory is libomp's.
  if (node == nullptr || tools::watched()) return WEFT_NOT_BEGUN;
  if (kind == WEFT_LOCK_VARIABLE && !node->is_shared(lock)) return WEFT_NOT_BEGUN;
  const LockId id = lock_id(kind, lock);
  const void* const site = __builtin_return_address(0);
  if (const std::uint64_t right = node->right_at_once(id); right != 0) return right + kFirstRight;
  if (node->take_at_once(id, nullptr, site)) return WEFT_LOCK_IS_HELD;
  return on_runtime_stack([&] { return begin(*node, id, std::span(sums, count), site); });
}

[[gnu::visibility("default")]] int __weft_add(std::uint32_t kind, void* lock, std::uint64_t right,
                                              const weft_sum* sums, std::uint32_t sum_count,
                                              const weft_term* terms, std::uint32_t term_count) {
  const LockId id = lock_id(kind, lock);
  Node& node = *this_node();
  return on_runtime_stack([&] {
    return add(node, id, right, std::span(sums, sum_count), std::span(terms, term_count));
  });
}

}  // extern "C"

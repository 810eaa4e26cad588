// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/locks/entrusted_locks.hpp"

#include <bit>

#include "base/assert.hpp"
#include "base/locks/lock_ids.hpp"

namespace weft {

EntrustedLocks::EntrustedLocks(std::span<Slot> slots) : slots_(slots) {
  WEFT_ASSERT(std::has_single_bit(slots.size()) && slots.size() >= kProbes,
              "{} slots for entrusted locks", slots.size());
}

EntrustedLocks::Slot& EntrustedLocks::probe(LockId lock, unsigned at) const {
  // Locks that lie side by side have slots side by side, as a thread mostly takes one after the
  // other.
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  const std::uint64_t word = lock.value() >> (kLockKindBits + 3);
  const std::uint64_t stretch = word / slots_.size();
  return slots_[(word + stretch * kGolden + at) & (slots_.size() - 1)];
}

EntrustedLocks::Slot* EntrustedLocks::find(LockId lock) const {
  for (unsigned at = 0; at < kProbes; ++at) {
    Slot& slot = probe(lock, at);
    const std::uint64_t here = word(slot).load(std::memory_order_relaxed);
    if (here == 0) return nullptr;
    if (here >> kStateBits == lock.value()) return &slot;
  }
  return nullptr;
}

bool EntrustedLocks::take(LockId lock) {
  Slot* const slot = find(lock);
  std::uint64_t expected = word_of(lock, kFree);
  if (slot == nullptr || !word(*slot).compare_exchange_strong(expected, word_of(lock, kHeld))) {
    return false;
  }
  const std::atomic_ref taken(slot->taken);
  taken.store(taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

bool EntrustedLocks::give_up(LockId lock) {
  Slot* const slot = find(lock);
  std::uint64_t expected = word_of(lock, kHeld);
  return slot != nullptr && word(*slot).compare_exchange_strong(expected, word_of(lock, kFree));
}

bool EntrustedLocks::entrust(LockId lock) {
  WEFT_ASSERT(lock.value() != 0 && lock.value() <= UINT64_MAX >> kStateBits, "lock {}",
              lock.value());
  Slot* slot = find(lock);
  for (unsigned at = 0; slot == nullptr && at < kProbes; ++at) {
    constexpr std::uint64_t kStates = (1U << kStateBits) - 1;
    Slot& other = probe(lock, at);
    if ((word(other).load(std::memory_order_relaxed) & kStates) == kEngines) slot = &other;
  }
  if (slot == nullptr) return false;
  word(*slot).store(word_of(lock, kFree));
  return true;
}

bool EntrustedLocks::call_back(LockId lock) {
  Slot* const slot = find(lock);
  WEFT_ASSERT(slot != nullptr, "lock {} is called back and was not entrusted", lock.value());
  return word(*slot).exchange(word_of(lock, kEngines)) == word_of(lock, kHeld);
}

std::uint64_t EntrustedLocks::times_taken() const {
  std::uint64_t sum = 0;
  for (Slot& slot : slots_) {
    sum += std::atomic_ref(slot.taken).load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/locks/entrusted_locks.hpp"

#include <sched.h>

#include <bit>

#include "base/assert.hpp"
#include "base/futex.hpp"
#include "base/locks/lock_ids.hpp"
#include "base/numbers/mixed.hpp"

namespace weft {
namespace {

// What this thread has taken last, and how often in a row without that another one had it.
struct Streak {
  LockId lock;
  std::uint64_t taken = 0;         // of the slot, when this thread had it last
  std::uint64_t length = 0;        // in takes
  std::int64_t woken_ns = kNever;  // when it woke one that slept for it
  static constexpr std::int64_t kNever = -1;
};
constinit thread_local Streak streak;

// So long a thread may take a lock again and again before it lets the one that it woke go first,
// and so long it waits for that at most: that one may take its time to wake, or wait no more.
constexpr std::int64_t kStreakNanoseconds = 20'000, kPoliteNanoseconds = 200'000;
// After so many takes in a row it offers its processor: others may wait for that, not for the lock.
constexpr std::uint64_t kTakesPerOffer = 1024;

std::uint64_t times_taken_of(EntrustedLocks::Slot& slot) {
  return std::atomic_ref(slot.taken).load(std::memory_order_relaxed);
}

void note_taken(LockId lock, std::uint64_t taken) {
  const bool goes_on = streak.lock == lock && taken == streak.taken + 1;
  if (!goes_on) streak = Streak{.lock = lock};
  streak.taken = taken;
  ++streak.length;
}

// Of the streak's lock; most takes need not find its slot for this.
bool is_to_let_others_first() {
  return streak.length % kTakesPerOffer == 0 || streak.woken_ns != Streak::kNever;
}

// A thread that only looks whether it has something to do would else have lock and processor for
// its whole time slice, while those wait who could give it something.
void let_others_first(EntrustedLocks::Slot& slot) {
  if (streak.length % kTakesPerOffer == 0) sched_yield();
  if (streak.woken_ns == Streak::kNever) return;
  const std::int64_t now = now_ns();
  if (now - streak.woken_ns < kStreakNanoseconds) return;
  while (times_taken_of(slot) == streak.taken && now_ns() - now < kPoliteNanoseconds) {
    sched_yield();
  }
  streak.woken_ns = Streak::kNever;
}

}  // namespace

EntrustedLocks::EntrustedLocks(std::span<Slot> slots, bool begin_entrusted)
    : slots_(slots),
      index_bits_(std::countr_zero(slots.size())),
      begin_entrusted_(begin_entrusted) {
  WEFT_ASSERT(std::has_single_bit(slots.size()) && slots.size() >= kProbes,
              "{} slots for entrusted locks", slots.size());
}

EntrustedLocks::Slot& EntrustedLocks::probe(LockId lock, unsigned at) const {
  // Locks that lie side by side have slots side by side, as a thread mostly takes one after the
  // other.
  const std::uint64_t word = lock.value() >> (kLockKindBits + 3);
  const std::uint64_t stretch = word >> index_bits_;
  return slots_[(word + mixed(stretch) + at) & (slots_.size() - 1)];
}

EntrustedLocks::Found EntrustedLocks::find(LockId lock, std::optional<State> otherwise) const {
  for (unsigned at = 0; at < kProbes; ++at) {
    Slot& slot = probe(lock, at);
    std::uint64_t here = word(slot).load(std::memory_order_relaxed);
    if (here == 0) {
      if (!otherwise) return {};
      if (word(slot).compare_exchange_strong(here, word_of(lock, *otherwise))) return {&slot, true};
    }
    if (here >> kStateBits == lock.value()) return {&slot, false};
  }
  return {};
}

bool EntrustedLocks::take(LockId lock) { return take_as(lock, kHeld); }

bool EntrustedLocks::take_awaited(LockId lock) { return take_as(lock, kAwaited); }

bool EntrustedLocks::take_as(LockId lock, State state) {
  const Found found = find(lock, begin_entrusted_ ? std::optional(state) : std::nullopt);
  if (found.slot == nullptr) return false;
  if (!found.is_new) {
    std::uint64_t expected = word_of(lock, kFree);
    if (word(*found.slot).load(std::memory_order_relaxed) != expected) return false;
    if (!word(*found.slot).compare_exchange_strong(expected, word_of(lock, state))) return false;
  }
  const std::uint64_t taken = times_taken_of(*found.slot) + 1;
  std::atomic_ref(found.slot->taken).store(taken, std::memory_order_relaxed);
  note_taken(lock, taken);
  return true;
}

bool EntrustedLocks::take_soon(LockId lock) {
  if (streak.lock == lock && is_to_let_others_first()) {
    if (Slot* const slot = find(lock).slot) let_others_first(*slot);
  }
  for (unsigned look = 0; look < kLooks; ++look) {
    if (take(lock)) return true;
    const State state = state_of(lock);
    if (state == kFree) continue;
    if (!is_held(state)) return false;
    __builtin_ia32_pause();
  }
  return false;
}

EntrustedLocks::State EntrustedLocks::state_of(LockId lock) const {
  Slot* const slot = find(lock).slot;
  return slot != nullptr ? State(word(*slot).load() - word_of(lock, kEngines)) : kEngines;
}

bool EntrustedLocks::has(LockId lock) const {
  const State state = state_of(lock);
  return state == kFree || is_held(state);
}

bool EntrustedLocks::sleep_while_held(LockId lock) {
  Slot* const slot = find(lock).slot;
  if (slot == nullptr) return false;
  std::uint64_t here = word_of(lock, kHeld);
  const std::uint64_t awaited = word_of(lock, kAwaited);
  if (!word(*slot).compare_exchange_strong(here, awaited) && here != awaited) {
    return here == word_of(lock, kFree);
  }
  futex_wait(low_half(*slot), static_cast<std::uint32_t>(awaited));
  return true;
}

bool EntrustedLocks::give_up(LockId lock) {
  Slot* const slot = find(lock).slot;
  if (slot == nullptr) return false;
  std::uint64_t held = word_of(lock, kHeld);
  if (word(*slot).compare_exchange_strong(held, word_of(lock, kFree))) return true;
  held = word_of(lock, kAwaited);
  if (!word(*slot).compare_exchange_strong(held, word_of(lock, kFree))) return false;
  const std::uint32_t woken_before = threads_woken_here;
  futex_wake_one(low_half(*slot));
  if (threads_woken_here != woken_before && streak.lock == lock) streak.woken_ns = now_ns();
  return true;
}

bool EntrustedLocks::entrust(LockId lock) {
  WEFT_ASSERT(lock.value() != 0 && lock.value() <= UINT64_MAX >> kStateBits, "lock {}",
              lock.value());
  const Found found = find(lock, kFree);
  if (found.slot != nullptr && !found.is_new) word(*found.slot).store(word_of(lock, kFree));
  return found.slot != nullptr;
}

bool EntrustedLocks::call_back(LockId lock) {
  const Found found = find(lock, kEngines);
  if (found.slot == nullptr) return false;
  const std::uint64_t before = word(*found.slot).exchange(word_of(lock, kEngines));
  if (before != word_of(lock, kAwaited)) return before == word_of(lock, kHeld);
  futex_wake_all(low_half(*found.slot));
  return true;
}

void EntrustedLocks::show_right(LockId lock, std::uint64_t right) {
  const Found found = find(lock, kEngines);
  if (found.slot == nullptr) return;
  std::atomic_ref(found.slot->right).store(right, std::memory_order_relaxed);
  word(*found.slot).store(word_of(lock, kRight), std::memory_order_release);
}

std::uint64_t EntrustedLocks::right_of(LockId lock) const {
  Slot* const slot = find(lock).slot;
  if (slot == nullptr || word(*slot).load(std::memory_order_acquire) != word_of(lock, kRight)) {
    return 0;
  }
  return std::atomic_ref(slot->right).load(std::memory_order_relaxed);
}

std::uint64_t EntrustedLocks::times_taken() const {
  std::uint64_t sum = 0;
  for (Slot& slot : slots_) {
    sum += std::atomic_ref(slot.taken).load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace weft

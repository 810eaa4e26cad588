// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that an engine has entrusted to the threads of its node (protocol/locks.md, 23): they take
// such a lock and give it up by one instruction each, without the engine, until it calls the lock
// back.
//
//          entrust()            take()
//   engine ─────────────► free ─────────► held, awaited
//      ▲                   │   ◄─────────   │
//      └───────────────────┘    give_up()   │
//      └────────────────────────────────────┘  call_back(): the holder's give_up() fails
//
// Threads that find it held sleep at its word, and make it awaited. Who gives it up then wakes one
// of them, and it is free meanwhile, as a mutex of the C library: to hand it to a thread that has
// yet to wake would make all others wait for that. But who takes it again and again lets others go
// first after a while.
//
// Likewise the engine shows them its right to add under a lock that is not here (26).
//
// At one node all locks are entrusted from the beginning: there a lock without a slot is free, and
// who takes it first gives it one. A slot belongs to one lock for ever, and is the first empty one
// of the few that this lock may have. So a thread that takes a lock without a slot and an engine
// that calls it back at the same moment want the same slot, and one of the two gets it.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"

namespace weft {

class EntrustedLocks {
 public:
  struct Slot {
    std::uint64_t word;
    std::uint64_t taken;  // how often; written by the holder
    std::uint64_t right;  // to add
  };
  // Room for as many locks: a power of two of slots that are zero, and the caller's. A lock for
  // which there is no room is not entrusted. `begin_entrusted`: all, see above.
  EntrustedLocks(std::span<Slot> slots, bool begin_entrusted);

  // --- by any thread, at any time ---
  // Takes the lock if it is entrusted and free.
  [[nodiscard]] bool take(LockId lock);
  // The same; if another thread holds it, looks again for about a microsecond.
  [[nodiscard]] bool take_soon(LockId lock);
  // Whether it is entrusted: a thread of the node holds it, or may take it.
  [[nodiscard]] bool has(LockId lock) const;
  // After sleep_while_held: takes it for a thread that others may wait behind.
  [[nodiscard]] bool take_awaited(LockId lock);
  // Sleeps while another thread of the node holds the lock; returns now and then for no reason.
  // False, and at once: it is not entrusted (any more), so the engine is to be asked.
  [[nodiscard]] bool sleep_while_held(LockId lock);
  // By its holder. False: it is not entrusted (any more), so the engine is to be told.
  [[nodiscard]] bool give_up(LockId lock);
  // The right to add that is shown, or 0. The engine may have taken it back since.
  [[nodiscard]] std::uint64_t right_of(LockId lock) const;

  // --- by one thread at a time: the engine's ---
  // The lock is free. False: there is no room for it.
  bool entrust(LockId lock);
  // It is the engine's again; whether a thread holds it, which will tell the engine when it gives
  // it up.
  [[nodiscard]] bool call_back(LockId lock);
  // The lock is not here, but who adds under it may do so by this right; until it is called back.
  void show_right(LockId lock, std::uint64_t right);

  // How often any lock has been taken here.
  [[nodiscard]] std::uint64_t times_taken() const;

 private:
  // Beside its name: 50 bits of a LockId (base/locks/lock_ids.hpp).
  enum State : std::uint64_t { kEngines = 0, kFree = 1, kHeld = 2, kRight = 3, kAwaited = 4 };
  static constexpr unsigned kStateBits = 3;
  static constexpr unsigned kProbes = 8;
  static constexpr unsigned kLooks = 32;

  [[nodiscard]] static std::uint64_t word_of(LockId lock, State state) {
    return lock.value() << kStateBits | state;
  }
  [[nodiscard]] static std::atomic_ref<std::uint64_t> word(Slot& slot) {
    return std::atomic_ref(slot.word);
  }
  // The half of it that has the state, to sleep at.
  [[nodiscard]] static std::atomic<std::uint32_t>& low_half(Slot& slot) {
    static_assert(std::endian::native == std::endian::little);
    return reinterpret_cast<std::atomic<std::uint32_t>&>(slot.word);
  }
  // The lock's slot, or null. With `otherwise`, one that it gets now in this state, if there is
  // room; whether it is new.
  struct Found {
    Slot* slot = nullptr;
    bool is_new = false;
  };
  [[nodiscard]] Found find(LockId lock, std::optional<State> otherwise = {}) const;
  [[nodiscard]] State state_of(LockId lock) const;
  [[nodiscard]] static bool is_held(State state) { return state == kHeld || state == kAwaited; }
  [[nodiscard]] bool take_as(LockId lock, State state);
  [[nodiscard]] Slot& probe(LockId lock, unsigned at) const;

  const std::span<Slot> slots_;
  const int index_bits_;
  const bool begin_entrusted_;
};

}  // namespace weft

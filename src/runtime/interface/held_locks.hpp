// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread of this node holds which lock of the job, and how often: the engine knows of nodes
// alone. For locks that their holder may take again, or that only their holder may give up.
//
// A thread that goes on at another node takes what it holds along. For the engine the node has the
// lock at which it was acquired, the keeper, and that one releases it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/signal_safe_mutex.hpp"
#include "protocol/interface/home_facts.hpp"

namespace weft {

// A lock that a thread holds, on its way to another node.
struct CarriedLock {
  LockId lock;
  std::uint32_t count = 0;
  NodeId keeper{};
  WEFT_FIELDS(self.lock, self.count, self.keeper)
};

class HeldLocks {
 public:
  // If the calling thread holds the lock: counts once more, and returns the count; else 0.
  int count_again(LockId lock);
  [[nodiscard]] bool is_mine(LockId lock);
  // Whether any thread that is here does.
  [[nodiscard]] bool is_held(LockId lock);
  // The calling thread has acquired it.
  void took(LockId lock);
  // What is left to do of a lock that is given up once: nothing, or its keeper is to release it.
  struct GivenUp {
    bool is_free = false;
    NodeId keeper{};  // kNoNode: this node
  };
  // Whoever calls. Nothing if nobody here holds it.
  std::optional<GivenUp> count_down(LockId lock);

  // How many locks the calling thread holds.
  [[nodiscard]] std::size_t count_of_mine();
  // What the calling thread holds goes with it: those of other keepers are here no more, those of
  // this one are held until the thread gives them up.
  [[nodiscard]] std::vector<CarriedLock> carry_off(NodeId self);
  // The calling thread has come with these.
  void take_over(const std::vector<CarriedLock>& locks, NodeId self);
  // A thread that has gone has given this one up.
  void drop(LockId lock);

 private:
  struct Held {
    LockId lock;
    const void* owner;
    int count;
    NodeId keeper;  // kNoNode: this one
  };
  // Threads that take different locks are not to meet here. Nothing blocks under the guard.
  struct alignas(64) Shelf {
    SignalSafeMutex guard;
    std::vector<Held> held;  // few
  };

  [[nodiscard]] Shelf& shelf_of(LockId lock);
  // Null if nobody here holds it.
  [[nodiscard]] static Held* find(Shelf& shelf, LockId lock);
  [[nodiscard]] static Held* find_mine(Shelf& shelf, LockId lock);
  static void put(Shelf& shelf, const Held& held);
  static void remove(Shelf& shelf, Held& held);

  std::array<Shelf, 256> shelves_;
};

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something that the process has one of and that changes with each use, like the sequence of random
// numbers: one node has it at a time. Its uses there cost a lock and no message; another node's
// first use fetches it, by way of node 0, which knows who has it.
//
//   node 2, a use        node 0             node 1, which has it
//   kTakeToken ────────► kGiveToken ──────► waits until nobody uses it, packs it up
//   ◄──────── its state ◄────────────────── its state
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/signal_safe_mutex.hpp"
#include "process/requests/calls.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {

class Token {
 public:
  struct State {
    Bytes (*pack)();
    void (*unpack)(ByteView);
  };
  // `number` is the same on all nodes.
  Token(std::uint8_t number, State state) : number_(number), state_(state) {}

  // Calls use() with the state here, and nobody else using it. Must not touch shared memory that
  // may be missing for long, nor block.
  template <typename Use>
  auto use(Use&& use) {
    std::unique_lock guard(lock_);
    // The child of a fork goes on with what was here.
    if (!is_here_ && this_node() != nullptr) on_runtime_stack([&] { fetch(guard); });
    return use();
  }
  // For a fork: the child has what its parent has.
  void bring() {
    use([] { return 0; });
  }

  // On node 0, once.
  void begin_here() { is_here_ = true; }
  [[nodiscard]] Bytes give_up();
  // On node 0, for `to`.
  [[nodiscard]] Bytes move_to(NodeId to);

 private:
  void fetch(std::unique_lock<SignalSafeMutex>& guard);

  const std::uint8_t number_;
  const State state_;
  SignalSafeMutex lock_;
  std::condition_variable_any arrived_;
  bool is_here_ = false, is_coming_ = false;
  // On node 0.
  SignalSafeMutex moving_;
  NodeId holder_;
};

// Each node registers its tokens, in the same order; at most four.
void add_token(Token& token);

}  // namespace weft::process

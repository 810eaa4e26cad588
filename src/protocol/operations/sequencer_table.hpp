// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequencers (protocol/operations.md, 10): counts that only grow, each kept at one node.
#pragma once

#include <map>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/intervals/coherence.hpp"

namespace weft {

class SequencerTable {
 public:
  SequencerTable(Context& context, Coherence& coherence, UpdateStreams& streams)
      : context_(context), coherence_(coherence), streams_(streams) {}

  void advance(SequencerId sequencer, std::uint64_t value);
  void await(SequencerId sequencer, std::uint64_t value, WaitId wait);

  // Further steps of advance(), at the keeper and elsewhere.
  void raise(const step::RaiseSequencer& step);
  void send(const step::SendAdvance& step);

  void on_advance(Epoch epoch, const Advance& message);
  void on_await(NodeId from, Epoch epoch, const Await& message);
  void on_await_reply(Epoch epoch, const AwaitReply& message);

 private:
  struct Waiter {
    NodeId node;
    Epoch epoch;  // of the clock
    Await await;
  };
  struct Sequencer {
    std::uint64_t count = 0;
    std::vector<Waiter> waiters;
  };

  [[nodiscard]] NodeId keeper_of(SequencerId id) const;
  void add_waiter(Waiter waiter);
  void answer(const Waiter& waiter, std::uint64_t count);

  Context& context_;
  Coherence& coherence_;
  UpdateStreams& streams_;
  std::map<SequencerId, Sequencer> sequencers_;
};

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/sequencer_table.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bugs.hpp"

namespace weft {

void SequencerTable::advance(SequencerId id, std::uint64_t value) {
  const NodeId keeper = keeper_of(id.value(), context_.config.node_count);
  if (context_.is_self(keeper)) {
    coherence_.note_local_release();
    return raise(id, value);
  }
  coherence_.close_interval();
  context_.send(keeper, Priority::kControl, Advance{id, value, coherence_.unsent_records(keeper)});
}

void SequencerTable::await(SequencerId id, std::uint64_t value, WaitId wait) {
  const NodeId keeper = keeper_of(id.value(), context_.config.node_count);
  const Await await{id, value, wait, coherence_.clock()};
  if (context_.is_self(keeper)) {
    add_waiter({context_.config.self, context_.epoch, await});
  } else {
    context_.send(keeper, Priority::kControl, await);
  }
}

void SequencerTable::on_advance(Epoch epoch, const Advance& message) {
  coherence_.apply(epoch, message.records);
  raise(message.sequencer, message.value);
}

void SequencerTable::on_await(NodeId from, Epoch epoch, const Await& message) {
  add_waiter({from, epoch, message});
}

void SequencerTable::on_await_reply(Epoch epoch, const AwaitReply& message) {
  coherence_.apply(epoch, message.records);
  streams_.when_settled([this, wait = message.wait] { context_.effects.complete(wait); });
}

void SequencerTable::raise(SequencerId id, std::uint64_t value) {
  Sequencer& sequencer = sequencers_[id];
  sequencer.count = std::max(sequencer.count, value);
  std::vector<Waiter> waiters = std::exchange(sequencer.waiters, {});
  for (Waiter& waiter : waiters) add_waiter(std::move(waiter));
}

void SequencerTable::add_waiter(Waiter waiter) {
  Sequencer& sequencer = sequencers_[waiter.await.sequencer];
  if (sequencer.count >= waiter.await.value) {
    answer(waiter);
  } else {
    sequencer.waiters.push_back(std::move(waiter));
  }
}

void SequencerTable::answer(const Waiter& waiter) {
  const WaitId wait = waiter.await.wait;
  if (context_.is_self(waiter.node)) {
    return streams_.when_settled([this, wait] { context_.effects.complete(wait); });
  }
  coherence_.close_if_released();
  AwaitReply reply{wait, {}};
  if (!WEFT_BUG(kSequencerWithoutRecords)) {
    reply.records = coherence_.records_for(waiter.epoch, waiter.await.clock);
  }
  context_.send(waiter.node, Priority::kControl, reply);
}

}  // namespace weft

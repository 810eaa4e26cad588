// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/operations/sequencer_table.hpp"

#include <algorithm>
#include <utility>

#include "base/placement.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/updates/completion.hpp"

namespace weft {

NodeId SequencerTable::keeper_of(SequencerId id) const {
  return is_placed(id) ? place_of(id) : weft::keeper_of(id.value(), context_.config.node_count);
}

void SequencerTable::advance(SequencerId id, std::uint64_t value) {
  WEFT_PROBE(context_, kSequencer);
  const NodeId keeper = keeper_of(id);
  if (context_.is_self(keeper)) {
    const step::RaiseSequencer next{id, value};
    if (coherence_.release_here_or_keep(next)) raise(next);
  } else {
    const step::SendAdvance next{id, value};
    if (coherence_.release_or_keep(next)) send(next);
  }
}

void SequencerTable::send(const step::SendAdvance& step) {
  const NodeId keeper = keeper_of(step.sequencer);
  context_.send(keeper, Priority::kControl,
                Advance{step.sequencer, step.value, coherence_.unsent_records(keeper)});
}

void SequencerTable::await(SequencerId id, std::uint64_t value, WaitId wait) {
  const NodeId keeper = keeper_of(id);
  const Await await{.sequencer = id, .value = value, .wait = wait, .clock = coherence_.clock()};
  if (context_.is_self(keeper)) {
    add_waiter({context_.config.self, context_.epoch, await});
  } else {
    context_.send(keeper, Priority::kControl, await);
  }
}

void SequencerTable::on_advance(Epoch epoch, const Advance& message) {
  coherence_.apply(epoch, message.records);
  raise({message.sequencer, message.value});
}

void SequencerTable::on_await(NodeId from, Epoch epoch, const Await& message) {
  add_waiter({from, epoch, message});
}

void SequencerTable::on_await_reply(Epoch epoch, const AwaitReply& message) {
  coherence_.apply(epoch, message.records);
  complete_when_settled(context_, streams_, step::CompleteAwait{message.wait, message.count});
}

void SequencerTable::raise(const step::RaiseSequencer& step) {
  const auto [id, value] = step;
  Sequencer& sequencer = sequencers_[id];
  sequencer.count = std::max(sequencer.count, value);
  std::vector<Waiter> waiters = std::exchange(sequencer.waiters, {});
  for (Waiter& waiter : waiters) add_waiter(std::move(waiter));
}

void SequencerTable::add_waiter(Waiter waiter) {
  Sequencer& sequencer = sequencers_[waiter.await.sequencer];
  if (sequencer.count >= waiter.await.value) {
    answer(waiter, sequencer.count);
  } else {
    sequencer.waiters.push_back(std::move(waiter));
  }
}

void SequencerTable::answer(const Waiter& waiter, std::uint64_t count) {
  const WaitId wait = waiter.await.wait;
  if (context_.is_self(waiter.node)) {
    return complete_when_settled(context_, streams_, step::CompleteAwait{wait, count});
  }
  coherence_.close_if_released();
  AwaitReply reply{wait, WEFT_BUG(kSequencerCountAhead) ? count + 1 : count, {}};
  if (!WEFT_BUG(kSequencerWithoutRecords)) {
    reply.records = coherence_.records_for(waiter.epoch, waiter.await.clock);
  }
  context_.send(waiter.node, Priority::kControl, reply);
}

}  // namespace weft

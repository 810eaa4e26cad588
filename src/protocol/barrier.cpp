// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/barrier.hpp"

#include <algorithm>
#include <utility>

namespace weft {

void Barrier::arrive(WaitId wait) {
  WEFT_ASSERT(!wait_, "node {} arrives twice", context_.config.self.value());
  ++context_.counters.barriers;
  wait_ = wait;
  gather(coherence_.close_epoch());
  pass_up_if_complete();
}

void Barrier::on_arrive(const BarrierArrive& message) {
  ++children_arrived_;
  gather(message.notices);
  pass_up_if_complete();
}

void Barrier::gather(const std::vector<Notice>& notices) {
  for (const Notice& notice : notices) gathered_[notice.writer].insert(notice.pages);
}

void Barrier::pass_up_if_complete() {
  if (!wait_ || children_arrived_ < children().size()) return;
  children_arrived_ = 0;
  std::vector<Notice> notices;
  for (auto& [writer, pages] : std::exchange(gathered_, {})) {
    context_.counters.notices_sent += pages.ranges().size();
    notices.push_back({writer, std::move(pages)});
  }
  const std::uint16_t self = context_.config.self.value();
  if (self == 0) return on_depart({std::move(notices)});
  const auto parent = static_cast<std::uint16_t>((self - 1) / context_.config.barrier_arity);
  context_.send(NodeId(parent), Priority::kControl, BarrierArrive{std::move(notices)});
}

void Barrier::on_depart(const BarrierDepart& message) {
  WEFT_ASSERT(wait_, "node {} departs and has not arrived", context_.config.self.value());
  pass_down(message);
  turn_.begin(message.notices, false, [this, wait = *std::exchange(wait_, std::nullopt)] {
    context_.effects.complete(wait);
  });
}

void Barrier::publish(ByteView payload) {
  WEFT_ASSERT(context_.config.self.value() == 0 && !wait_, "node {} may not publish",
              context_.config.self.value());
  ++context_.counters.publications;
  const Publish message{coherence_.close_epoch(), payload};
  pass_down(message);
  turn_.begin(message.notices, false, [] {});
}

void Barrier::on_publish(const Publish& message) {
  WEFT_ASSERT(!wait_, "publication while node {} is in a barrier", context_.config.self.value());
  ++context_.counters.publications;
  pass_down(message);
  turn_.begin(message.notices, true,
              [this, payload = Bytes(message.payload.begin(), message.payload.end())] {
                context_.effects.deliver_publication(payload);
              });
}

std::vector<NodeId> Barrier::children() const {
  const std::uint64_t arity = context_.config.barrier_arity;
  const std::uint64_t first = context_.config.self.value() * arity + 1;
  const std::uint64_t end = std::min<std::uint64_t>(first + arity, context_.config.node_count);
  std::vector<NodeId> nodes;
  for (std::uint64_t child = first; child < end; ++child) {
    nodes.push_back(NodeId(static_cast<std::uint16_t>(child)));
  }
  return nodes;
}

template <typename Message>
void Barrier::pass_down(const Message& message) {
  for (const NodeId child : children()) {
    for (const Notice& notice : message.notices) {
      context_.counters.notices_sent += notice.pages.ranges().size();
    }
    context_.send(child, Priority::kControl, message);
  }
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/routed/routed_transport.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

TransportCounters sum(const TransportCounters& one, const TransportCounters& other) {
  TransportCounters all = one;
  for (int loudness = 0; loudness < 2; ++loudness) all.looks[loudness] += other.looks[loudness];
  for (int channel = 0; channel < 2; ++channel) {
    all.messages_sent[channel] += other.messages_sent[channel];
    all.bytes_sent[channel] += other.bytes_sent[channel];
    all.messages_received[channel] += other.messages_received[channel];
    all.bytes_received[channel] += other.bytes_received[channel];
  }
  all.acknowledgements_sent += other.acknowledgements_sent;
  all.connections_refused += other.connections_refused;
  return all;
}

}  // namespace

RoutedTransport::RoutedTransport(std::unique_ptr<Transport> near, std::unique_ptr<Transport> far,
                                 std::vector<bool> is_near)
    : near_(std::move(near)),
      far_(std::move(far)),
      is_near_(std::move(is_near)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  for (const Transport* each : {near_.get(), far_.get()}) {
    epoll_event event = {};
    event.events = EPOLLIN;
    const int watched = epoll_ctl(epoll_, EPOLL_CTL_ADD, each->event_descriptor(), &event);
    WEFT_ASSERT(watched == 0, "errno {}", errno);
  }
}

RoutedTransport::~RoutedTransport() { ::close(epoll_); }

void RoutedTransport::send(NodeId to, Channel channel, MessageSegments segments,
                           Loudness loudness) {
  WEFT_ASSERT(to.value() < is_near_.size(), "node {} is no peer", to.value());
  Transport& by = is_near_[to.value()] ? *near_ : *far_;
  by.send(to, channel, std::move(segments), loudness);
}

std::size_t RoutedTransport::poll(const Receiver& receiver, ArmedFor what) {
  const std::size_t of_near = near_->poll(receiver, what);
  return of_near + far_->poll(receiver, what);
}

const TransportCounters& RoutedTransport::counters() const {
  sums_ = sum(near_->counters(), far_->counters());
  return sums_;
}

}  // namespace weft

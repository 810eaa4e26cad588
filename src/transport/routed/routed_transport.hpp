// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two transports as one, for jobs on several hosts with several nodes each: peers that are near, on
// the same host, are reached by one of them, all others by the other.
#pragma once

#include <memory>
#include <vector>

#include "transport/transport.hpp"

namespace weft {

class RoutedTransport final : public Transport {
 public:
  // `is_near`: of each node, by number.
  RoutedTransport(std::unique_ptr<Transport> near, std::unique_ptr<Transport> far,
                  std::vector<bool> is_near);
  ~RoutedTransport() override;

  using Transport::send;
  void send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) override;
  using Transport::poll;
  std::size_t poll(const Receiver& receiver, ArmedFor what) override;
  [[nodiscard]] int event_descriptor() const override { return epoll_; }
  [[nodiscard]] bool arm(ArmedFor what) override { return near_->arm(what) && far_->arm(what); }
  [[nodiscard]] bool needs_polling() const override {
    return near_->needs_polling() || far_->needs_polling();
  }
  [[nodiscard]] bool drained() const override { return near_->drained() && far_->drained(); }
  [[nodiscard]] const TransportCounters& counters() const override;

 private:
  std::unique_ptr<Transport> near_, far_;
  std::vector<bool> is_near_;
  int epoll_ = -1;                  // watches the descriptors of both
  mutable TransportCounters sums_;  // of both, when they were last asked for
};

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/testing/in_memory.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "base/assert.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft {

class InMemoryHub::Port final : public Transport {
 public:
  Port(InMemoryHub& hub, NodeId self, std::size_t node_count, const FlowOptions& options)
      : hub_(hub), self_(self), event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    WEFT_ASSERT(event_ >= 0);
    for (std::size_t node = 0; node < node_count; ++node) {
      const NodeId peer(static_cast<NodeId::representation>(node));
      flows_.push_back(std::make_unique<Flow>(self, peer, options, counters_));
    }
  }
  ~Port() override { ::close(event_); }

  void send(NodeId to, Channel channel, MessageSegments segments) override {
    WEFT_ASSERT(to != self_ && to.value() < flows_.size(), "node {} is no peer", to.value());
    flows_[to.value()]->enqueue(channel, std::move(segments));
    pump(to);
  }

  std::size_t poll(const Receiver& receiver) override {
    std::size_t handed_over = 0;
    for (const auto& [header, payload] : take_inbox()) {
      handed_over += flows_[header.from.value()]->on_frame(header, payload, receiver);
      pump(header.from);
    }
    return handed_over;
  }

  [[nodiscard]] int event_descriptor() const override { return event_; }

  [[nodiscard]] bool arm() override {
    const std::scoped_lock lock(mutex_);
    if (!inbox_.empty()) return false;
    std::uint64_t count = 0;
    while (::read(event_, &count, sizeof count) > 0) {
    }
    armed_ = true;
    return true;
  }

  [[nodiscard]] bool needs_polling() const override { return false; }
  [[nodiscard]] bool drained() const override {
    return std::all_of(flows_.begin(), flows_.end(),
                       [](const std::unique_ptr<Flow>& each) { return each->drained(); });
  }

  [[nodiscard]] const TransportCounters& counters() const override { return counters_; }

 private:
  using Delivery = std::pair<FrameHeader, Bytes>;

  void pump(NodeId to) {
    while (const std::optional<Frame> frame = flows_[to.value()]->next_frame()) {
      Bytes payload;
      payload.reserve(frame->bytes);
      for (const ByteView piece : frame->pieces) {
        payload.insert(payload.end(), piece.begin(), piece.end());
      }
      hub_.ports_[to.value()]->deliver(frame->header, std::move(payload));
    }
  }

  // Called by the sender's thread.
  void deliver(const FrameHeader& header, Bytes payload) {
    const std::scoped_lock lock(mutex_);
    inbox_.emplace_back(header, std::move(payload));
    if (!std::exchange(armed_, false)) return;
    const std::uint64_t one = 1;
    const ssize_t written = ::write(event_, &one, sizeof one);
    WEFT_ASSERT(written == sizeof one);
  }

  std::deque<Delivery> take_inbox() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(inbox_, {});
  }

  InMemoryHub& hub_;
  NodeId self_;
  int event_;
  TransportCounters counters_;
  std::vector<std::unique_ptr<Flow>> flows_;  // by peer
  SignalSafeMutex mutex_;                     // guards what follows
  std::deque<Delivery> inbox_;
  bool armed_ = false;  // the event is to be raised for the next delivery
};

InMemoryHub::InMemoryHub(std::size_t node_count, const FlowOptions& options) {
  for (std::size_t node = 0; node < node_count; ++node) {
    const NodeId self(static_cast<NodeId::representation>(node));
    ports_.push_back(std::make_unique<Port>(*this, self, node_count, options));
  }
}

InMemoryHub::~InMemoryHub() = default;

Transport& InMemoryHub::transport(NodeId node) { return *ports_.at(node.value()); }

std::unique_ptr<Transport> InMemoryHub::lend(NodeId node) {
  class Lent final : public Transport {
   public:
    explicit Lent(Transport& port) : port_(port) {}
    void send(NodeId to, Channel channel, MessageSegments segments) override {
      port_.send(to, channel, std::move(segments));
    }
    std::size_t poll(const Receiver& receiver) override { return port_.poll(receiver); }
    [[nodiscard]] int event_descriptor() const override { return port_.event_descriptor(); }
    [[nodiscard]] bool arm() override { return port_.arm(); }
    [[nodiscard]] bool needs_polling() const override { return port_.needs_polling(); }
    [[nodiscard]] bool drained() const override { return port_.drained(); }
    [[nodiscard]] const TransportCounters& counters() const override { return port_.counters(); }

   private:
    Transport& port_;
  };
  return std::make_unique<Lent>(transport(node));
}

}  // namespace weft

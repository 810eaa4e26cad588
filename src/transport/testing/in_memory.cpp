// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/testing/in_memory.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "base/signal_safe_mutex.hpp"
#include "transport/quiet_looks.hpp"

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

  using Transport::send;
  void send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) override {
    WEFT_ASSERT(to != self_ && to.value() < flows_.size(), "node {} is no peer", to.value());
    flows_[to.value()]->enqueue(channel, std::move(segments), loudness);
    pump(to);
  }

  using Transport::poll;
  std::size_t poll(const Receiver& receiver, ArmedFor what) override {
    std::size_t handed_over = 0;
    for (const auto& [header, payload] : take_inboxes(quiet_looks_.next(what, has_early()))) {
      handed_over += flows_[header.from.value()]->on_frame(header, payload, receiver);
      pump(header.from);
    }
    return handed_over;
  }

  [[nodiscard]] int event_descriptor() const override { return event_; }

  [[nodiscard]] bool arm(ArmedFor what) override {
    if (has_early()) what = ArmedFor::kAll;
    const std::scoped_lock lock(mutex_);
    const bool has_quiet = !quiet_inbox_.empty() && !holds_quiet_;
    if (!inbox_.empty() || (what == ArmedFor::kAll && has_quiet)) return false;
    std::uint64_t count = 0;
    while (::read(event_, &count, sizeof count) > 0) {
    }
    armed_ = what;
    return true;
  }

  // See InMemoryHub.
  void hold_quiet(bool holds) {
    const std::scoped_lock lock(mutex_);
    holds_quiet_ = holds;
    if (!holds && !quiet_inbox_.empty()) raise(true);
  }
  [[nodiscard]] InMemoryHub::Waking waking() {
    const std::scoped_lock lock(mutex_);
    return {.armed = armed_, .wake_ups = wake_ups_, .quiet_frames = quiet_inbox_.size()};
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
      hub_.ports_[to.value()]->deliver(*frame, std::move(payload));
    }
  }

  // Called by the sender's thread.
  void deliver(const Frame& frame, Bytes payload) {
    const std::scoped_lock lock(mutex_);
    const bool is_quiet = frame.loudness == Loudness::kQuiet;
    (is_quiet ? quiet_inbox_ : inbox_).emplace_back(frame.header, std::move(payload));
    if (is_quiet && holds_quiet_) return;
    raise(is_quiet);
  }

  // With the mutex.
  void raise(bool is_quiet) {
    if (!armed_ || (is_quiet && *armed_ == ArmedFor::kLoud)) return;
    armed_.reset();
    ++wake_ups_;
    const std::uint64_t one = 1;
    const ssize_t written = ::write(event_, &one, sizeof one);
    WEFT_ASSERT(written == sizeof one);
  }

  // Quiet ones first: they come before loud ones that were sent later.
  std::deque<Delivery> take_inboxes(bool with_quiet) {
    const std::scoped_lock lock(mutex_);
    std::deque<Delivery> all;
    if (with_quiet && !holds_quiet_) all.swap(quiet_inbox_);
    std::ranges::move(std::exchange(inbox_, {}), std::back_inserter(all));
    return all;
  }

  [[nodiscard]] bool has_early() const {
    return std::ranges::any_of(flows_, [](const auto& each) { return each->has_early(); });
  }

  InMemoryHub& hub_;
  NodeId self_;
  int event_;
  TransportCounters counters_;
  QuietLooks quiet_looks_;
  std::vector<std::unique_ptr<Flow>> flows_;  // by peer
  SignalSafeMutex mutex_;                     // guards what follows
  std::deque<Delivery> inbox_, quiet_inbox_;
  std::optional<ArmedFor> armed_;  // the event is to be raised for the next delivery
  bool holds_quiet_ = false;
  std::uint64_t wake_ups_ = 0;
};

InMemoryHub::InMemoryHub(std::size_t node_count, const FlowOptions& options) {
  for (std::size_t node = 0; node < node_count; ++node) {
    const NodeId self(static_cast<NodeId::representation>(node));
    ports_.push_back(std::make_unique<Port>(*this, self, node_count, options));
  }
}

InMemoryHub::~InMemoryHub() = default;

Transport& InMemoryHub::transport(NodeId node) { return *ports_.at(node.value()); }

void InMemoryHub::hold_quiet(NodeId node, bool holds) {
  ports_.at(node.value())->hold_quiet(holds);
}

InMemoryHub::Waking InMemoryHub::waking(NodeId node) const {
  return ports_.at(node.value())->waking();
}

std::unique_ptr<Transport> InMemoryHub::lend(NodeId node) {
  class Lent final : public Transport {
   public:
    explicit Lent(Transport& port) : port_(port) {}
    void send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) override {
      port_.send(to, channel, std::move(segments), loudness);
    }
    using Transport::poll;
    std::size_t poll(const Receiver& receiver, ArmedFor what) override {
      return port_.poll(receiver, what);
    }
    [[nodiscard]] int event_descriptor() const override { return port_.event_descriptor(); }
    [[nodiscard]] bool arm(ArmedFor what) override { return port_.arm(what); }
    [[nodiscard]] bool needs_polling() const override { return port_.needs_polling(); }
    [[nodiscard]] bool drained() const override { return port_.drained(); }
    [[nodiscard]] const TransportCounters& counters() const override { return port_.counters(); }

   private:
    Transport& port_;
  };
  return std::make_unique<Lent>(transport(node));
}

}  // namespace weft

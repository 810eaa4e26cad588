// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/injected_delay.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

// Of the jitter: how many messages in a hundred are held back, and so many times as long.
constexpr unsigned kHeldBackPercent = 3;
constexpr std::uint64_t kHeldBackTimes = 10;

void watch(int epoll, int descriptor) {
  epoll_event event = {};
  event.events = EPOLLIN;
  const int status = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
  WEFT_ASSERT(status == 0, "the descriptor {} cannot be watched", descriptor);
}

}  // namespace

std::uint64_t monotonic_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

InjectedDelay::InjectedDelay(std::unique_ptr<Transport> inner, const InjectedDelayOptions& options,
                             Clock clock)
    : inner_(std::move(inner)),
      options_(options),
      now_ns_(clock),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      random_(options.seed) {
  watch(epoll_, inner_->event_descriptor());
  watch(epoll_, timer_);
}

InjectedDelay::~InjectedDelay() {
  ::close(timer_);
  ::close(epoll_);
}

void InjectedDelay::send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) {
  queues_[static_cast<std::size_t>(channel)].push_back(Message{.time_ns = now_ns_(),
                                                               .to = to,
                                                               .channel = channel,
                                                               .segments = std::move(segments),
                                                               .loudness = loudness});
  advance();
  // Whoever waits was armed when there was nothing to be late.
  if (timer_ns_ == 0) set_timer();
}

std::size_t InjectedDelay::poll(const Receiver& receiver, ArmedFor what) {
  advance();
  return inner_->poll(receiver, what);
}

bool InjectedDelay::arm(ArmedFor what) {
  advance();
  if (!inner_->arm(what)) return false;
  set_timer();
  return true;
}

bool InjectedDelay::drained() const {
  const auto is_empty = [](const auto& wire) { return wire.second.empty(); };
  return queues_[0].empty() && queues_[1].empty() && std::ranges::all_of(wires_, is_empty) &&
         inner_->drained();
}

std::deque<InjectedDelay::Message>* InjectedDelay::next_queue() {
  for (std::deque<Message>& queue : queues_) {
    if (!queue.empty()) return &queue;
  }
  return nullptr;
}

std::uint64_t InjectedDelay::occupies_card_ns(const Message& message) const {
  if (options_.bytes_per_second == 0) return 0;
  std::uint64_t bytes = 0;
  for (const MessageSegment& each : message.segments) bytes += each.bytes().size();
  return bytes * kNanosecondsPerSecond / options_.bytes_per_second;
}

void InjectedDelay::advance() {
  const std::uint64_t now = now_ns_();
  while (std::deque<Message>* const queue = next_queue()) {
    if (card_free_ns_ > now) break;
    Message message = std::move(queue->front());
    queue->pop_front();
    // Whoever calls late must not make the card slower than it is.
    card_free_ns_ = std::max(card_free_ns_, message.time_ns) + occupies_card_ns(message);
    put_on_wire(std::move(message));
  }
  for (auto& [way, wire] : wires_) {
    while (!wire.empty() && wire.front().time_ns <= now) {
      Message message = std::move(wire.front());
      wire.pop_front();
      inner_->send(message.to, message.channel, std::move(message.segments), message.loudness);
    }
  }
}

std::uint64_t InjectedDelay::jitter_ns() {
  if (options_.jitter_us == 0) return 0;
  const std::uint64_t jitter = random_.below(options_.jitter_us * 1000);
  return random_.chance(kHeldBackPercent) ? jitter * kHeldBackTimes : jitter;
}

void InjectedDelay::put_on_wire(Message message) {
  const std::pair way(message.to, message.channel);
  std::uint64_t& last = last_arrival_ns_[way];
  last = std::max(last, card_free_ns_ + options_.latency_us * 1000 + jitter_ns());
  message.time_ns = last;
  wires_[way].push_back(std::move(message));
}

std::uint64_t InjectedDelay::next_event_ns() const {
  std::uint64_t next = 0;
  for (const auto& [way, wire] : wires_) {
    if (wire.empty()) continue;
    next = next == 0 ? wire.front().time_ns : std::min(next, wire.front().time_ns);
  }
  if (!queues_[0].empty() || !queues_[1].empty()) {
    next = next == 0 ? card_free_ns_ : std::min(next, card_free_ns_);
  }
  return next;
}

void InjectedDelay::set_timer() {
  timer_ns_ = next_event_ns();
  itimerspec when = {};  // zero: no timer; setting it also takes back what has expired
  when.it_value.tv_sec = static_cast<time_t>(timer_ns_ / kNanosecondsPerSecond);
  when.it_value.tv_nsec = static_cast<long>(timer_ns_ % kNanosecondsPerSecond);
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace weft

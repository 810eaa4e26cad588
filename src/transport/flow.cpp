// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/flow.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

// The room of an assembled message is kept for the next one, up to this: to let it grow for each
// would copy long messages twice.
constexpr std::size_t kKeptBytes = 2UL << 20;

std::size_t index_of(Channel channel) { return static_cast<std::size_t>(channel); }

std::size_t total_bytes(const MessageSegments& segments) {
  std::size_t total = 0;
  for (const MessageSegment& segment : segments) total += segment.bytes().size();
  return total;
}

// The pieces of the segments that make up the bytes [begin, begin + count).
std::vector<ByteView> cut(const MessageSegments& segments, std::size_t begin, std::size_t count) {
  std::vector<ByteView> pieces;
  pieces.reserve(segments.size());
  for (const MessageSegment& segment : segments) {
    const ByteView bytes = segment.bytes();
    if (begin >= bytes.size()) {
      begin -= bytes.size();
      continue;
    }
    const std::size_t here = std::min(count, bytes.size() - begin);
    if (here == 0) break;
    pieces.push_back(bytes.subspan(begin, here));
    begin = 0;
    count -= here;
  }
  return pieces;
}

}  // namespace

Flow::Flow(NodeId self, NodeId peer, const FlowOptions& options, TransportCounters& counters)
    : self_(self), peer_(peer), options_(options), counters_(counters) {
  options_.window_bytes = std::max<std::size_t>(options_.window_bytes, 2);
  options_.frame_bytes =
      std::clamp<std::size_t>(options_.frame_bytes, 1, options_.window_bytes / 2);
}

void Flow::enqueue(Channel channel, MessageSegments segments, Loudness loudness) {
  auto message = std::make_shared<OutgoingMessage>();
  message->bytes = total_bytes(segments);
  message->loudness = loudness;
  message->segments = std::move(segments);
  ++counters_.messages_sent[index_of(channel)];
  counters_.bytes_sent[index_of(channel)] += message->bytes;
  queues_[index_of(channel)].push_back(Queued{std::move(message), 0});
}

std::size_t Flow::next_bytes(const Queued& queued) const {
  return std::min(queued.message->bytes - queued.sent_bytes, options_.frame_bytes);
}

bool Flow::window_open() const {
  const std::uint64_t outstanding = data_sent_ - data_acknowledged_;
  return outstanding == 0 || outstanding + next_bytes(queues_[1].front()) <= options_.window_bytes;
}

// Whoever is not woken acknowledges nothing, and quiet frames would fill the window.
bool Flow::is_half_full() const {
  return data_sent_ - data_acknowledged_ >= options_.window_bytes / 2;
}

bool Flow::acknowledgement_due() const {
  return data_consumed_ - consumed_reported_ >= options_.window_bytes / 2;
}

bool Flow::has_frame() const {
  return !queues_[0].empty() || (!queues_[1].empty() && window_open()) || acknowledgement_due();
}

void Flow::stamp(FrameHeader& header) const {
  header.from = self_;
  header.acknowledged_bytes = data_consumed_;
}

Frame Flow::take_frame(Channel channel) {
  std::deque<Queued>& queue = queues_[index_of(channel)];
  Queued& queued = queue.front();
  Frame frame;
  frame.bytes = next_bytes(queued);
  frame.pieces = cut(queued.message->segments, queued.sent_bytes, frame.bytes);
  frame.message = queued.message;
  frame.header.channel = channel;
  frame.header.sequence = next_sequence_[index_of(channel)]++;
  stamp(frame.header);
  queued.sent_bytes += frame.bytes;
  if (channel == Channel::kData) data_sent_ += frame.bytes;
  const bool fills = channel == Channel::kData && is_half_full();
  frame.loudness = fills ? Loudness::kLoud : queued.message->loudness;
  if (frame.loudness == Loudness::kLoud) consumed_reported_ = data_consumed_;
  frame.header.last = queued.sent_bytes == queued.message->bytes ? 1 : 0;
  if (frame.header.last != 0) queue.pop_front();
  return frame;
}

std::optional<Frame> Flow::next_frame() {
  if (!queues_[0].empty()) return take_frame(Channel::kControl);
  if (!queues_[1].empty() && window_open()) return take_frame(Channel::kData);
  if (!acknowledgement_due()) return std::nullopt;
  Frame frame;
  frame.header.acknowledgement_only = 1;
  stamp(frame.header);
  consumed_reported_ = data_consumed_;
  ++counters_.acknowledgements_sent;
  return frame;
}

bool Flow::is_possible(const FrameHeader& header) const {
  if (header.from != peer_ || header.acknowledged_bytes > data_sent_) return false;
  if (header.acknowledgement_only != 0) return true;
  return index_of(header.channel) < std::size(incoming_) &&
         header.sequence >= incoming_[index_of(header.channel)].next_sequence;
}

std::size_t Flow::on_frame(const FrameHeader& header, ByteView payload, const Receiver& receiver) {
  WEFT_ASSERT(
      is_possible(header),
      "a frame that cannot be came from node {}: node {}, channel {}, sequence {}, {} bytes "
      "acknowledged",
      peer_.value(), header.from.value(), static_cast<int>(header.channel), header.sequence,
      header.acknowledged_bytes);
  data_acknowledged_ = std::max(data_acknowledged_, header.acknowledged_bytes);
  if (header.acknowledgement_only != 0) return 0;

  Incoming& incoming = incoming_[index_of(header.channel)];
  if (header.sequence != incoming.next_sequence) {
    incoming.early.emplace(header.sequence,
                           std::pair(header, Bytes(payload.begin(), payload.end())));
    return 0;
  }
  std::size_t handed_over = accept(header, payload, receiver);
  while (!incoming.early.empty() && incoming.early.begin()->first == incoming.next_sequence) {
    const auto next = incoming.early.extract(incoming.early.begin());
    handed_over += accept(next.mapped().first, next.mapped().second, receiver);
  }
  return handed_over;
}

std::size_t Flow::accept(const FrameHeader& header, ByteView payload, const Receiver& receiver) {
  const std::size_t channel = index_of(header.channel);
  Incoming& incoming = incoming_[channel];
  ++incoming.next_sequence;
  if (header.channel == Channel::kData) data_consumed_ += payload.size();

  const bool whole = header.last != 0 && incoming.partial.empty();
  if (!whole) incoming.partial.insert(incoming.partial.end(), payload.begin(), payload.end());
  if (header.last == 0) return 0;

  ++counters_.messages_received[channel];
  if (whole) {
    counters_.bytes_received[channel] += payload.size();
    receiver(peer_, payload);
    return 1;
  }
  Bytes assembled = std::exchange(incoming.partial, {});
  counters_.bytes_received[channel] += assembled.size();
  receiver(peer_, assembled);
  if (assembled.capacity() > kKeptBytes) return 1;
  assembled.clear();
  incoming.partial = std::move(assembled);
  return 1;
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/stream/stream_frames.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

bool makes_sense(const StreamFrameHeader& header) {
  const FrameHeader& frame = header.frame;
  if (header.kind == StreamFrameKind::kWelcome || header.kind == StreamFrameKind::kConfirm) {
    return header.payload_bytes == 0;
  }
  if (header.kind != StreamFrameKind::kFrame || header.payload_bytes > kMaxStreamPayload) {
    return false;
  }
  const bool is_bare = frame.acknowledgement_only != 0;
  return frame.channel <= Channel::kData && frame.last <= 1 && frame.acknowledgement_only <= 1 &&
         (!is_bare || header.payload_bytes == 0);
}

}  // namespace

void append_header(Bytes& out, const StreamFrameHeader& header) {
  const auto* const first = reinterpret_cast<const std::byte*>(&header);
  out.insert(out.end(), first, first + sizeof header);
}

std::span<std::byte> StreamFrameDecoder::room(std::size_t least) {
  const std::size_t held = end_ - begin_;
  if (begin_ == end_) begin_ = end_ = 0;
  if (capacity_ - end_ < least) {
    const std::size_t wanted = std::max(capacity_, std::max<std::size_t>(held + least, 4096));
    const std::size_t larger = wanted > capacity_ ? wanted + held : capacity_;
    auto moved = larger > capacity_ ? std::make_unique_for_overwrite<std::byte[]>(larger) : nullptr;
    std::byte* const to = moved ? moved.get() : buffer_.get();
    if (held > 0) std::memmove(to, buffer_.get() + begin_, held);
    if (moved) buffer_ = std::move(moved);
    capacity_ = larger;
    begin_ = 0;
    end_ = held;
  }
  return {buffer_.get() + end_, capacity_ - end_};
}

void StreamFrameDecoder::append(ByteView bytes) {
  if (bytes.empty()) return;
  std::memcpy(room(bytes.size()).data(), bytes.data(), bytes.size());
  filled(bytes.size());
}

std::optional<StreamFrameDecoder::Decoded> StreamFrameDecoder::next() {
  Decoded decoded;
  if (!good_ || end_ - begin_ < sizeof decoded.header) return std::nullopt;
  std::memcpy(&decoded.header, buffer_.get() + begin_, sizeof decoded.header);
  good_ = makes_sense(decoded.header);
  const std::size_t bytes = sizeof decoded.header + decoded.header.payload_bytes;
  if (!good_ || end_ - begin_ < bytes) return std::nullopt;
  decoded.payload = {buffer_.get() + begin_ + sizeof decoded.header, decoded.header.payload_bytes};
  begin_ += bytes;
  return decoded;
}

}  // namespace weft

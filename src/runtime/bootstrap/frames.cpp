// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/bootstrap/frames.hpp"

#include "base/codec.hpp"

namespace weft {
namespace {

constexpr std::size_t kLengthBytes = 8;

}  // namespace

Bytes encode_frame(std::uint8_t kind, ByteView body) {
  Bytes frame;
  ByteWriter writer(frame);
  writer.u64(body.size() + 1);
  writer.u8(kind);
  writer.raw(body);
  return frame;
}

void FrameReader::append(ByteView received) {
  // What has been handed out makes room, but is not moved for each frame.
  if (begin_ > buffer_.size() / 2) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  buffer_.insert(buffer_.end(), received.begin(), received.end());
}

std::optional<StreamFrame> FrameReader::next() {
  const ByteView rest = ByteView(buffer_).subspan(begin_);
  if (!good_ || rest.size() < kLengthBytes) return std::nullopt;
  const std::uint64_t length = ByteReader(rest).u64();
  if (length == 0 || length > kMaxFrameBytes) {
    good_ = false;
    return std::nullopt;
  }
  if (rest.size() - kLengthBytes < length) return std::nullopt;
  const ByteView content = rest.subspan(kLengthBytes, length);
  begin_ += kLengthBytes + length;
  return StreamFrame{static_cast<std::uint8_t>(content[0]),
                     Bytes(content.begin() + 1, content.end())};
}

}  // namespace weft

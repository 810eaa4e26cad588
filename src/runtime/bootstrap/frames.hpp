// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames on a stream of bytes between the parts of a launcher and its nodes: a length in 8 bytes,
// little endian, and then that many bytes, the first of which is the kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"

namespace weft {

// The longest frame that is believed; what says otherwise speaks another language.
inline constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{1} << 28;

struct StreamFrame {
  std::uint8_t kind = 0;
  Bytes body;
};

// The frame as it goes on the stream.
[[nodiscard]] Bytes encode_frame(std::uint8_t kind, ByteView body);

// Cuts what comes from the stream into frames.
class FrameReader {
 public:
  void append(ByteView received);
  // The next whole frame, if there is one.
  [[nodiscard]] std::optional<StreamFrame> next();
  // False once a length came that cannot be.
  [[nodiscard]] bool good() const { return good_; }

 private:
  Bytes buffer_;
  std::size_t begin_ = 0;  // of what has not been handed out
  bool good_ = true;
};

}  // namespace weft

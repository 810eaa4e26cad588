// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes over a connection whose two ends have proved who they are: frames, each a header of 32
// bytes and its payload. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "transport/flow.hpp"

namespace weft {

enum class StreamFrameKind : std::uint8_t {
  kWelcome = 1,  // by who was called: this is the connection to the caller
  kConfirm = 2,  // by the caller: it is; now both may send frames
  kFrame = 3,
};

struct StreamFrameHeader {
  std::uint32_t payload_bytes = 0;
  StreamFrameKind kind = StreamFrameKind::kFrame;
  std::uint8_t unused[3] = {};
  FrameHeader frame;  // of kFrame
};
static_assert(sizeof(StreamFrameHeader) == 32);

// Longer ones are not believed: no flow makes them.
inline constexpr std::size_t kMaxStreamPayload = 128 * 1024;

// Appends the header's bytes.
void append_header(Bytes& out, const StreamFrameHeader& header);

// Cuts the bytes of a connection into frames.
class StreamFrameDecoder {
 public:
  struct Decoded {
    StreamFrameHeader header;
    ByteView payload;  // until room() is called the next time
  };

  // Room for at least so many bytes; filled() says how many have come.
  [[nodiscard]] std::span<std::byte> room(std::size_t least);
  void filled(std::size_t bytes) { end_ += bytes; }
  void append(ByteView bytes);

  // The next whole frame, if there is one.
  [[nodiscard]] std::optional<Decoded> next();
  // False once a header came that no node sends; nothing more is decoded then.
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0;
  bool good_ = true;
};

}  // namespace weft

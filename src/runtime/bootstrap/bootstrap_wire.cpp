// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/bootstrap/bootstrap_wire.hpp"

namespace weft {
namespace {

constexpr std::size_t kLengthBytes = 8;

}  // namespace

Bytes encode_bootstrap_message(BootstrapMessage kind, ByteView body) {
  Bytes message;
  ByteWriter writer(message);
  writer.u64(body.size() + 1);
  writer.u8(static_cast<std::uint8_t>(kind));
  writer.raw(body);
  return message;
}

std::optional<std::pair<BootstrapMessage, Bytes>> BootstrapReader::next() {
  if (!good_ || buffer_.size() < kLengthBytes) return std::nullopt;
  const std::uint64_t length = ByteReader(buffer_).u64();
  if (length == 0 || length > kMaxBootstrapMessageBytes) {
    good_ = false;
    return std::nullopt;
  }
  if (buffer_.size() < kLengthBytes + length) return std::nullopt;
  const auto first = buffer_.begin() + kLengthBytes;
  const auto end = first + static_cast<std::ptrdiff_t>(length);
  std::pair result(static_cast<BootstrapMessage>(*first), Bytes(first + 1, end));
  buffer_.erase(buffer_.begin(), end);
  return result;
}

}  // namespace weft

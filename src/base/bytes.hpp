// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing and reading messages: little-endian fixed integers, LEB128 variable ones, byte strings.
// A reader never runs past its end: it turns bad instead, and says so once at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace weft {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }
  void u64(std::uint64_t value) { raw(std::as_bytes(std::span(&value, 1))); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
    u8(static_cast<std::uint8_t>(value));
  }
  void raw(ByteView bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  // A length and then the bytes.
  void string(ByteView bytes) {
    varint(bytes.size());
    raw(bytes);
  }

 private:
  Bytes& out_;
};

class ByteReader {
 public:
  explicit ByteReader(ByteView in) : in_(in) {}

  std::uint8_t u8() {
    const ByteView bytes = raw(1);
    return bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes[0]);
  }
  std::uint64_t u64() {
    std::uint64_t value = 0;
    const ByteView bytes = raw(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = u8();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    good_ = false;
    return 0;
  }
  // The next `count` bytes, or an empty view (and the reader turns bad) if there are fewer.
  ByteView raw(std::size_t count) {
    if (!good_ || count > in_.size()) {
      good_ = false;
      return {};
    }
    const ByteView result = in_.first(count);
    in_ = in_.subspan(count);
    return result;
  }
  ByteView string() { return raw(varint()); }

  [[nodiscard]] std::size_t remaining() const { return in_.size(); }
  // False once anything was read that was not there.
  [[nodiscard]] bool good() const { return good_; }
  // True when everything was read and all of it was there.
  [[nodiscard]] bool finished() const { return good_ && in_.empty(); }

 private:
  ByteView in_;
  bool good_ = true;
};

}  // namespace weft

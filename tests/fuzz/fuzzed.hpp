// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fuzzers share. Each takes any bytes for something that has come from outside the
// process, and asserts what must hold of all of it. The sanitizers see the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/codec.hpp"

namespace weft::fuzzed {

[[nodiscard]] inline ByteView input(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}
[[nodiscard]] inline std::string_view text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Takes one byte away, by which the fuzzer chooses; 0 if there is none.
[[nodiscard]] inline unsigned choice(ByteView& bytes) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<unsigned>(bytes.front());
  bytes = bytes.subspan(1);
  return first;
}

// Hands `take` the bytes in pieces, as a network cuts them; each piece's length stands before it.
template <typename Take>
void in_pieces(ByteView bytes, const Take& take) {
  while (!bytes.empty()) {
    const std::size_t length = std::min<std::size_t>(choice(bytes) + 1, bytes.size());
    if (length != 0) take(bytes.first(length));
    bytes = bytes.subspan(length);
  }
}

// What is taken for a value can be sent again, and is taken for the same number of bytes then.
template <typename Value>
void check_value(ByteView bytes) {
  const auto value = from_bytes<Value>(bytes);
  if (!value) return;
  const Bytes sent = to_bytes(*value);
  const auto again = from_bytes<Value>(sent);
  WEFT_ASSERT(again.has_value() && to_bytes(*again) == sent, "a value changes when it is sent");
}

// The first byte chooses which of the types the others are taken for.
template <typename... Values>
void check_one_of(ByteView bytes) {
  using Check = void (*)(ByteView);
  constexpr Check kChecks[] = {check_value<Values>...};
  const unsigned which = choice(bytes);
  kChecks[which % sizeof...(Values)](bytes);
}

}  // namespace weft::fuzzed

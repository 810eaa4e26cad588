// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run's history as one hash, and as text for those who ask.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace weft::sim {

class Trace {
 public:
  // Receives each line; null: only the hash is kept.
  std::function<void(const std::string&)> print;

  template <typename... Values>
  void note(std::uint64_t kind, Values... values) {
    mix(kind);
    (mix(static_cast<std::uint64_t>(values)), ...);
  }
  void note_bytes(ByteView bytes) {
    mix(bytes.size());
    std::uint64_t word = 0;
    std::size_t at = 0;
    for (; at + sizeof word <= bytes.size(); at += sizeof word) {
      std::memcpy(&word, bytes.data() + at, sizeof word);
      mix(word);
    }
    for (; at < bytes.size(); ++at) mix(static_cast<std::uint64_t>(bytes[at]));
  }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  void mix(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9fb21c651e98df25U;
    hash_ ^= hash_ >> 29;
  }

  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace weft::sim

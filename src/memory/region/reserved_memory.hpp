// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private zero-filled memory that costs nothing until it is touched: one anonymous mapping. Tables
// with an entry for every page of a 64 GiB region live here, so that pages never accessed are free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"

namespace weft {

class ReservedMemory {
 public:
  [[nodiscard]] static Result<ReservedMemory> create(std::uint64_t bytes);

  ReservedMemory() = default;
  ReservedMemory(ReservedMemory&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ReservedMemory& operator=(ReservedMemory&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ReservedMemory();

  [[nodiscard]] std::byte* begin() const { return begin_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  ReservedMemory(std::byte* begin, std::uint64_t bytes) : begin_(begin), bytes_(bytes) {}

  std::byte* begin_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace weft

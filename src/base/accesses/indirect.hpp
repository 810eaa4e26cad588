// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where values that a loop loads lead, as the compiler says it (struct weft_indirection). Any
// numbers may come, and any values. A header alone, as strided.hpp.
//
// Memory from which values are read is of a type with
//     std::span<const std::byte> at(std::uintptr_t address);
// the bytes from there on, as far as they are to be had at once; none if there are none. They are
// there until the next call; copies of the object do not touch each other's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/accesses/strided.hpp"
#include "base/addresses.hpp"
#include "base/compiler_abi.h"

namespace weft {

// Calls visit(first, end) for each stretch of the memory without gaps, until that says false.
template <typename Visit>
bool for_each_stretch(std::uintptr_t first, std::uint64_t bytes,
                      std::span<const Strided::Dimension> dimensions, Visit visit) {
  while (!dimensions.empty() && dimensions.front().stride == bytes) {
    bytes *= dimensions.front().count;
    dimensions = dimensions.subspan(1);
  }
  if (dimensions.empty()) return visit(first, first + bytes);
  const auto& [stride, count] = dimensions.back();
  for (std::uint64_t index = 0; index < count; ++index) {
    if (!for_each_stretch(first + stride * index, bytes, dimensions.first(dimensions.size() - 1),
                          visit)) {
      return false;
    }
  }
  return true;
}

// Of one indirection.
template <typename Memory>
class Leads {
 public:
  Leads(const weft_indirection& how, const Memory& memory)
      : how_(how), memory_(memory), others_(memory) {}

  // Calls visit(first, end) for the memory to which each value in [first, end) leads, until that
  // says false. Values that are not to be had, and empty rows, lead nowhere.
  template <typename Visit>
  void follow(std::uintptr_t first, std::uintptr_t end, Visit visit) {
    if (how_.step <= 0) return;
    switch (how_.loaded) {
      case 1:
        return follow_values<std::uint8_t>(first, end, visit);
      case -1:
        return follow_values<std::int8_t>(first, end, visit);
      case 2:
        return follow_values<std::uint16_t>(first, end, visit);
      case -2:
        return follow_values<std::int16_t>(first, end, visit);
      case 4:
        return follow_values<std::uint32_t>(first, end, visit);
      case -4:
        return follow_values<std::int32_t>(first, end, visit);
      case 8:
      case -8:
        return follow_values<std::uint64_t>(first, end, visit);
      default:
        return;
    }
  }

 private:
  template <typename Value, typename Visit>
  void follow_values(std::uintptr_t first, std::uintptr_t end, Visit visit) {
    const auto step = static_cast<std::uint64_t>(how_.step);
    for (std::uintptr_t at = first; at < end && end - at >= sizeof(Value);) {
      const std::span<const std::byte> here = memory_.at(at);
      if (here.size() < sizeof(Value)) {
        // On with the first one in the next page.
        const std::uint64_t left = kPageBytes - at % kPageBytes;
        if (__builtin_add_overflow(at, (left + step - 1) / step * step, &at)) return;
        continue;
      }
      const std::uint64_t bytes = std::min<std::uint64_t>(here.size(), end - at);
      const std::uint64_t count = (bytes - sizeof(Value)) / step + 1;
      for (std::uint64_t index = 0; index < count; ++index) {
        Value value;
        std::memcpy(&value, here.data() + index * step, sizeof value);
        if (!lead(at + index * step, static_cast<std::uint64_t>(value), visit)) return;
      }
      if (__builtin_add_overflow(at, count * step, &at)) return;
    }
  }

  template <typename Visit>
  bool lead(std::uintptr_t place, std::uint64_t value, Visit visit) {
    const std::uint64_t first = how_.base + static_cast<std::uint64_t>(how_.scale) * value;
    auto bytes = static_cast<std::uint64_t>(how_.bytes);
    if (how_.counted != 0) {
      const auto upper = counted(place + static_cast<std::uint64_t>(how_.upper));
      const auto lower = how_.lower == WEFT_NO_LOWER
                             ? std::optional<std::uint64_t>(0)
                             : counted(place + static_cast<std::uint64_t>(how_.lower));
      if (!upper || !lower) return true;
      const std::uint64_t eighths = static_cast<std::uint64_t>(how_.rate) * (*upper - *lower);
      bytes += static_cast<std::uint64_t>(static_cast<std::int64_t>(eighths) >> 3);
    }
    const bool is_sensible = bytes - 1 < Strided::kMostBytes && first + bytes > first;
    return !is_sensible || visit(first, first + bytes);
  }

  std::optional<std::uint64_t> counted(std::uintptr_t place) {
    const std::span<const std::byte> here = others_.at(place);
    switch (how_.counted) {
      case 2:
        return value_in<std::uint16_t>(here);
      case -2:
        return value_in<std::int16_t>(here);
      case 4:
        return value_in<std::uint32_t>(here);
      case -4:
        return value_in<std::int32_t>(here);
      case 8:
      case -8:
        return value_in<std::uint64_t>(here);
      default:
        return std::nullopt;
    }
  }
  template <typename Value>
  static std::optional<std::uint64_t> value_in(std::span<const std::byte> here) {
    Value value;
    if (here.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, here.data(), sizeof value);
    return static_cast<std::uint64_t>(value);
  }

  const weft_indirection& how_;
  Memory memory_, others_;  // of the values, and of those that count
};

// Calls visit(first, end) for all memory to which values in [first, end) lead, by these
// indirections one after the other, until that says false. Needs no memory of its own.
template <typename Memory, typename Visit>
bool follow_all(std::uintptr_t first, std::uintptr_t end, std::span<const weft_indirection> how,
                const Memory& memory, Visit& visit) {
  if (how.empty()) return visit(first, end);
  bool goes_on = true;
  Leads<Memory>(how.front(), memory)
      .follow(first, end, [&](std::uintptr_t at, std::uintptr_t behind) {
        return goes_on = follow_all(at, behind, how.subspan(1), memory, visit);
      });
  return goes_on;
}

}  // namespace weft

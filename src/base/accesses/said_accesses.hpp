// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses that the compiler says in one call (struct weft_uses), one after the other. A header
// alone, as strided.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/compiler_abi.h"

namespace weft {

// The arguments of __weft_prefetch.
struct SaidAccess {
  std::uintptr_t first = 0;
  std::uint64_t bytes = 0;
  std::span<const weft_stride> strides;
  std::uint32_t use = WEFT_USE_LOADS;
};

// The numbers of one call, in their order.
class SaidNumbers {
 public:
  SaidNumbers(const weft_uses& uses, const std::uint64_t* values)
      : constants_(uses.constants),
        values_(values),
        code_(reinterpret_cast<const std::uint8_t*>(uses.constants + uses.constant_count)) {}

  [[nodiscard]] std::uintptr_t place() const { return reinterpret_cast<std::uintptr_t>(code_); }
  std::uint8_t byte() { return *code_++; }
  // As deep as the compiler has nested it: it sees to that
  // (compiler/pass/prefetch_calls/formulas.hpp).
  std::uint64_t number() {
    const std::uint8_t code = byte();
    if (code < WEFT_FORMULA) return values_[code];
    return code < WEFT_CONSTANT ? result(code) : constants_[code - WEFT_CONSTANT];
  }

 private:
  std::uint64_t result(std::uint8_t formula) {
    switch (formula) {
      case WEFT_SMALL:
        return static_cast<std::uint64_t>(static_cast<std::int8_t>(byte()));
      case WEFT_ADD_SMALL: {
        const auto small = static_cast<std::int8_t>(byte());
        return number() + static_cast<std::uint64_t>(small);
      }
      case WEFT_EIGHTFOLD:
        return 8 * number();
      case WEFT_LOAD:
        return loaded<std::uint64_t>();
      case WEFT_LOAD_INT:
        return static_cast<std::uint64_t>(loaded<std::int32_t>());
      case WEFT_KEEP: {
        std::uint64_t& kept = kept_.at(kept_count_++);
        return kept = number();
      }
      case WEFT_KEPT:
        return kept_.at(byte());
      default:
        break;
    }
    const std::uint64_t first = number(), second = number();
    const bool in_order = static_cast<std::int64_t>(first) < static_cast<std::int64_t>(second);
    switch (formula) {
      case WEFT_ADD:
        return first + second;
      case WEFT_SUBTRACT:
        return first - second;
      case WEFT_MULTIPLY:
        return first * second;
      case WEFT_DIVIDE:
        return second == 0 ? 0 : first / second;
      case WEFT_SMALLER:
        return in_order ? first : second;
      default:
        return in_order ? second : first;
    }
  }
  template <typename T>
  T loaded() {
    const std::size_t at = byte();
    T value;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(number()) + (at * sizeof value),
                sizeof value);
    return value;
  }

  const std::uint64_t* constants_;
  const std::uint64_t* values_;
  const std::uint8_t* code_;
  std::array<std::uint64_t, WEFT_MOST_KEPT> kept_;  // not before they are kept
  std::size_t kept_count_ = 0;
};

// Calls visit(place, access) for each; `place` is an address that no other access has.
template <typename Visit>
void for_each_access(const weft_uses& uses, const std::uint64_t* values, Visit visit) {
  SaidNumbers numbers(uses, values);
  for (std::uint32_t left = uses.access_count; left > 0; --left) {
    const std::uintptr_t place = numbers.place();
    SaidAccess access;
    std::array<weft_stride, WEFT_MOST_STRIDES> strides;
    access.use = numbers.byte();
    const std::size_t count = numbers.byte();
    access.first = numbers.number();
    access.bytes = numbers.number();
    for (weft_stride& each : std::span(strides).first(count)) {
      each.bytes = static_cast<std::int64_t>(numbers.number());
      each.count = numbers.number();
    }
    access.strides = std::span(strides).first(count);
    visit(place, access);
  }
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The atomic operations and types of weft/remote.h, in the words of base/atomic_operation.hpp. A
// header alone, for libweft.so.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "base/atomic_operation.hpp"
#include "include/weft/remote.h"

namespace weft::remote {

struct AtomicKind {
  AtomicOperation operation = AtomicOperation::kLoad;
  AtomicType type = AtomicType::kInteger;
  std::uint8_t bytes = 0;
  bool has_operand = true;
};

namespace detail {
using enum AtomicOperation;
struct AtomicRow {
  AtomicOperation of_signed, of_unsigned, of_float;  // kLoad: none
};
// By weft_atomic_op.
inline constexpr AtomicRow kAtomicRows[] = {{kLoad, kLoad, kLoad},
                                            {kStore, kStore, kStore},
                                            {kExchange, kExchange, kExchange},
                                            {kCompareExchange, kCompareExchange, kCompareExchange},
                                            {kAdd, kAdd, kFloatAdd},
                                            {kSubtract, kSubtract, kFloatSubtract},
                                            {kAnd, kAnd, kLoad},
                                            {kNand, kNand, kLoad},
                                            {kOr, kOr, kLoad},
                                            {kXor, kXor, kLoad},
                                            {kMax, kUnsignedMax, kFloatMax},
                                            {kMin, kUnsignedMin, kFloatMin}};
inline constexpr std::uint8_t kBytesOfType[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
}  // namespace detail

[[nodiscard]] constexpr std::uint8_t bytes_of(weft_type type) {
  return type >= WEFT_INT8 && type <= WEFT_DOUBLE ? detail::kBytesOfType[type] : 0;
}

// Nothing: there is no such operation on the type.
[[nodiscard]] constexpr std::optional<AtomicKind> atomic_kind(weft_atomic_op operation,
                                                              weft_type type) {
  using enum AtomicOperation;
  const std::uint8_t bytes = bytes_of(type);
  if (bytes == 0 || operation < WEFT_OP_LOAD || operation > WEFT_OP_MIN) return std::nullopt;
  const bool is_float = type >= WEFT_FLOAT, is_unsigned = type >= WEFT_UINT8 && !is_float;
  const detail::AtomicRow& row = detail::kAtomicRows[operation];
  const AtomicOperation chosen =
      is_float ? row.of_float : (is_unsigned ? row.of_unsigned : row.of_signed);
  if (chosen == kLoad && operation != WEFT_OP_LOAD) return std::nullopt;
  const AtomicType kind = !is_float            ? AtomicType::kInteger
                          : type == WEFT_FLOAT ? AtomicType::kFloat
                                               : AtomicType::kDouble;
  return AtomicKind{chosen, kind, bytes, chosen != kLoad};
}

// Of 1, 2, 4 or 8 bytes.
inline void copy_number(void* to, const void* from, std::uint8_t bytes) {
  if (bytes == 8)
    std::memcpy(to, from, 8);
  else if (bytes == 4)
    std::memcpy(to, from, 4);
  else if (bytes == 2)
    std::memcpy(to, from, 2);
  else
    std::memcpy(to, from, 1);
}

}  // namespace weft::remote

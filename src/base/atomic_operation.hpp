// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each atomic operation makes of a number in memory: the one definition, for one node
// (src/start), for several (src/memory, src/protocol) and for the simulator. The reference is what
// clang makes of LLVM's atomicrmw on x86-64; tests/atomics compares all of them with that.
//
// A header alone, and of the C++ library nothing but headers: libweft.so includes it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/compiler_abi.h"

namespace weft {

enum class AtomicOperation : std::uint8_t {
  kLoad = WEFT_ATOMIC_LOAD,
  kStore = WEFT_ATOMIC_STORE,
  kExchange = WEFT_ATOMIC_EXCHANGE,
  kCompareExchange = WEFT_ATOMIC_COMPARE_EXCHANGE,
  kAdd = WEFT_ATOMIC_ADD,
  kSubtract = WEFT_ATOMIC_SUBTRACT,
  kAnd = WEFT_ATOMIC_AND,
  kNand = WEFT_ATOMIC_NAND,
  kOr = WEFT_ATOMIC_OR,
  kXor = WEFT_ATOMIC_XOR,
  kMax = WEFT_ATOMIC_MAX,
  kMin = WEFT_ATOMIC_MIN,
  kUnsignedMax = WEFT_ATOMIC_UNSIGNED_MAX,
  kUnsignedMin = WEFT_ATOMIC_UNSIGNED_MIN,
  kIncrementWrap = WEFT_ATOMIC_INCREMENT_WRAP,
  kDecrementWrap = WEFT_ATOMIC_DECREMENT_WRAP,
  kSubtractConditional = WEFT_ATOMIC_SUBTRACT_CONDITIONAL,
  kSubtractSaturate = WEFT_ATOMIC_SUBTRACT_SATURATE,
  kFloatAdd = WEFT_ATOMIC_FLOAT_ADD,
  kFloatSubtract = WEFT_ATOMIC_FLOAT_SUBTRACT,
  kFloatMax = WEFT_ATOMIC_FLOAT_MAX,
  kFloatMin = WEFT_ATOMIC_FLOAT_MIN,
};

enum class AtomicType : std::uint8_t {
  kInteger = WEFT_TYPE_INTEGER,
  kHalf = WEFT_TYPE_HALF,
  kBFloat = WEFT_TYPE_BFLOAT,
  kFloat = WEFT_TYPE_FLOAT,
  kDouble = WEFT_TYPE_DOUBLE,
  kX87 = WEFT_TYPE_X87,
  kQuad = WEFT_TYPE_QUAD,
};

__extension__ using Word128 = unsigned __int128;
__extension__ using SignedWord128 = __int128;

template <typename Word>
using SignedWord =
    typename std::conditional_t<std::is_same_v<Word, Word128>, std::type_identity<SignedWord128>,
                                std::make_signed<Word>>::type;

// False if the operation is not one of integers.
template <typename Word>
[[nodiscard]] bool change_integer(AtomicOperation operation, Word& value, Word operand) {
  const bool less = static_cast<SignedWord<Word>>(value) < static_cast<SignedWord<Word>>(operand);
  const Word old = value;
  switch (operation) {
    case AtomicOperation::kAdd:
      value = static_cast<Word>(old + operand);
      return true;
    case AtomicOperation::kSubtract:
      value = static_cast<Word>(old - operand);
      return true;
    case AtomicOperation::kAnd:
      value = old & operand;
      return true;
    case AtomicOperation::kNand:
      value = static_cast<Word>(~(old & operand));
      return true;
    case AtomicOperation::kOr:
      value = old | operand;
      return true;
    case AtomicOperation::kXor:
      value = old ^ operand;
      return true;
    case AtomicOperation::kMax:
      value = less ? operand : old;
      return true;
    case AtomicOperation::kMin:
      value = less ? old : operand;
      return true;
    case AtomicOperation::kUnsignedMax:
      value = old < operand ? operand : old;
      return true;
    case AtomicOperation::kUnsignedMin:
      value = old < operand ? old : operand;
      return true;
    case AtomicOperation::kIncrementWrap:
      value = old >= operand ? Word{0} : static_cast<Word>(old + 1);
      return true;
    case AtomicOperation::kDecrementWrap:
      value = old == 0 || old > operand ? operand : static_cast<Word>(old - 1);
      return true;
    case AtomicOperation::kSubtractConditional:
      value = old >= operand ? static_cast<Word>(old - operand) : old;
      return true;
    case AtomicOperation::kSubtractSaturate:
      value = old >= operand ? static_cast<Word>(old - operand) : Word{0};
      return true;
    default:
      return false;
  }
}

// False if the operation is not one of floating point numbers.
//
// Maximum and minimum are C's fmax and fmin: a number beats a NaN. Of two numbers that compare
// equal, which are +0 and -0, the one in memory stays. The compiler's code does so for all types
// but half, for which it calls fmaxf; of two zeros that may give either.
template <typename Float>
[[nodiscard]] bool change_float(AtomicOperation operation, Float& value, Float operand) {
  switch (operation) {
    case AtomicOperation::kFloatAdd:
      value = value + operand;
      return true;
    case AtomicOperation::kFloatSubtract:
      value = value - operand;
      return true;
    case AtomicOperation::kFloatMax:
      value = value != value || operand > value ? operand : value;
      return true;
    case AtomicOperation::kFloatMin:
      value = value != value || operand < value ? operand : value;
      return true;
    default:
      return false;
  }
}

// The number is the first bytes of the word; the others (x87's padding) stay.
template <typename Float, std::size_t kBytes, typename Word>
[[nodiscard]] bool change_bytes(AtomicOperation operation, Word& word, Word operand) {
  if constexpr (kBytes > sizeof(Word) || sizeof(Float) != sizeof(Word)) {
    return false;  // no number of this type has the size
  } else {
    Float left = 0;
    Float right = 0;
    std::memcpy(&left, &word, kBytes);
    std::memcpy(&right, &operand, kBytes);
    const bool changed = change_float(operation, left, right);
    std::memcpy(&word, &left, kBytes);
    return changed;
  }
}

// bfloat16 is the upper half of a float. GCC's support library, which is what clang links with on
// Debian 12, has no conversion to it, so it is done here: to nearest, ties to even; a NaN stays
// one.
template <typename Word>
[[nodiscard]] bool change_bfloat(AtomicOperation operation, Word& word, Word operand) {
  if constexpr (sizeof(Word) != 2) {
    return false;
  } else {
    float value = std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
    const float other = std::bit_cast<float>(static_cast<std::uint32_t>(operand) << 16);
    const bool changed = change_float(operation, value, other);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    word = value != value ? static_cast<Word>(bits >> 16 | 0x40)
                          : static_cast<Word>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    return changed;
  }
}

// What memory that holds `word` holds after the operation; of a compare-exchange, if it exchanges.
// False, and nothing changes, if there is no such operation on a word of this type and size.
template <typename Word>
[[nodiscard]] bool change_word(AtomicOperation operation, AtomicType type, Word& word,
                               Word operand) {
  switch (operation) {
    case AtomicOperation::kLoad:
      return true;
    case AtomicOperation::kStore:
    case AtomicOperation::kExchange:
    case AtomicOperation::kCompareExchange:
      word = operand;
      return true;
    default:
      break;
  }
  switch (type) {
    case AtomicType::kInteger:
      return change_integer(operation, word, operand);
    case AtomicType::kHalf:
      return change_bytes<_Float16, 2>(operation, word, operand);
    case AtomicType::kBFloat:
      return change_bfloat(operation, word, operand);
    case AtomicType::kFloat:
      return change_bytes<float, 4>(operation, word, operand);
    case AtomicType::kDouble:
      return change_bytes<double, 8>(operation, word, operand);
#if defined(__x86_64__)
    case AtomicType::kX87:
      return change_bytes<long double, 10>(operation, word, operand);
    case AtomicType::kQuad:
      return change_bytes<__float128, 16>(operation, word, operand);
#else
    case AtomicType::kX87:
      return false;
    case AtomicType::kQuad:
      return change_bytes<long double, 16>(operation, word, operand);
#endif
  }
  return false;
}

// A word from memory that may be aligned anyhow.
template <typename Word>
[[nodiscard]] Word word_at(const void* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Hands the words of 1, 2, 4, 8 or 16 bytes at these addresses to `change`, of which the first may
// be changed.
template <typename Change>
[[nodiscard]] bool change_bytes_at(std::size_t size, void* contents, const void* operand,
                                   Change change) {
  const auto as = [&](auto word) {
    std::memcpy(&word, contents, sizeof word);
    const bool changed = change(word, word_at<decltype(word)>(operand));
    std::memcpy(contents, &word, sizeof word);
    return changed;
  };
  switch (size) {
    case 1:
      return as(std::uint8_t{});
    case 2:
      return as(std::uint16_t{});
    case 4:
      return as(std::uint32_t{});
    case 8:
      return as(std::uint64_t{});
    case 16:
      return as(Word128{});
    default:
      return false;
  }
}

// As change_word, of so many bytes at `contents`.
[[nodiscard]] inline bool change_contents(AtomicOperation operation, AtomicType type,
                                          std::size_t size, void* contents, const void* operand) {
  return change_bytes_at(size, contents, operand, [&](auto& word, auto other) {
    return change_word(operation, type, word, other);
  });
}

// As change_integer, of so many bytes at `contents`.
[[nodiscard]] inline bool change_integer_contents(AtomicOperation operation, std::size_t size,
                                                  void* contents, const void* operand) {
  return change_bytes_at(size, contents, operand, [&](auto& word, auto other) {
    return change_integer(operation, word, other);
  });
}

}  // namespace weft

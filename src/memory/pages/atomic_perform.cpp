// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is one compare-exchange loop around a function from old to new contents. A request has
// crossed the network or at least a lock to get here, so that a faster instruction for single
// operations would not be noticed.
#include "memory/pages/atomic_perform.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/assert.hpp"

namespace weft {
namespace {

__extension__ using Word128 = unsigned __int128;

template <typename Word>
struct SignedOf {
  using type = std::make_signed_t<Word>;
};
template <>
struct SignedOf<Word128> {
  __extension__ using type = __int128;
};

template <typename Word>
Word from_bytes(const std::byte* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

template <typename Word>
Word apply_integer(AtomicOperation operation, Word old, Word operand) {
  using Signed = typename SignedOf<Word>::type;
  const auto less = static_cast<Signed>(old) < static_cast<Signed>(operand);
  switch (operation) {
    case AtomicOperation::kAdd:
      return static_cast<Word>(old + operand);
    case AtomicOperation::kSubtract:
      return static_cast<Word>(old - operand);
    case AtomicOperation::kAnd:
      return old & operand;
    case AtomicOperation::kNand:
      return static_cast<Word>(~(old & operand));
    case AtomicOperation::kOr:
      return old | operand;
    case AtomicOperation::kXor:
      return old ^ operand;
    case AtomicOperation::kMax:
      return less ? operand : old;
    case AtomicOperation::kMin:
      return less ? old : operand;
    case AtomicOperation::kUnsignedMax:
      return std::max(old, operand);
    case AtomicOperation::kUnsignedMin:
      return std::min(old, operand);
    case AtomicOperation::kIncrementWrap:
      return old >= operand ? 0 : static_cast<Word>(old + 1);
    case AtomicOperation::kDecrementWrap:
      return old == 0 || old > operand ? operand : static_cast<Word>(old - 1);
    case AtomicOperation::kSubtractConditional:
      return old >= operand ? static_cast<Word>(old - operand) : old;
    case AtomicOperation::kSubtractSaturate:
      return old >= operand ? static_cast<Word>(old - operand) : 0;
    default:
      break;
  }
  WEFT_ASSERT(false, "atomic operation {} is not one of integers", static_cast<int>(operation));
  return old;
}

template <typename Float>
Float apply_float(AtomicOperation operation, Float old, Float operand) {
  switch (operation) {
    case AtomicOperation::kFloatAdd:
      return old + operand;
    case AtomicOperation::kFloatSubtract:
      return old - operand;
    // As C's fmax and fmin: a number wins over a NaN.
    case AtomicOperation::kFloatMax:
      return old != old ? operand : (operand != operand || operand < old ? old : operand);
    case AtomicOperation::kFloatMin:
      return old != old ? operand : (operand != operand || old < operand ? old : operand);
    default:
      break;
  }
  WEFT_ASSERT(false, "atomic operation {} is not one of floats", static_cast<int>(operation));
  return old;
}

// Applies a float operation to the first bytes of the word; the rest (x87's padding) stays.
template <typename Float, std::size_t kBytes = sizeof(Float), typename Word>
Word apply_as(AtomicOperation operation, Word old, const std::byte* operand) {
  static_assert(kBytes <= sizeof(Word));
  Float left = 0;
  Float right = 0;
  std::memcpy(&left, &old, kBytes);
  std::memcpy(&right, operand, kBytes);
  const Float result = apply_float(operation, left, right);
  std::memcpy(&old, &result, kBytes);
  return old;
}

// bfloat16 is the upper half of a float. The compiler's support library does not convert it
// everywhere, so it is done here: to nearest, ties to even; a NaN stays one.
std::uint16_t apply_bfloat(AtomicOperation operation, std::uint16_t old, const std::byte* operand) {
  const auto widen = [](std::uint16_t half) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
  };
  const float result =
      apply_float(operation, widen(old), widen(from_bytes<std::uint16_t>(operand)));
  const auto bits = std::bit_cast<std::uint32_t>(result);
  if (result != result) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <typename Word>
Word apply_typed(const AtomicRequest& request, Word old) {
  const AtomicOperation operation = request.operation;
  const std::byte* operand = request.operand;
  switch (request.type) {
    case AtomicType::kInteger:
      return apply_integer(operation, old, from_bytes<Word>(operand));
    case AtomicType::kHalf:
      if constexpr (sizeof(Word) == 2) return apply_as<_Float16>(operation, old, operand);
      break;
    case AtomicType::kBFloat:
      if constexpr (sizeof(Word) == 2) return apply_bfloat(operation, old, operand);
      break;
    case AtomicType::kFloat:
      if constexpr (sizeof(Word) == 4) return apply_as<float>(operation, old, operand);
      break;
    case AtomicType::kDouble:
      if constexpr (sizeof(Word) == 8) return apply_as<double>(operation, old, operand);
      break;
#if defined(__x86_64__)
    case AtomicType::kX87:
      if constexpr (sizeof(Word) == 16) return apply_as<long double, 10>(operation, old, operand);
      break;
    case AtomicType::kQuad:
      if constexpr (sizeof(Word) == 16) return apply_as<__float128>(operation, old, operand);
      break;
#else
    case AtomicType::kX87:
      break;
    case AtomicType::kQuad:
      if constexpr (sizeof(Word) == 16) return apply_as<long double>(operation, old, operand);
      break;
#endif
  }
  WEFT_ASSERT(false, "atomic type {} does not have {} bytes", static_cast<int>(request.type),
              sizeof(Word));
  return old;
}

// What the memory is to hold after it held `old`.
template <typename Word>
Word next_contents(const AtomicRequest& request, Word old) {
  switch (request.operation) {
    case AtomicOperation::kLoad:
      return old;
    case AtomicOperation::kStore:
    case AtomicOperation::kExchange:
      return from_bytes<Word>(request.operand);
    case AtomicOperation::kCompareExchange:
      return old == from_bytes<Word>(request.expected) ? from_bytes<Word>(request.operand) : old;
    default:
      return apply_typed(request, old);
  }
}

// Compiled with cmpxchg16b allowed (see CMakeLists.txt), so that 16 bytes need no library call.
template <typename Word>
bool compare_exchange(Word* where, Word& expected, Word desired) {
  const Word found = __sync_val_compare_and_swap(where, expected, desired);
  if (found == expected) return true;
  expected = found;
  return false;
}

template <typename Word>
AtomicResult perform_sized(const AtomicRequest& request, std::byte* where) {
  auto* memory = reinterpret_cast<Word*>(where);
  Word old = 0;
  Word next = 0;
  // The first guess may be torn or wrong; then the exchange fails and tells.
  std::memcpy(&old, where, sizeof old);
  do {
    next = next_contents(request, old);
  } while (!compare_exchange(memory, old, next));
  AtomicResult result;
  std::memcpy(result.before, &old, sizeof old);
  std::memcpy(result.after, &next, sizeof next);
  return result;
}

}  // namespace

AtomicResult perform_atomic(const AtomicRequest& request, std::byte* where) {
  WEFT_ASSERT(reinterpret_cast<std::uintptr_t>(where) % std::max<std::size_t>(request.size, 1) == 0,
              "an atomic of {} bytes is not aligned", request.size);
  switch (request.size) {
    case 1:
      return perform_sized<std::uint8_t>(request, where);
    case 2:
      return perform_sized<std::uint16_t>(request, where);
    case 4:
      return perform_sized<std::uint32_t>(request, where);
    case 8:
      return perform_sized<std::uint64_t>(request, where);
    case 16:
      return perform_sized<Word128>(request, where);
    default:
      break;
  }
  WEFT_ASSERT(false, "no atomic operation has {} bytes", request.size);
  return {};
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/pages/atomic_perform.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

namespace weft {
namespace {

using Operation = AtomicOperation;

// Performs on memory that holds `old`; checks that the result and the memory agree; gives the new
// contents.
template <typename T>
T perform(Operation operation, T old, T operand, AtomicType type = AtomicType::kInteger,
          const T* expected = nullptr) {
  alignas(16) std::byte memory[32];
  std::memset(memory, 0xa5, sizeof memory);
  std::memcpy(memory, &old, sizeof old);
  AtomicRequest request;
  request.size = sizeof(T);
  request.operation = operation;
  request.type = type;
  std::memcpy(request.operand, &operand, sizeof operand);
  if (expected != nullptr) std::memcpy(request.expected, expected, sizeof(T));
  const AtomicResult result = perform_atomic(request, memory);
  EXPECT_EQ(std::memcmp(result.before, &old, sizeof old), 0);
  EXPECT_EQ(std::memcmp(result.after, memory, sizeof old), 0);
  for (std::size_t at = sizeof(T); at < sizeof memory; ++at) {
    EXPECT_EQ(memory[at], std::byte{0xa5}) << "a neighbour changed";
  }
  T now;
  std::memcpy(&now, memory, sizeof now);
  return now;
}

template <typename T>
class Integers : public testing::Test {};
using IntegerTypes =
    testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, Word128>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

TYPED_TEST(Integers, EveryOperation) {
  using T = TypeParam;
  const T ones = static_cast<T>(~T{0});
  const T top = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));  // the most negative value
  EXPECT_TRUE(perform<T>(Operation::kLoad, 5, 9) == 5);
  EXPECT_TRUE(perform<T>(Operation::kStore, 5, 9) == 9);
  EXPECT_TRUE(perform<T>(Operation::kExchange, 5, ones) == ones);
  EXPECT_TRUE(perform<T>(Operation::kAdd, ones, 2) == 1);
  EXPECT_TRUE(perform<T>(Operation::kSubtract, 1, 2) == ones);
  EXPECT_TRUE(perform<T>(Operation::kAnd, 12, 10) == 8);
  EXPECT_TRUE(perform<T>(Operation::kNand, 12, 10) == static_cast<T>(~T{8}));
  EXPECT_TRUE(perform<T>(Operation::kOr, 12, 10) == 14);
  EXPECT_TRUE(perform<T>(Operation::kXor, 12, 10) == 6);
  EXPECT_TRUE(perform<T>(Operation::kMax, top, 3) == 3);
  EXPECT_TRUE(perform<T>(Operation::kMin, 3, top) == top);
  EXPECT_TRUE(perform<T>(Operation::kUnsignedMax, top, 3) == top);
  EXPECT_TRUE(perform<T>(Operation::kUnsignedMin, top, 3) == 3);
}

TYPED_TEST(Integers, WrappingAndSaturating) {
  using T = TypeParam;
  EXPECT_TRUE(perform<T>(Operation::kIncrementWrap, 4, 5) == 5);
  EXPECT_TRUE(perform<T>(Operation::kIncrementWrap, 5, 5) == 0);
  EXPECT_TRUE(perform<T>(Operation::kIncrementWrap, 6, 5) == 0);
  EXPECT_TRUE(perform<T>(Operation::kDecrementWrap, 4, 5) == 3);
  EXPECT_TRUE(perform<T>(Operation::kDecrementWrap, 0, 5) == 5);
  EXPECT_TRUE(perform<T>(Operation::kDecrementWrap, 6, 5) == 5);
  EXPECT_TRUE(perform<T>(Operation::kSubtractConditional, 7, 5) == 2);
  EXPECT_TRUE(perform<T>(Operation::kSubtractConditional, 4, 5) == 4);
  EXPECT_TRUE(perform<T>(Operation::kSubtractSaturate, 7, 5) == 2);
  EXPECT_TRUE(perform<T>(Operation::kSubtractSaturate, 4, 5) == 0);
}

TYPED_TEST(Integers, CompareExchange) {
  using T = TypeParam;
  const T right = 5;
  const T wrong = static_cast<T>(T{5} | T{1} << (sizeof(T) * 8 - 1));  // the top byte counts
  const auto type = AtomicType::kInteger;
  EXPECT_TRUE(perform<T>(Operation::kCompareExchange, 5, 8, type, &right) == 8);
  EXPECT_TRUE(perform<T>(Operation::kCompareExchange, 5, 8, type, &wrong) == 5);
}

// `page` cannot be written.
template <typename T>
void check_load(void* page) {
  AtomicRequest request;
  request.size = sizeof(T);
  request.operation = Operation::kLoad;
  const AtomicResult result = perform_atomic(request, static_cast<std::byte*>(page));
  EXPECT_EQ(std::memcmp(result.before, page, sizeof(T)), 0);
  EXPECT_EQ(std::memcmp(result.after, page, sizeof(T)), 0);
}

TEST(Loads, WriteNothing) {
  constexpr std::size_t kBytes = 4096;
  void* const page =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  std::memset(page, 0x5a, kBytes);
  ASSERT_EQ(mprotect(page, kBytes, PROT_READ), 0);
  check_load<std::uint8_t>(page);
  check_load<std::uint16_t>(page);
  check_load<std::uint32_t>(page);
  check_load<std::uint64_t>(page);
  munmap(page, kBytes);
}

template <typename T>
void check_floats(AtomicType type) {
  const T nan = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(perform<T>(Operation::kFloatAdd, T(1.5), T(2.25), type) == T(3.75));
  EXPECT_TRUE(perform<T>(Operation::kFloatSubtract, T(1.5), T(2.25), type) == T(-0.75));
  EXPECT_TRUE(perform<T>(Operation::kFloatMax, T(-1.5), T(2.25), type) == T(2.25));
  EXPECT_TRUE(perform<T>(Operation::kFloatMin, T(-1.5), T(2.25), type) == T(-1.5));
  EXPECT_TRUE(perform<T>(Operation::kFloatMax, nan, T(2), type) == T(2));
  EXPECT_TRUE(perform<T>(Operation::kFloatMin, T(2), nan, type) == T(2));
  EXPECT_TRUE(perform<T>(Operation::kExchange, T(2), T(3), type) == T(3));
}

TEST(Floats, EveryType) {
  check_floats<float>(AtomicType::kFloat);
  check_floats<double>(AtomicType::kDouble);
  check_floats<_Float16>(AtomicType::kHalf);
#if defined(__x86_64__)
  check_floats<__float128>(AtomicType::kQuad);
#endif
}

#if defined(__x86_64__)
// Ten of the sixteen bytes are the number; the padding neither matters nor changes.
TEST(Floats, X87) {
  const auto padded = [](long double value, std::uint8_t padding) {
    Word128 word = 0;
    std::memset(&word, padding, sizeof word);
    std::memcpy(&word, &value, 10);
    return word;
  };
  const long double third = 1.0L / 3;
  EXPECT_TRUE(perform(Operation::kFloatAdd, padded(third, 0xee), padded(2, 0x11),
                      AtomicType::kX87) == padded(third + 2, 0xee));
}
#endif

TEST(Floats, BFloatRoundsToNearestEven) {
  const auto bits = [](float value) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
  };
  const auto add = [&](float left, float right) {
    return perform(Operation::kFloatAdd, bits(left), bits(right), AtomicType::kBFloat);
  };
  EXPECT_EQ(add(1.5F, 2.25F), bits(3.75F));
  // 8 bits of precision: 256 + 1 lies half-way between 256 and 258, 258 + 1 between 258 and 260.
  EXPECT_EQ(add(256.0F, 1.0F), bits(256.0F));
  EXPECT_EQ(add(258.0F, 1.0F), bits(260.0F));
  const std::uint16_t nan = add(std::numeric_limits<float>::quiet_NaN(), 1.0F);
  EXPECT_EQ(nan & 0x7fc0, 0x7fc0);
}

TEST(Atomics, AreAtomicInEverySize) {
  alignas(16) Word128 sum = 0;
  const auto add_many = [&] {
    AtomicRequest request;
    request.size = 16;
    request.operation = Operation::kAdd;
    const Word128 both_halves = (Word128{1} << 64) | 1;
    std::memcpy(request.operand, &both_halves, sizeof both_halves);
    for (int i = 0; i < 100000; ++i) {
      (void)perform_atomic(request, reinterpret_cast<std::byte*>(&sum));
    }
  };
  std::thread other(add_many);
  add_many();
  other.join();
  EXPECT_EQ(static_cast<std::uint64_t>(sum), 200000U);
  EXPECT_EQ(static_cast<std::uint64_t>(sum >> 64), 200000U);
}

}  // namespace
}  // namespace weft

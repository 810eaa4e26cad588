// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/remote/atomic_types.hpp"

#include <gtest/gtest.h>

#include "base/remote/operation.hpp"

namespace weft::remote {
namespace {

// The number after the operation; `before` is checked.
template <typename Number>
Number changed(weft_atomic_op operation, weft_type type, Number before, Number operand,
               Number expected = {}) {
  const auto kind = atomic_kind(operation, type);
  EXPECT_TRUE(kind && kind->bytes == sizeof(Number)) << operation << " on " << type;
  if (!kind) return {};
  alignas(8) std::byte memory[8] = {}, old[8] = {};
  std::memcpy(memory, &before, sizeof before);
  Operation change{.kind = Kind::kAtomic, .bytes = kind->bytes, .near = old};
  change.change = kind->operation;
  change.type = kind->type;
  copy_number(change.operand, &operand, kind->bytes);
  copy_number(change.expected, &expected, kind->bytes);
  EXPECT_EQ(change_there(memory, change), WEFT_OK);
  Number found{}, after{};
  std::memcpy(&found, old, sizeof found);
  std::memcpy(&after, memory, sizeof after);
  EXPECT_EQ(found, before);
  for (std::size_t i = sizeof(Number); i < sizeof memory; ++i) EXPECT_EQ(memory[i], std::byte{});
  return after;
}

TEST(AtomicTypes, AreChangedAsTheirNumbers) {
  EXPECT_EQ(changed<std::int8_t>(WEFT_OP_ADD, WEFT_INT8, 127, 1), -128);
  EXPECT_EQ(changed<std::uint16_t>(WEFT_OP_SUBTRACT, WEFT_UINT16, 0, 1), 65535);
  EXPECT_EQ(changed<std::int32_t>(WEFT_OP_MIN, WEFT_INT32, 1, -1), -1);
  EXPECT_EQ(changed<std::uint32_t>(WEFT_OP_MIN, WEFT_UINT32, 1, UINT32_MAX), 1U);
  EXPECT_EQ(changed<std::uint32_t>(WEFT_OP_MAX, WEFT_UINT32, 1, UINT32_MAX), UINT32_MAX);
  EXPECT_EQ(changed<std::int64_t>(WEFT_OP_MAX, WEFT_INT64, 1, -1), 1);
  EXPECT_EQ(changed<std::uint64_t>(WEFT_OP_AND, WEFT_UINT64, 6, 3), 2U);
  EXPECT_EQ(changed<std::uint64_t>(WEFT_OP_NAND, WEFT_UINT64, 6, 3), ~std::uint64_t{2});
  EXPECT_EQ(changed<std::int64_t>(WEFT_OP_OR, WEFT_INT64, 6, 3), 7);
  EXPECT_EQ(changed<std::int64_t>(WEFT_OP_XOR, WEFT_INT64, 6, 3), 5);
  EXPECT_EQ(changed<std::uint8_t>(WEFT_OP_SWAP, WEFT_UINT8, 6, 3), 3);
  EXPECT_EQ(changed<std::uint8_t>(WEFT_OP_STORE, WEFT_UINT8, 6, 3), 3);
  EXPECT_EQ(changed<std::uint8_t>(WEFT_OP_LOAD, WEFT_UINT8, 6, 3), 6);
  EXPECT_EQ(changed<float>(WEFT_OP_ADD, WEFT_FLOAT, 0.5F, 0.25F), 0.75F);
  EXPECT_EQ(changed<double>(WEFT_OP_MAX, WEFT_DOUBLE, -1.5, -2.5), -1.5);
  EXPECT_EQ(changed<double>(WEFT_OP_SUBTRACT, WEFT_DOUBLE, -1.5, -2.5), 1.0);
  EXPECT_EQ(changed<double>(WEFT_OP_COMPARE_SWAP, WEFT_DOUBLE, 1.5, 2.5, 1.5), 2.5);
  EXPECT_EQ(changed<double>(WEFT_OP_COMPARE_SWAP, WEFT_DOUBLE, 1.5, 2.5, 1.25), 1.5);
}

TEST(AtomicTypes, HaveNoOtherOperations) {
  for (const weft_atomic_op bits : {WEFT_OP_AND, WEFT_OP_NAND, WEFT_OP_OR, WEFT_OP_XOR}) {
    EXPECT_FALSE(atomic_kind(bits, WEFT_FLOAT));
    EXPECT_FALSE(atomic_kind(bits, WEFT_DOUBLE));
    EXPECT_TRUE(atomic_kind(bits, WEFT_INT8));
  }
  EXPECT_FALSE(atomic_kind(WEFT_OP_MIN + 1, WEFT_INT8));
  EXPECT_FALSE(atomic_kind(-1, WEFT_INT8));
  EXPECT_FALSE(atomic_kind(WEFT_OP_ADD, WEFT_DOUBLE + 1));
  EXPECT_FALSE(atomic_kind(WEFT_OP_ADD, -1));
}

TEST(AtomicTypes, AreAligned) {
  alignas(8) std::byte memory[16] = {};
  Operation change{.kind = Kind::kAtomic, .bytes = 4};
  change.change = AtomicOperation::kAdd;
  EXPECT_EQ(change_there(memory + 4, change), WEFT_OK);
  EXPECT_EQ(change_there(memory + 2, change), WEFT_ERROR_OPERATION);
  change.bytes = 3;
  EXPECT_EQ(change_there(memory, change), WEFT_ERROR_OPERATION);
}

}  // namespace
}  // namespace weft::remote

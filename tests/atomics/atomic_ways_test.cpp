// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ways in which Weft does an atomic operation give what the compiler's own instruction gives:
// each operation, each type and size, and every pair of values at which something ends.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_operation.hpp"
#include "memory/pages/atomic_perform.hpp"
#include "protocol/updates/merged_atomics.hpp"
#include "runtime/interface/node.hpp"
#include "sim/checkers/atomic_model.hpp"
#include "start/plain_atomics.hpp"

extern "C" {
#include "reference_declarations.inc"
}

namespace weft {

// All memory is this process's own.
Node* this_node() { return nullptr; }

namespace {

// The first bytes of a word; the others are zero.
using Value = std::array<std::byte, 16>;

struct Reference {
  std::string_view operation, type;
  void (*change)(void* p, const void* operand);
};
constexpr Reference kReferences[] = {
#define WEFT_REFERENCE(operation, type) {#operation, #type, reference_##operation##_##type},
#include "reference_table.inc"
};

AtomicOperation operation_of(const Reference& reference) {
  using enum AtomicOperation;
  constexpr std::pair<std::string_view, AtomicOperation> kNames[] = {
      {"xchg", kExchange},
      {"add", kAdd},
      {"sub", kSubtract},
      {"and", kAnd},
      {"nand", kNand},
      {"or", kOr},
      {"xor", kXor},
      {"max", kMax},
      {"min", kMin},
      {"umax", kUnsignedMax},
      {"umin", kUnsignedMin},
      {"uinc_wrap", kIncrementWrap},
      {"udec_wrap", kDecrementWrap},
      {"usub_cond", kSubtractConditional},
      {"usub_sat", kSubtractSaturate},
      {"fadd", kFloatAdd},
      {"fsub", kFloatSubtract},
      {"fmax", kFloatMax},
      {"fmin", kFloatMin},
  };
  for (const auto& [name, operation] : kNames) {
    if (name == reference.operation) return operation;
  }
  ADD_FAILURE() << reference.operation << " has no number";
  return kLoad;
}

struct Type {
  std::string_view name;
  AtomicType type;
  std::size_t size;
};
constexpr Type kTypes[] = {
    {"i8", AtomicType::kInteger, 1},    {"i16", AtomicType::kInteger, 2},
    {"i32", AtomicType::kInteger, 4},   {"i64", AtomicType::kInteger, 8},
    {"i128", AtomicType::kInteger, 16}, {"half", AtomicType::kHalf, 2},
    {"bfloat", AtomicType::kBFloat, 2}, {"float", AtomicType::kFloat, 4},
    {"double", AtomicType::kDouble, 8}, {"fp128", AtomicType::kQuad, 16},
};

const Type& type_of(const Reference& reference) {
  for (const Type& type : kTypes) {
    if (type.name == reference.type) return type;
  }
  ADD_FAILURE() << "no type " << reference.type;
  return kTypes[0];
}

template <typename T>
Value value_of(T number) {
  Value value = {};
  std::memcpy(value.data(), &number, sizeof number);
  return value;
}

std::vector<Value> integers(std::size_t size) {
  const Word128 top = Word128{1} << (8 * size - 1);
  std::vector<Value> values;
  for (const Word128 edge : {Word128{0}, top, Word128{0x5a}}) {
    for (int step = -2; step <= 2; ++step) {
      Value value = value_of(static_cast<Word128>(edge + static_cast<Word128>(step)));
      std::fill(value.begin() + static_cast<std::ptrdiff_t>(size), value.end(), std::byte{0});
      values.push_back(value);
    }
  }
  return values;
}

// Of a type with so many bits of exponent and of mantissa.
std::vector<Value> floats(std::size_t size, unsigned mantissa) {
  const Word128 one = 1;
  const Word128 sign = one << (8 * size - 1);
  const Word128 infinity = sign - (one << mantissa);
  const Word128 half_of_exponents = (infinity >> 1) & ~((one << mantissa) - 1);  // 1.0
  std::vector<Value> values;
  for (const Word128 bits :
       {Word128{0}, one, (one << mantissa) - 1, one << mantissa, half_of_exponents,
        half_of_exponents + 1, half_of_exponents + (Word128{3} << (mantissa - 2)), infinity - 1,
        infinity, infinity + (one << (mantissa - 1)), infinity + (one << (mantissa - 1)) + 5}) {
    values.push_back(value_of(bits));
    values.push_back(value_of(bits | sign));
  }
  return values;
}

std::vector<Value> values_of(const Type& type) {
  switch (type.type) {
    case AtomicType::kHalf:
      return floats(2, 10);
    case AtomicType::kBFloat:
      return floats(2, 7);
    case AtomicType::kFloat:
      return floats(4, 23);
    case AtomicType::kDouble:
      return floats(8, 52);
    case AtomicType::kQuad:
      return floats(16, 112);
    default:
      return integers(type.size);
  }
}

// --- ways ---

Value by_compiler(const Reference& reference, Value old, const Value& operand) {
  alignas(16) Value memory = old;
  alignas(16) const Value aligned = operand;
  reference.change(memory.data(), aligned.data());
  return memory;
}

AtomicRequest request_of(AtomicOperation operation, const Type& type, const Value& operand) {
  AtomicRequest request;
  request.operation = operation;
  request.type = type.type;
  request.size = static_cast<std::uint8_t>(type.size);
  std::memcpy(request.operand, operand.data(), type.size);
  return request;
}

struct Way {
  std::string_view name;
  Value (*change)(AtomicOperation operation, const Type& type, Value old, const Value& operand);
};

Value by_definition(AtomicOperation operation, const Type& type, Value old, const Value& operand) {
  EXPECT_TRUE(change_contents(operation, type.type, type.size, old.data(), operand.data()));
  return old;
}

Value on_one_node(AtomicOperation operation, const Type& type, Value old, const Value& operand) {
  alignas(16) Value memory = old;
  Value before = {};
  PlainAtomics::update(memory.data(), operand.data(), before.data(),
                       static_cast<std::uint32_t>(type.size), static_cast<std::uint32_t>(operation),
                       static_cast<std::uint32_t>(type.type));
  EXPECT_EQ(before, old);
  return memory;
}

Value on_one_node_unaligned(AtomicOperation operation, const Type& type, Value old,
                            const Value& operand) {
  alignas(16) std::byte memory[32];
  std::memcpy(memory + 1, old.data(), sizeof old);
  PlainAtomics::update(memory + 1, operand.data(), nullptr, static_cast<std::uint32_t>(type.size),
                       static_cast<std::uint32_t>(operation),
                       static_cast<std::uint32_t>(type.type));
  std::memcpy(old.data(), memory + 1, sizeof old);
  return old;
}

Value at_home(AtomicOperation operation, const Type& type, Value old, const Value& operand) {
  alignas(16) Value memory = old;
  const AtomicResult result = perform_atomic(request_of(operation, type, operand), memory.data());
  EXPECT_EQ(std::memcmp(result.before, old.data(), type.size), 0);
  EXPECT_EQ(std::memcmp(result.after, memory.data(), type.size), 0);
  return memory;
}

// The node library's entry point, on memory that is not shared.
template <std::size_t kOffset>
Value by_entry_point(AtomicOperation operation, const Type& type, Value old, const Value& operand) {
  alignas(16) std::byte memory[32];
  std::memcpy(memory + kOffset, old.data(), sizeof old);
  Value before = {};
  __weft_atomic_rmw(memory + kOffset, operand.data(), before.data(),
                    static_cast<std::uint32_t>(type.size), static_cast<std::uint32_t>(operation),
                    static_cast<std::uint32_t>(type.type), __ATOMIC_SEQ_CST);
  EXPECT_EQ(before, old);
  std::memcpy(old.data(), memory + kOffset, sizeof old);
  return old;
}

Value in_the_simulator(AtomicOperation operation, const Type& type, Value old,
                       const Value& operand) {
  sim::perform_model(request_of(operation, type, operand), std::span(old).first(type.size));
  return old;
}

constexpr Way kWays[] = {
    {"definition", by_definition},
    {"one node", on_one_node},
    {"one node, unaligned", on_one_node_unaligned},
    {"home", at_home},
    {"entry point", by_entry_point<0>},
    {"entry point, unaligned", by_entry_point<1>},
    {"simulator", in_the_simulator},
};

// --- comparing ---

Word128 bits_of(const Value& value) { return std::bit_cast<Word128>(value); }

bool is_nan(const Type& type, const Value& value) {
  switch (type.type) {
    case AtomicType::kInteger:
      return false;
    case AtomicType::kHalf:
      return (bits_of(value) & 0x7fff) > 0x7c00;
    case AtomicType::kBFloat:
      return (bits_of(value) & 0x7fff) > 0x7f80;
    case AtomicType::kFloat:
      return std::isnan(std::bit_cast<float>(word_at<std::uint32_t>(value.data())));
    case AtomicType::kDouble:
      return std::isnan(std::bit_cast<double>(word_at<std::uint64_t>(value.data())));
    default: {
      const auto number = std::bit_cast<__float128>(value);
      return number != number;
    }
  }
}

bool is_zero(const Type& type, const Value& value) {
  return (bits_of(value) & ~(Word128{1} << (8 * type.size - 1))) == 0;
}

// LLVM does not say which NaN comes of a calculation. Which zero is greater in half precision is
// the C library's (base/atomic_operation.hpp).
bool agree(AtomicOperation operation, const Type& type, const Value& a, const Value& b) {
  if (a == b || (is_nan(type, a) && is_nan(type, b))) return true;
  return type.type == AtomicType::kHalf && operation >= AtomicOperation::kFloatMax &&
         is_zero(type, a) && is_zero(type, b);
}

std::string hexadecimal(const Type& type, const Value& value) {
  std::string digits;
  for (std::size_t at = type.size; at-- > 0;) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    digits += kDigits[std::to_integer<unsigned>(value[at]) >> 4];
    digits += kDigits[std::to_integer<unsigned>(value[at]) & 15];
  }
  return digits;
}

TEST(AtomicOperations, EveryWayGivesWhatTheCompilersInstructionGives) {
  for (const Reference& reference : kReferences) {
    const AtomicOperation operation = operation_of(reference);
    const Type& type = type_of(reference);
    const std::vector<Value> values = values_of(type);
    for (const Value& old : values) {
      for (const Value& operand : values) {
        const Value right = by_compiler(reference, old, operand);
        for (const Way& way : kWays) {
          const Value is = way.change(operation, type, old, operand);
          EXPECT_TRUE(agree(operation, type, is, right))
              << way.name << ": " << reference.operation << ' ' << type.name << ' '
              << hexadecimal(type, old) << ", " << hexadecimal(type, operand) << " is "
              << hexadecimal(type, is) << ", not " << hexadecimal(type, right);
        }
      }
    }
  }
}

// Two updates of one object that are kept to be sent together, and what their home makes of them.
Value merged(AtomicOperation operation, const Type& type, Value old, const Value& one,
             const Value& two) {
  constexpr NodeId kHome(0);
  MergedAtomics updates;
  updates.add(kHome, request_of(operation, type, one));
  updates.add(kHome, request_of(operation, type, two));
  alignas(16) Value memory = old;
  for (const AtomicRequest& update : updates.take_all()) {
    (void)perform_atomic(update, memory.data());
  }
  return memory;
}

TEST(AtomicOperations, MergedUpdatesAreOneAfterTheOther) {
  for (const Reference& reference : kReferences) {
    const AtomicOperation operation = operation_of(reference);
    if (!MergedAtomics::commutes(operation)) continue;
    const Type& type = type_of(reference);
    const std::vector<Value> values = values_of(type);
    for (const Value& old : values) {
      for (const Value& one : values) {
        const Value after_one = by_compiler(reference, old, one);
        for (const Value& two : values) {
          const Value right = by_compiler(reference, after_one, two);
          const Value is = merged(operation, type, old, one, two);
          EXPECT_TRUE(agree(operation, type, is, right))
              << reference.operation << ' ' << type.name << ' ' << hexadecimal(type, old) << ", "
              << hexadecimal(type, one) << ", " << hexadecimal(type, two) << " is "
              << hexadecimal(type, is) << ", not " << hexadecimal(type, right);
        }
      }
    }
  }
}

// What no instruction computes: there is nothing to compare with, and nothing may be done.
TEST(AtomicOperations, OthersAreRefused) {
  Value contents = value_of(std::uint64_t{77});
  const Value as_before = contents;
  const Value operand = value_of(std::uint64_t{5});
  const auto change = [&](AtomicOperation operation, AtomicType type, std::size_t size) {
    return change_contents(operation, type, size, contents.data(), operand.data());
  };
  EXPECT_FALSE(change(AtomicOperation::kFloatAdd, AtomicType::kInteger, 8));
  EXPECT_FALSE(change(AtomicOperation::kAdd, AtomicType::kDouble, 8));
  EXPECT_FALSE(change(AtomicOperation::kFloatAdd, AtomicType::kDouble, 4));
  EXPECT_FALSE(change(AtomicOperation::kFloatAdd, AtomicType::kBFloat, 4));
  EXPECT_FALSE(change(AtomicOperation::kAdd, AtomicType::kInteger, 3));
  EXPECT_EQ(contents, as_before);
}

}  // namespace
}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/reductions/reduced_items.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace weft::openmp {
namespace {

using Kind = ReducedItem::Kind;

// A note with any number of items behind it, as the pass writes it.
class Note {
 public:
  explicit Note(std::vector<ReducedItem> items)
      : storage_(sizeof(CallNote) + items.size() * sizeof(ReducedItem)) {
    get()->item_count = static_cast<std::uint32_t>(items.size());
    std::memcpy(get()->items, items.data(), items.size() * sizeof(ReducedItem));
  }
  [[nodiscard]] CallNote* get() { return reinterpret_cast<CallNote*>(storage_.data()); }

 private:
  std::vector<std::byte> storage_;
};

struct Descriptor {
  void* base;
  std::uint64_t element_bytes;
  std::uint32_t version;
  std::uint8_t rank;
  std::int8_t type;
  std::uint8_t attribute, extra;
  std::int64_t dimensions[2][3];
};

Descriptor matrix_of(double* base, std::int64_t rows, std::int64_t columns) {
  return {.base = base,
          .element_bytes = 8,
          .version = 20240719,
          .rank = 2,
          .type = 28,
          .attribute = 2,
          .extra = 0,
          .dimensions = {{1, rows, 8}, {1, columns, rows * 8}}};
}

TEST(ReducedItems, BytesTravel) {
  Note note({{Kind::kBytes, 8}, {Kind::kBytes, 3}, {Kind::kBytes, 4}});
  double sum = 2.5;
  char text[] = {'a', 'b', 'c'};
  int number = 7;
  void* list[] = {&sum, text, &number};
  const ReductionPart part = make_reduction_part(note.get(), list);
  EXPECT_FALSE(part.names_memory);
  sum = number = 0;
  std::optional<ReceivedItems> received = ReceivedItems::read(note.get(), list, part.bytes);
  ASSERT_TRUE(received);
  EXPECT_EQ(*static_cast<double*>(received->list()[0]), 2.5);
  EXPECT_EQ(std::memcmp(received->list()[1], "abc", 3), 0);
  EXPECT_EQ(*static_cast<int*>(received->list()[2]), 7);
  for (int item = 0; item < 3; ++item) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(received->list()[item]) % 16, 0U) << item;
  }
}

TEST(ReducedItems, ArraysTravelWithTheirCount) {
  Note note({{Kind::kArray, 4}, {Kind::kCount, 0}, {Kind::kBytes, 4}});
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  int behind = 5;
  void* list[] = {numbers.data(), reinterpret_cast<void*>(numbers.size()), &behind};
  const ReductionPart part = make_reduction_part(note.get(), list);
  std::optional<ReceivedItems> received = ReceivedItems::read(note.get(), list, part.bytes);
  ASSERT_TRUE(received);
  EXPECT_EQ(static_cast<int*>(received->list()[0])[999], 999);
  EXPECT_EQ(received->list()[1], list[1]);
  EXPECT_EQ(*static_cast<int*>(received->list()[2]), 5);
}

TEST(ReducedItems, FortranArraysTravelBehindTheirDescriptors) {
  Note note({{Kind::kDescriptor, 0}});
  std::vector<double> elements(6);
  std::iota(elements.begin(), elements.end(), 1);
  Descriptor descriptor = matrix_of(elements.data(), 2, 3);
  Descriptor* variable = &descriptor;
  void* list[] = {&variable};
  const ReductionPart part = make_reduction_part(note.get(), list);
  EXPECT_FALSE(part.names_memory);
  std::optional<ReceivedItems> received = ReceivedItems::read(note.get(), list, part.bytes);
  ASSERT_TRUE(received);
  const Descriptor* there = *static_cast<Descriptor**>(received->list()[0]);
  EXPECT_NE(there->base, descriptor.base);
  EXPECT_EQ(static_cast<double*>(there->base)[5], 6);
  EXPECT_EQ(std::memcmp(there->dimensions, descriptor.dimensions, sizeof descriptor.dimensions), 0);
}

TEST(ReducedItems, WhatCannotTravelIsNamed) {
  int number = 1;
  double elements[8] = {};
  Descriptor strided = matrix_of(elements, 2, 2);
  strided.dimensions[1][2] = 32;
  Descriptor derived = matrix_of(elements, 2, 2);
  derived.type = 42;
  const auto names = [](CallNote* note, void** list) {
    const ReductionPart part = make_reduction_part(note, list);
    std::optional<ReceivedItems> received = ReceivedItems::read(note, list, part.bytes);
    return part.names_memory && received && received->list() == list;
  };
  void* plain[] = {&number, &number};
  EXPECT_TRUE(names(nullptr, plain));
  EXPECT_TRUE(names(Note({{Kind::kBytes, 4}, {Kind::kOpaque, 0}}).get(), plain));
  for (Descriptor* descriptor : {&strided, &derived}) {
    void* list[] = {&descriptor};
    EXPECT_TRUE(names(Note({{Kind::kDescriptor, 0}}).get(), list));
  }
}

TEST(ReducedItems, PartsOfAnotherReductionAreRefused) {
  Note note({{Kind::kBytes, 40}});
  char bytes[40] = {};
  void* list[] = {bytes};
  Bytes part = make_reduction_part(note.get(), list).bytes;
  part.push_back(std::byte{0});
  EXPECT_FALSE(ReceivedItems::read(note.get(), list, part));
  EXPECT_FALSE(ReceivedItems::read(note.get(), list, ByteView(part).first(32)));
  EXPECT_FALSE(ReceivedItems::read(note.get(), list, ByteView(part).first(3)));
}

}  // namespace
}  // namespace weft::openmp

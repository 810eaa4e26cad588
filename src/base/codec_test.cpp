// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/codec.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace weft {
namespace {

enum class Colour : std::uint8_t { kRed, kBlue };

struct Point {
  std::int32_t x = 0, y = 0;
  WEFT_FIELDS(self.x, self.y)
  bool operator==(const Point&) const = default;
};

struct All {
  NodeId node;
  Colour colour = Colour::kRed;
  bool flag = false;
  std::int64_t number = 0;
  const int* pointer = nullptr;
  std::string text;
  std::vector<Point> points;
  std::optional<Point> centre;
  std::vector<std::string> names;
  Bytes end;
  WEFT_FIELDS(self.node, self.colour, self.flag, self.number, self.pointer, self.text, self.points,
              self.centre, self.names, rest(self.end))
  bool operator==(const All&) const = default;
};

All some() {
  static const int number = 3;
  return {.node = NodeId(1000),
          .colour = Colour::kBlue,
          .flag = true,
          .number = std::numeric_limits<std::int64_t>::min(),
          .pointer = &number,
          .text = "a text",
          .points = {{1, -1}, {1 << 30, 0}},
          .centre = Point{2, 3},
          .names = {"", "b"},
          .end = Bytes(3, std::byte{7})};
}

// A value that is more than its fields: its length goes before each half.
struct Halves {
  std::string text;
};
void put_value(WireWriter& wire, const Halves& halves) {
  const std::size_t half = halves.text.size() / 2;
  wire(halves.text.substr(0, half), halves.text.substr(half));
}
void get_value(WireReader& wire, Halves& halves) {
  std::string first, second;
  wire(first, second);
  halves.text = first + second;
}

// What stands only with another.
struct Perhaps {
  bool has_point = false;
  Point point;
  template <typename Self, typename Wire>
  static void fields(Self& self, Wire& wire) {
    wire(self.has_point);
    if (self.has_point) wire(self.point);
  }
};

std::vector<int> numbers(const Bytes& bytes) {
  std::vector<int> result;
  for (const std::byte each : bytes) result.push_back(std::to_integer<int>(each));
  return result;
}

TEST(Codec, ReadsWhatItHasWritten) {
  EXPECT_EQ(from_bytes<All>(to_bytes(some())), some());
  EXPECT_EQ(from_bytes<All>(to_bytes(All())), All());
  EXPECT_EQ(from_bytes<Halves>(to_bytes(Halves{"halves"}))->text, "halves");
}

TEST(Codec, WritesAsItSays) {
  EXPECT_EQ(numbers(to_bytes(std::uint32_t{300}, true, Colour::kBlue, NodeId(5))),
            (std::vector{0xac, 0x02, 1, 1, 5}));
  EXPECT_EQ(numbers(to_bytes(std::string("ab"), std::vector<std::uint8_t>{1, 2})),
            (std::vector{2, 97, 98, 2, 1, 2}));
  EXPECT_EQ(numbers(to_bytes(std::optional<int>(), std::optional(4))), (std::vector{0, 1, 4}));
  EXPECT_EQ(to_bytes(-1).size(), 10U);
  EXPECT_EQ(to_bytes(static_cast<void*>(nullptr)).size(), 8U);
  const std::string text = "ab";
  EXPECT_EQ(numbers(to_bytes(1, rest(text))), (std::vector{1, 97, 98}));
  EXPECT_EQ(numbers(to_bytes(Perhaps())), std::vector{0});
  EXPECT_EQ(numbers(to_bytes(Perhaps{true, {3, 4}})), (std::vector{1, 3, 4}));
}

TEST(Codec, MalformedBytesOfANodeAreToldWithItsName) {
  EXPECT_EQ(value_of<Point>(to_bytes(3, 4)), (Point{3, 4}));
  const ReadingFrom sender(NodeId(5));
  EXPECT_DEATH((void)value_of<Point>(to_bytes(3)), "what node 5 has sent .*Point of 1 bytes");
}

TEST(Codec, ReadsSeveralValues) {
  int number = 0;
  ByteView end;
  const Bytes bytes = to_bytes(-7, Bytes(2));
  ASSERT_TRUE(from_bytes(bytes, number, rest(end)));
  EXPECT_EQ(number, -7);
  EXPECT_EQ(end.data(), bytes.data() + 10);
  EXPECT_EQ(end.size(), 3U);
  EXPECT_FALSE(from_bytes(bytes, number));
}

TEST(Codec, RefusesWhatItHasNotWritten) {
  const Bytes bytes = to_bytes(some());
  const std::size_t end = bytes.size() - some().end.size();
  for (std::size_t size = 0; size < end; ++size) {
    EXPECT_FALSE(from_bytes<All>(ByteView(bytes).first(size))) << size;
  }
  EXPECT_FALSE(from_bytes<std::uint8_t>(to_bytes(256)));
  EXPECT_FALSE(from_bytes<std::int32_t>(to_bytes(std::int64_t{1} << 40)));
  EXPECT_FALSE(from_bytes<bool>(to_bytes(2)));
  EXPECT_FALSE(from_bytes<NodeId>(to_bytes(1 << 16)));
  EXPECT_FALSE(from_bytes<std::vector<int>>(to_bytes(std::uint64_t{1} << 62)));
}

}  // namespace
}  // namespace weft

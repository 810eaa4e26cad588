// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/launchers/pmi_wire.hpp"

#include <gtest/gtest.h>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

Bytes some_bytes(std::size_t count) {
  Bytes bytes;
  for (std::size_t each = 0; each < count; ++each) {
    bytes.push_back(static_cast<std::byte>((each * 37 + 11) & 255));
  }
  return bytes;
}

PmiReader reader_of(PmiVersion version, std::string_view received) {
  PmiReader reader;
  reader.speak(version);
  reader.append(received);
  return reader;
}

TEST(PmiWireTest, WritesBothVersions) {
  EXPECT_EQ(pmi_message(PmiVersion::k1, {{"cmd", "get"}, {"key", "k"}}), "cmd=get key=k\n");
  EXPECT_EQ(pmi_message(PmiVersion::k2, {{"cmd", "kvs-get"}, {"key", "k"}}),
            "    18cmd=kvs-get;key=k;");
  EXPECT_EQ(pmi_message(PmiVersion::k2, {{"msg", "a;b"}}), "     9msg=a;;b;");
}

TEST(PmiWireTest, ReadsLinesAsTheyCome) {
  PmiReader reader = reader_of(PmiVersion::k1, "cmd=get_result rc=0 ms");
  EXPECT_FALSE(reader.next());
  reader.append("g=all is well value=a=b\ncmd=barrier_out\n");
  const auto first = reader.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->at("cmd"), "get_result");
  EXPECT_EQ(first->at("msg"), "all");
  EXPECT_EQ(first->at("value"), "a=b");
  EXPECT_EQ(reader.next()->at("cmd"), "barrier_out");
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.good());
}

TEST(PmiWireTest, ReadsCountedMessagesAsTheyCome) {
  const std::string message =
      pmi_message(PmiVersion::k2, {{"cmd", "kvs-get-response"}, {"value", "a;b;"}, {"rc", "0"}});
  PmiReader reader = reader_of(PmiVersion::k2, "");
  for (const char each : message) {
    EXPECT_FALSE(reader.next());
    reader.append({&each, 1});
  }
  const auto fields = reader.next();
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->at("cmd"), "kvs-get-response");
  EXPECT_EQ(fields->at("value"), "a;b;");
  EXPECT_EQ(fields->at("rc"), "0");
}

// Slurm writes the length from the left.
TEST(PmiWireTest, ReadsALengthOnEitherSide) {
  EXPECT_EQ(reader_of(PmiVersion::k2, "7     cmd=one").next()->at("cmd"), "one");
  EXPECT_EQ(reader_of(PmiVersion::k2, "     7cmd=one").next()->at("cmd"), "one");
}

TEST(PmiWireTest, RefusesWhatIsNoLength) {
  for (const char* text : {"abcdef", "      ", "-00001", "12 456", "0x0007cmd=one"}) {
    PmiReader reader = reader_of(PmiVersion::k2, text);
    EXPECT_FALSE(reader.next()) << text;
    EXPECT_FALSE(reader.good()) << text;
  }
}

TEST(PmiWireTest, RefusesALineWithoutEnd) {
  PmiReader reader = reader_of(PmiVersion::k1, std::string((1 << 20) + 1, 'x'));
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.good());
}

TEST(PmiWireTest, CutsBytesIntoValues) {
  for (const std::size_t count : {0, 1, 2, 3, 17, 18, 19, 255, 5000}) {
    const Bytes bytes = some_bytes(count);
    const std::vector<std::string> values = as_values(bytes, 32);
    for (const std::string& each : values) EXPECT_LE(each.size(), 32U);
    EXPECT_EQ(count_of_values(values.front()), values.size());
    EXPECT_EQ(from_values(values), bytes) << count;
  }
}

TEST(PmiWireTest, RefusesOtherValues) {
  for (const char* text : {"", "1", ".", "0.", "x.AAAA", "-1.AAAA", "99999999999999999999.A"}) {
    EXPECT_FALSE(count_of_values(text)) << text;
    EXPECT_FALSE(from_values({text})) << text;
  }
  EXPECT_FALSE(from_values({"2.AAAA"}));
  EXPECT_FALSE(from_values({"1.AA*A"}));
  EXPECT_FALSE(from_values({}));
}

// Whatever comes, it is cut into messages or refused; sanitizers see the rest.
TEST(PmiWireTest, SurvivesNoise) {
  Random random(1);
  constexpr std::string_view kLetters = "0123456789 ;;==\ncmdvalue\0\xff";
  for (unsigned round = 0; round < 20000; ++round) {
    PmiReader reader =
        reader_of(random.below(2) == 0 ? PmiVersion::k1 : PmiVersion::k2, std::string_view());
    std::vector<std::string> values;
    for (unsigned part = 0; part < 4; ++part) {
      std::string noise;
      for (std::uint64_t left = random.below(40); left > 0; --left) {
        noise += kLetters[random.below(kLetters.size())];
      }
      reader.append(noise);
      values.push_back(noise);
      while (reader.next()) {
      }
    }
    (void)from_values(values);
    (void)count_of_values(values.front());
  }
}

}  // namespace
}  // namespace weft

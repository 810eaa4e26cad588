// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/json.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Json, TextsAreEscaped) {
  EXPECT_EQ(json_string("plain"), "\"plain\"");
  EXPECT_EQ(json_string("a \"b\" \\ \n\x01"), "\"a \\\"b\\\" \\\\ \\u000a\\u0001\"");
  EXPECT_EQ(json_string("hä€😀"), "\"hä€😀\"");
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(json_string("a\xff"
                        "b"),
            "\"a\\ufffdb\"");
  EXPECT_EQ(json_string("\xe2\x82"), "\"\\ufffd\\ufffd\"");             // cut off
  EXPECT_EQ(json_string("\xc0\xaf"), "\"\\ufffd\\ufffd\"");             // longer than needed
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
}

TEST(Json, ObjectsKeepTheirOrder) {
  EXPECT_EQ(JsonObject().text(), "{}");
  EXPECT_EQ(JsonObject().add("b", 1U).add("a", "x").add_json("c", json_list({"1", "2"})).text(),
            "{\"b\": 1, \"a\": \"x\", \"c\": [1, 2]}");
}

}  // namespace
}  // namespace weft

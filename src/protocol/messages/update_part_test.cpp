// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "base/peers/sender.hpp"
#include "protocol/messages/message.hpp"

namespace weft {
namespace {

TEST(UpdatePart, IsAnUpdateOfItsBytes) {
  const Bytes bytes(7, std::byte{1});
  const Update update = whole_update({.sequence = UpdateSequence(3),
                                      .final = true,
                                      .after = {},
                                      .merged = {},
                                      .sizes = {{PageIndex(5), 4}, {PageIndex(9), 3}},
                                      .diffs = {bytes}});
  EXPECT_EQ(update.sequence, UpdateSequence(3));
  EXPECT_TRUE(update.final);
  ASSERT_EQ(update.diffs.size(), 2U);
  EXPECT_EQ(update.diffs[1].page, PageIndex(9));
  EXPECT_EQ(update.diffs[1].bytes.data(), bytes.data() + 4);
  EXPECT_EQ(update.diffs[1].bytes.size(), 3U);
}

TEST(UpdatePartDeathTest, IsRefusedIfItsSizesDoNotAddUp) {
  const Bytes bytes(7, std::byte{1});
  for (const std::uint32_t last : {2U, 4U}) {
    const UpdatePart part{.sequence = {},
                          .final = false,
                          .after = {},
                          .merged = {},
                          .sizes = {{PageIndex(5), 4}, {PageIndex(9), last}},
                          .diffs = {bytes}};
    EXPECT_DEATH(
        {
          const ReadingFrom sender(NodeId(6));
          (void)whole_update(part);
        },
        "what node 6 has sent cannot be read: UpdatePart of 7 bytes");
  }
}

}  // namespace
}  // namespace weft

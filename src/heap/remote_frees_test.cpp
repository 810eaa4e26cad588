// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/remote_frees.hpp"

#include <gtest/gtest.h>

namespace weft::heap {
namespace {

TEST(RemoteFrees, MessagesSurviveTheirEncoding) {
  const FreeMessage sent{77, {0x1000, 0x7fff12345678}};
  const auto received = value_of<FreeMessage>(to_bytes(sent));
  EXPECT_EQ(received.epoch, 77U);
  EXPECT_EQ(received.blocks, sent.blocks);
  Bytes cut = to_bytes(sent);
  cut.pop_back();
  EXPECT_FALSE(from_bytes<FreeMessage>(cut));
}

TEST(RemoteFrees, WholePagesAreSentAtOnceAndTakeTheOthersAlong) {
  Outbox outbox(3);
  EXPECT_TRUE(outbox.add(NodeId(2), 0x1010).empty());
  EXPECT_FALSE(outbox.empty());
  EXPECT_EQ(outbox.add(NodeId(2), 0x5000), (std::vector<std::uintptr_t>{0x1010, 0x5000}));
  EXPECT_TRUE(outbox.empty());
}

TEST(RemoteFrees, BlocksLeaveTheQuarantineAfterTheirEpoch) {
  Quarantine quarantine;
  EXPECT_TRUE(quarantine.take_before(9).empty());
  quarantine.arrive(NodeId(1), FreeMessage{4, {0x10, 0x20}});
  quarantine.arrive(NodeId(2), FreeMessage{5, {0x30}});
  EXPECT_TRUE(quarantine.take_before(4).empty());
  EXPECT_EQ(quarantine.take_before(5).size(), 2U);
  quarantine.arrive(NodeId(1), FreeMessage{4, {0x40}});
  const auto late = quarantine.take_before(5);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].block, 0x40U);
  EXPECT_EQ(late[0].by, NodeId(1));
  EXPECT_EQ(quarantine.take_before(6).size(), 1U);
  EXPECT_TRUE(quarantine.take_before(100).empty());
}

}  // namespace
}  // namespace weft::heap

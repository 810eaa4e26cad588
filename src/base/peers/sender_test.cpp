// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/peers/sender.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace weft {
namespace {

struct Message {};

TEST(Sender, IsEachThreadsOwnAndGoesBackToWhatItWas) {
  const ReadingFrom outer(NodeId(3));
  {
    const ReadingFrom inner(NodeId(4));
    NodeId elsewhere;
    std::thread([&elsewhere] { elsewhere = note_sender(NodeId(9)); }).join();
    EXPECT_EQ(elsewhere, kNoSender);
    EXPECT_EQ(note_sender(NodeId(4)), NodeId(4));
  }
  EXPECT_EQ(note_sender(NodeId(3)), NodeId(3));
}

TEST(Sender, IsNamedWhereItsBytesCannotBeRead) {
  EXPECT_DEATH(fail_unreadable("Message", 5),
               "what another node has sent cannot be read: Message of 5 bytes");
  const ReadingFrom sender(NodeId(7));
  EXPECT_DEATH(fail_unreadable("Message", 5),
               "what node 7 has sent cannot be read: Message of 5 bytes");
}

TEST(TypeName, IsTheNameWithoutOurNamespace) {
  EXPECT_EQ(type_name<NodeId>().substr(0, 3), "Id<");
  EXPECT_EQ(type_name<int>(), "int");
  EXPECT_EQ(type_name<std::vector<int>>().substr(0, 11), "std::vector");
  EXPECT_TRUE(type_name<Message>().ends_with("Message")) << type_name<Message>();
}

}  // namespace
}  // namespace weft

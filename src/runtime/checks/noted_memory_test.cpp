// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checks/noted_memory.hpp"

#include <gtest/gtest.h>

#include "runtime/checks/plain_memory.hpp"

namespace weft {
namespace {

TEST(NotedMemory, KnowsItsCopies) {
  PlainMemory inner;
  NotedMemory memory(inner);
  memory.map_tracked({PageIndex(2), 3}, Twin::kPresent);
  memory.map_tracked({PageIndex(7), 1}, Twin::kNone);  // homed here
  memory.unmap({PageIndex(3), 1});
  EXPECT_EQ(memory.copies(PageIndex(0), 10), (std::vector{PageIndex(2), PageIndex(4)}));
  EXPECT_EQ(memory.copies(PageIndex(3), 10), (std::vector{PageIndex(4)}));
  EXPECT_EQ(memory.copies(PageIndex(0), 1), (std::vector{PageIndex(2)}));
}

TEST(NotedMemory, TellsHowContentsCame) {
  PlainMemory inner;
  NotedMemory memory(inner);
  EXPECT_EQ(memory.history(PageIndex(1)), "never touched by the protocol");
  memory.set_cause({.message = MessageType::kFetchReply, .from = NodeId(3), .epoch = Epoch(5)});
  memory.install(PageIndex(1), Bytes(kPageBytes));
  memory.set_cause({.message = std::nullopt, .from = NodeId(0), .epoch = Epoch(6)});
  memory.unmap({PageIndex(1), 1});
  EXPECT_EQ(memory.history(PageIndex(1)),
            "installed by FetchReply of node 3 in epoch 5, taken away in epoch 6");
}

}  // namespace
}  // namespace weft

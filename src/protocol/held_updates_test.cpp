// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/held_updates.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr NodeId kHome(0), kOne(1), kTwo(2);

Bytes message(int number) { return Bytes(1, static_cast<std::byte>(number)); }
std::vector<StreamPosition> after(NodeId node, std::uint64_t sequence) {
  return {{node, UpdateSequence(sequence)}};
}

TEST(HeldUpdates, KeepAStreamInOrderBehindTheOneThatWaits) {
  UpdateStreams streams(kHome, 3);
  HeldUpdates held(streams);
  EXPECT_TRUE(held.may_apply(kOne, {}));
  EXPECT_FALSE(held.may_apply(kOne, after(kTwo, 1)));
  held.keep(kOne, message(1), after(kTwo, 1));
  EXPECT_FALSE(held.may_apply(kOne, {}));
  held.keep(kOne, message(2), {});
  EXPECT_TRUE(held.may_apply(kTwo, {}));
  NodeId from;
  Bytes taken;
  EXPECT_FALSE(held.take(from, taken));

  streams.count_applied(kTwo, UpdateSequence(1));
  for (const int number : {1, 2}) {
    EXPECT_TRUE(held.take(from, taken));
    EXPECT_EQ(from, kOne);
    EXPECT_EQ(taken, message(number));
  }
  EXPECT_FALSE(held.take(from, taken));
  EXPECT_TRUE(held.may_apply(kOne, {}));
}

}  // namespace
}  // namespace weft

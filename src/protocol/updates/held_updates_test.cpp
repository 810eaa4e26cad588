// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/held_updates.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr NodeId kHome(0), kOne(1), kTwo(2);

Bytes message(int number) { return Bytes(1, static_cast<std::byte>(number)); }
std::vector<StreamPosition> after(NodeId node, std::uint64_t sequence) {
  return {{node, UpdateSequence(sequence)}};
}

constexpr UpdateSequence number(std::uint64_t sequence) { return UpdateSequence(sequence); }

TEST(HeldUpdates, KeepAStreamInOrderBehindTheOneThatWaits) {
  UpdateStreams streams(kHome);
  HeldUpdates held(streams);
  EXPECT_TRUE(held.may_apply(kOne, number(1), {}));
  EXPECT_FALSE(held.may_apply(kOne, number(1), after(kTwo, 1)));
  held.keep(kOne, number(1), message(1), after(kTwo, 1));
  EXPECT_FALSE(held.may_apply(kOne, number(2), {}));
  held.keep(kOne, number(2), message(2), {});
  EXPECT_TRUE(held.may_apply(kTwo, number(1), {}));
  NodeId from;
  Bytes taken;
  EXPECT_FALSE(held.take(from, taken));

  streams.count_applied(kTwo, number(1));
  for (const int each : {1, 2}) {
    EXPECT_TRUE(held.take(from, taken));
    EXPECT_EQ(from, kOne);
    EXPECT_EQ(taken, message(each));
    streams.count_applied(kOne, number(static_cast<std::uint64_t>(each)));
  }
  EXPECT_FALSE(held.take(from, taken));
  EXPECT_TRUE(held.may_apply(kOne, number(3), {}));
}

TEST(HeldUpdates, KeepWhatOvertookTheOneBefore) {
  UpdateStreams streams(kHome);
  HeldUpdates held(streams);
  held.keep(kOne, number(3), message(3), {});
  held.keep(kOne, number(2), message(2), {});
  NodeId from;
  Bytes taken;
  EXPECT_FALSE(held.take(from, taken));
  EXPECT_TRUE(held.may_apply(kOne, number(1), {}));
  streams.count_applied(kOne, number(1));
  for (const int each : {2, 3}) {
    EXPECT_TRUE(held.take(from, taken));
    EXPECT_EQ(taken, message(each));
    streams.count_applied(kOne, number(static_cast<std::uint64_t>(each)));
  }
}

}  // namespace
}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run/host_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace weft {
namespace {

TEST(HostTree, TheLauncherReachesAllWhereThereAreFew) {
  for (std::size_t host = 0; host < 1000; ++host) {
    EXPECT_EQ(reached_through(host, 0), std::nullopt);
    EXPECT_EQ(reached_through(host, 1000), std::nullopt);
  }
}

TEST(HostTree, EveryHostIsReachedByOneBeforeIt) {
  for (unsigned fanout = 1; fanout < 20; ++fanout) {
    std::map<std::optional<std::size_t>, unsigned> reached;  // how many each reaches
    std::size_t before = 0;
    for (std::size_t host = 0; host < 1000; ++host) {
      const auto way = reached_through(host, fanout);
      EXPECT_EQ(way.has_value(), host >= fanout);
      if (way) {
        EXPECT_LT(*way, host);
        EXPECT_GE(*way, before);  // the tree fills up level by level
        before = *way;
      }
      EXPECT_LE(++reached[way], fanout);
    }
  }
}

TEST(HostTree, AThousandHostsAreThreeStepsAway) {
  unsigned steps = 1;
  for (auto way = reached_through(999, kDefaultFanout); way; ++steps) {
    way = reached_through(*way, kDefaultFanout);
  }
  EXPECT_EQ(steps, 3U);
}

}  // namespace
}  // namespace weft

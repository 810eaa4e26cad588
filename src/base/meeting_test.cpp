// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/meeting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>
#include <vector>

namespace weft {
namespace {

constexpr std::uint16_t kNodes = 3;

TEST(Meeting, TheLastOneToComeEndsIt) {
  Meeting meeting;
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNotYet);
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNotYet);
  EXPECT_EQ(meeting.look(1, kNodes), Met::kNotYet);
  EXPECT_EQ(meeting.come(1, kNodes), Met::kAll);
  EXPECT_EQ(meeting.look(1, kNodes), Met::kAll);
}

TEST(Meeting, WhoIsStillThereSeesThatOthersHaveGoneOn) {
  Meeting meeting;
  for (unsigned node = 0; node < kNodes; ++node) (void)meeting.come(1, kNodes);
  EXPECT_EQ(meeting.come(2, kNodes), Met::kNotYet);
  EXPECT_EQ(meeting.look(1, kNodes), Met::kAll);
  EXPECT_EQ(meeting.give_up(1, kNodes), Met::kAll);
  meeting.tell(2);
  EXPECT_EQ(meeting.look(1, kNodes), Met::kAll);
}

TEST(Meeting, OneThatTellsIsEnoughAndFirstOrLast) {
  Meeting meeting;
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNotYet);
  meeting.tell(1);
  EXPECT_EQ(meeting.look(1, kNodes), Met::kNobody);
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNobody);
  meeting.tell(2);
  EXPECT_EQ(meeting.come(2, kNodes), Met::kNobody);
}

TEST(Meeting, WhoGivesUpTells) {
  Meeting meeting;
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNotYet);
  EXPECT_EQ(meeting.give_up(1, kNodes), Met::kNobody);
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNobody);
}

TEST(Meeting, WhatOneBarrierHasSeenIsNothingToTheNext) {
  Meeting meeting;
  meeting.tell(1);
  for (unsigned node = 1; node < kNodes; ++node) EXPECT_EQ(meeting.come(2, kNodes), Met::kNotYet);
  EXPECT_EQ(meeting.come(2, kNodes), Met::kAll);
}

// Nodes that come, tell and give up at once, as they like: each of them learns the same.
TEST(Meeting, AllAgree) {
  constexpr std::uint64_t kBarriers = 20'000;
  Meeting meeting;
  std::array<std::vector<Met>, kNodes> seen;
  std::vector<std::thread> nodes;
  std::atomic<std::uint64_t> behind[kNodes] = {};
  for (unsigned node = 0; node < kNodes; ++node) {
    nodes.emplace_back([&, node] {
      std::minstd_rand random(node + 1);
      for (std::uint64_t barrier = 1; barrier <= kBarriers; ++barrier) {
        Met met = Met::kNobody;
        if (random() % 8 == 0) {
          meeting.tell(barrier);
        } else {
          met = meeting.come(barrier, kNodes);
          for (unsigned looks = 0; met == Met::kNotYet; ++looks) {
            met = looks == 100 ? meeting.give_up(barrier, kNodes) : meeting.look(barrier, kNodes);
            if (met == Met::kNotYet) std::this_thread::yield();
          }
        }
        seen[node].push_back(met);
        // The barrier of messages, of which nobody is told before all have come.
        behind[node] = barrier;
        for (const auto& other : behind) {
          while (met == Met::kNobody && other < barrier) std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& node : nodes) node.join();
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
  EXPECT_NE(std::count(seen[0].begin(), seen[0].end(), Met::kNobody), 0);
}

}  // namespace
}  // namespace weft

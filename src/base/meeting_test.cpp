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

TEST(Meeting, WhoIsStillThereSeesWhatWasWhenOthersHaveGoneOn) {
  Meeting meeting;
  for (unsigned node = 0; node < kNodes; ++node) {
    (void)meeting.come(1, kNodes, static_cast<std::uint8_t>(1U << node));
  }
  EXPECT_EQ(meeting.come(2, kNodes, 8), Met::kNotYet);
  EXPECT_EQ(meeting.look(1, kNodes), Met::kAll);
  EXPECT_EQ(meeting.give_up(1, kNodes), Met::kAll);
  meeting.tell(2);
  EXPECT_EQ(meeting.look(1, kNodes), Met::kAll);
  EXPECT_EQ(meeting.votes(1), 7);
}

TEST(Meeting, AllFindThatOneHasWaitedInVain) {
  Meeting meeting;
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNotYet);
  meeting.tell(1);
  EXPECT_EQ(meeting.give_up(1, kNodes), Met::kNobody);
  EXPECT_FALSE(meeting.was_given_up(1));  // it was told before
  EXPECT_EQ(meeting.come(2, kNodes), Met::kNotYet);
  EXPECT_EQ(meeting.give_up(2, kNodes), Met::kNobody);
  EXPECT_EQ(meeting.come(2, kNodes), Met::kNobody);
  EXPECT_TRUE(meeting.was_given_up(2));
  EXPECT_FALSE(meeting.was_given_up(3));
}

TEST(Meeting, WhoGathersWaitsForTheOthers) {
  Meeting meeting;
  const std::array<std::byte, 2> two{std::byte{2}, std::byte{3}};
  EXPECT_EQ(meeting.look(1, kNodes - 1), Met::kNotYet);
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNotYet);
  meeting.bring(1, 2, two);
  EXPECT_EQ(meeting.come(1, kNodes), Met::kNotYet);
  EXPECT_EQ(meeting.look(1, kNodes - 1), Met::kAll);
  EXPECT_TRUE(std::ranges::equal(meeting.brought(1, 2), two));
  EXPECT_TRUE(meeting.brought(1, 1).empty());
  EXPECT_EQ(meeting.come(1, kNodes), Met::kAll);
  EXPECT_TRUE(meeting.brought(2, 2).empty());  // it has brought nothing to this one
}

TEST(Meeting, APublicationIsShownUnlessANodeSleeps) {
  Meeting meeting;
  const std::array<std::byte, 1> one{std::byte{7}};
  EXPECT_EQ(meeting.look_for_publication(3), Shown::kNotYet);
  EXPECT_TRUE(meeting.publish(3, one));
  EXPECT_EQ(meeting.look_for_publication(3), Shown::kHere);
  EXPECT_EQ(meeting.stop_looking(3), Shown::kHere);
  EXPECT_TRUE(std::ranges::equal(meeting.published(), one));
  EXPECT_EQ(meeting.look_for_publication(4), Shown::kNotYet);
  EXPECT_EQ(meeting.stop_looking(4), Shown::kByMessage);
  EXPECT_FALSE(meeting.publish(4, one));
  EXPECT_EQ(meeting.look_for_publication(4), Shown::kByMessage);
  EXPECT_TRUE(meeting.publish(5, one));
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

std::uint8_t vote_of(unsigned node, std::uint64_t barrier) {
  return static_cast<std::uint8_t>((barrier + node) % 3 == 0 ? 1U << node : 0U);
}

std::uint8_t votes_at(std::uint64_t barrier) {
  std::uint8_t votes = 0;
  for (unsigned node = 0; node < kNodes; ++node) votes |= vote_of(node, barrier);
  return votes;
}

// Nodes that come, tell and give up at once, as they like: each of them learns the same.
TEST(Meeting, AllAgree) {
  constexpr std::uint64_t kBarriers = 20'000;
  Meeting meeting;
  std::array<std::vector<Met>, kNodes> seen;
  std::vector<std::thread> nodes;
  std::atomic<std::uint64_t> behind[kNodes] = {};
  std::atomic<bool> wrong_votes{false};
  for (unsigned node = 0; node < kNodes; ++node) {
    nodes.emplace_back([&, node] {
      std::minstd_rand random(node + 1);
      for (std::uint64_t barrier = 1; barrier <= kBarriers; ++barrier) {
        Met met = Met::kNobody;
        if (random() % 8 == 0) {
          meeting.tell(barrier);
        } else {
          met = meeting.come(barrier, kNodes, vote_of(node, barrier));
          for (unsigned looks = 0; met == Met::kNotYet; ++looks) {
            met = looks == 100 ? meeting.give_up(barrier, kNodes) : meeting.look(barrier, kNodes);
            if (met == Met::kNotYet) std::this_thread::yield();
          }
        }
        seen[node].push_back(met);
        if (met == Met::kAll && meeting.votes(barrier) != votes_at(barrier)) wrong_votes = true;
        // The barrier of messages, of which nobody is told before all have come.
        behind[node] = barrier;
        for (const auto& other : behind) {
          while (met == Met::kNobody && other < barrier) std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& node : nodes) node.join();
  EXPECT_FALSE(wrong_votes);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
  EXPECT_NE(std::count(seen[0].begin(), seen[0].end(), Met::kNobody), 0);
}

}  // namespace
}  // namespace weft

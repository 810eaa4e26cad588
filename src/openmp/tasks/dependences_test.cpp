// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tasks/dependences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace weft::openmp::tasks {
namespace {

using enum DependenceKind;

class Dependences : public testing::Test {
 protected:
  // Adds a task and returns its number.
  std::size_t add(std::vector<Dependence> dependences) {
    nodes_.push_back(std::make_shared<DependenceNode>());
    table_.add(nodes_.back(), dependences);
    return nodes_.size() - 1;
  }
  [[nodiscard]] bool is_ready(std::size_t task) const { return nodes_[task]->predecessors == 0; }
  // Ends a task that is ready, and says which become ready by it.
  std::vector<std::size_t> finish(std::size_t task) {
    EXPECT_TRUE(is_ready(task));
    std::vector<DependenceNodePointer> ready;
    nodes_[task]->end_exclusion();
    DependenceTable::finish(*nodes_[task], ready);
    std::vector<std::size_t> numbers;
    for (const auto& node : ready) {
      numbers.push_back(static_cast<std::size_t>(std::ranges::find(nodes_, node) - nodes_.begin()));
    }
    return numbers;
  }
  bool start(std::size_t task) { return nodes_[task]->try_exclude(); }

  DependenceTable table_;
  std::vector<DependenceNodePointer> nodes_;
};

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_F(Dependences, ReadersWaitForTheWriterAndTheNextWriterForThem) {
  const auto writer = add({{8, kOut}}), first = add({{8, kIn}}), second = add({{8, kIn}});
  const auto next = add({{8, kOut}}), elsewhere = add({{16, kOut}});
  EXPECT_TRUE(is_ready(writer));
  EXPECT_TRUE(is_ready(elsewhere));
  EXPECT_FALSE(is_ready(first));
  EXPECT_THAT(finish(writer), UnorderedElementsAre(first, second));
  EXPECT_THAT(finish(second), IsEmpty());
  EXPECT_THAT(finish(first), ElementsAre(next));
}

TEST_F(Dependences, WhoComesLateWaitsForNobodyThatIsDone) {
  const auto writer = add({{8, kOut}});
  finish(writer);
  EXPECT_TRUE(is_ready(add({{8, kIn}})));
}

TEST_F(Dependences, ALateReaderWaitsForTheWriterThoughOtherReadersAreDone) {
  const auto writer = add({{8, kOut}}), reader = add({{8, kIn}});
  EXPECT_THAT(finish(writer), ElementsAre(reader));
  finish(reader);
  const auto late = add({{8, kIn}});
  EXPECT_TRUE(is_ready(late));
  const auto next = add({{8, kOut}});
  EXPECT_FALSE(is_ready(next));
  EXPECT_THAT(finish(late), ElementsAre(next));
}

TEST_F(Dependences, SeveralAddressesCountEach) {
  const auto a = add({{8, kOut}}), b = add({{16, kOut}});
  const auto both = add({{8, kIn}, {16, kIn}});
  EXPECT_THAT(finish(a), IsEmpty());
  EXPECT_THAT(finish(b), ElementsAre(both));
}

TEST_F(Dependences, AnAddressNamedTwiceIsNoWaitForOneself) {
  const auto writer = add({{8, kOut}});
  const auto twice = add({{8, kIn}, {8, kOut}});
  const auto after = add({{8, kIn}});
  EXPECT_THAT(finish(writer), ElementsAre(twice));
  EXPECT_THAT(finish(twice), ElementsAre(after));
}

TEST_F(Dependences, InoutsetMembersRunTogether) {
  const auto writer = add({{8, kOut}});
  const auto a = add({{8, kSet}}), b = add({{8, kSet}}), reader = add({{8, kIn}});
  EXPECT_THAT(finish(writer), UnorderedElementsAre(a, b));
  EXPECT_TRUE(start(a) && start(b));
  finish(a);
  EXPECT_THAT(finish(b), ElementsAre(reader));
}

TEST_F(Dependences, MutexMembersRunOneAtATimeInAnyOrder) {
  const auto a = add({{8, kMutex}, {16, kMutex}}), b = add({{8, kMutex}}), c = add({{16, kMutex}});
  const auto reader = add({{8, kIn}, {16, kIn}});
  ASSERT_TRUE(is_ready(a) && is_ready(b) && is_ready(c));
  EXPECT_TRUE(start(b));
  EXPECT_FALSE(start(a));
  EXPECT_TRUE(start(c)) << "a must hold nothing while it cannot have both";
  finish(b);
  EXPECT_FALSE(start(a));
  finish(c);
  EXPECT_TRUE(start(a));
  EXPECT_THAT(finish(a), ElementsAre(reader));
}

TEST_F(Dependences, AllMemoryIsBetweenEverythingBeforeAndAfter) {
  const auto a = add({{8, kOut}}), b = add({{16, kIn}});
  const auto all = add({{0, kOut, true}, {8, kIn}});
  const auto c = add({{8, kIn}}), d = add({{24, kOut}}), again = add({{0, kOut, true}});
  EXPECT_THAT(finish(a), IsEmpty());
  EXPECT_THAT(finish(b), ElementsAre(all));
  EXPECT_FALSE(is_ready(d));
  EXPECT_THAT(finish(all), UnorderedElementsAre(c, d));
  EXPECT_THAT(finish(c), IsEmpty());
  EXPECT_THAT(finish(d), ElementsAre(again));
}

TEST_F(Dependences, AFullTableWithoutNamesAfterAllMemory) {
  const auto first = add({{0, kOut, true}}), second = add({{0, kOut, true}});
  EXPECT_THAT(finish(first), ElementsAre(second));
}

}  // namespace
}  // namespace weft::openmp::tasks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All small worlds, as far as a few seconds go.
#include <gtest/gtest.h>

#include "protocol/interface/bugs.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/explore/checked/budgets.hpp"
#include "sim/explore/explorer.hpp"
#include "sim/explore/library.hpp"

namespace weft::sim::explore {
namespace {

class SmallWorld : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override { turn_assertions_into_failures(); }
};

TEST_P(SmallWorld, IsRight) {
  const Program& program = GetParam();
  const Exploration done = Explorer(program).explore(kBriefly);
  EXPECT_FALSE(done.finding) << done.finding->what << "\n./x check --world " << program.name
                             << " --trace --replay " << done.finding->way.text();
  EXPECT_GT(done.ends, 0U) << "no way ends";
}

INSTANTIATE_TEST_SUITE_P(Each, SmallWorld, testing::ValuesIn(load_all_worlds(WEFT_WORLDS)),
                         [](const testing::TestParamInfo<Program>& info) {
                           return test_name(info.param.name);
                         });

// Arrivals that cross lost a word that the child wrote first and the root wrote again, as it had
// learnt of that by a lock, a sequencer or a flag before it arrived. What is found is made short.
TEST(Crossing, LostWhatTheRootWroteOver) {
  turn_assertions_into_failures();
  activate_bug(Bug::kPushAcquired);
  for (const char* world : {"maximum", "hand-over", "told-by-flag"}) {
    const Program program = load_world(WEFT_WORLDS, std::string(world) + "/crosses-at-once");
    Explorer explorer(program);
    const Exploration done = explorer.explore(kLong);
    EXPECT_TRUE(done.finding) << world;
    if (!done.finding) continue;
    const Finding brief = explorer.shorten(*done.finding, {5});
    EXPECT_LE(brief.way.others.size(), done.finding->way.others.size());
    EXPECT_TRUE(Explorer::replay(program, Way::parse(brief.way.text()), nullptr)) << world;
  }
  activate_bug(Bug::kNone);
}

TEST(Explorer, SeesTheSameStatesEachTime) {
  turn_assertions_into_failures();
  const Program program = load_world(WEFT_WORLDS, "halves");
  const Exploration first = Explorer(program).explore(kLong);
  const Exploration second = Explorer(program).explore(kLong);
  EXPECT_TRUE(first.whole);
  EXPECT_GT(first.states, 100U);
  EXPECT_EQ(first.states, second.states);
  EXPECT_EQ(first.steps, second.steps);
}

TEST(Program, NamesTheLineThatMakesNoSense) {
  try {
    (void)parse_programs("w", "nodes 2\npages 1\ncells a=0:0\nturn:\n  0: read b\n  barrier\n");
    FAIL() << "it was taken";
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "world w, line 5: nothing is called 'b'");
  }
}

}  // namespace
}  // namespace weft::sim::explore

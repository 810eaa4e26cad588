// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/top/top_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/testing/job_states.hpp"
#include "weft/top/screen.hpp"

namespace weft {
namespace {

using board::WaitKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using weft::testing::job_of;
using weft::testing::thread_of;

// Half a second before, when nodes had done nothing yet.
JobState before(JobState state) {
  for (ObservedHost& host : state.hosts) {
    for (NodeView& node : host.nodes) {
      node.process->processor_ms = 0;
      node.shown->messages_sent = node.shown->bytes_sent = 0;
      node.shown->counters.assign(node.shown->counters.size(), 0);
    }
  }
  return state;
}

JobState now() {
  JobState state = job_of({{"ada", 2}, {"bob", 1}});
  for (ObservedHost& each : state.hosts) each.taken_us = 500'000;
  state.hosts[1].nodes[0].shown->threads = {thread_of(4, WaitKind::kNone),
                                            thread_of(5, WaitKind::kBarrier)};
  return state;
}

TEST(TopTable, TellsWhatHappensInASecond) {
  JobState first = before(now());
  for (ObservedHost& each : first.hosts) each.taken_us = 0;
  EXPECT_THAT(
      top_lines("57", {.before = first, .now = now()}, false),
      ElementsAre(
          "job 57: ./heat",                              //
          "running for 1:01, 3 nodes on ada:2,bob", "",  //
          "HOST      STATE    CPU %   MEMORY  FAULTS/s  MESSAGES/s   SENT/s  THREADS  WAITING  FOR",
          "all       running     60  3.0 MiB        30          60  5.9 KiB        2        1",
          "ada                   20  2.0 MiB        10          20  2.0 KiB        0        0",
          "  node 0  running      0  1.0 MiB         0           0      0 B        0        0",
          "  node 1  running     20  1.0 MiB        10          20  2.0 KiB        0        0",
          "bob                   40  1.0 MiB        20          40  3.9 KiB        2        1",
          "  node 2  running     40  1.0 MiB        20          40  3.9 KiB        2        1  a "
          "barrier (1)"));
}

TEST(TopTable, HasALineForEachThread) {
  const std::vector<std::string> lines = top_lines("57", {.before = now(), .now = now()}, true);
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_THAT(lines[10], ::testing::MatchesRegex("    thread 4  running *"));
  EXPECT_THAT(lines[11], ::testing::MatchesRegex("    thread 5  waiting  .*  a barrier"));
}

TEST(TopTable, SaysWhatIsNotKnown) {
  JobState second = now();
  second.hosts[1].answered = false;
  second.hosts[1].nodes[0] = NodeView();
  JobState first = second;
  first.hosts[0].nodes[0].process->pid = 1;  // another process
  const std::vector<std::string> lines = top_lines("57", {.before = first, .now = second}, false);
  EXPECT_THAT(lines[6], ::testing::MatchesRegex("  node 0  running +- .*"));
  EXPECT_THAT(lines[8], ::testing::MatchesRegex("bob +no answer +- .*"));
  EXPECT_THAT(lines[9], HasSubstr("unknown"));
}

TEST(Screen, LinesAreCutAtCharacters) {
  EXPECT_EQ(cut_to("häuser", 2), "hä");
  EXPECT_EQ(cut_to("häuser", 6), "häuser");
  EXPECT_EQ(cut_to("", 3), "");
}

}  // namespace
}  // namespace weft

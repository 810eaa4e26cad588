// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/jobs/job_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/locks/lock_ids.hpp"
#include "protocol/interface/counters.hpp"
#include "weft/testing/job_states.hpp"

namespace weft {
namespace {

using board::WaitKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using weft::testing::job_of;
using weft::testing::thread_of;

TEST(JobFigures, AreSummedUp) {
  const JobState state = job_of({{"ada", 2}, {"bob", 1}});
  const Figures sum = figures_of(state);
  EXPECT_EQ(node_count(state), 3U);
  EXPECT_EQ(sum.memory_bytes, 3U << 20);
  EXPECT_EQ(sum.messages, 0U + 10 + 20);
  EXPECT_EQ(sum.bytes, 0U + 1000 + 2000);
  EXPECT_EQ(sum.faults, 0U + 5 + 10);
  EXPECT_EQ(hosts_text(state), "ada:2,bob");
  EXPECT_EQ(hosts_text(job_of({{"fd00::7", 2}})), "[fd00::7]:2");
}

TEST(JobFigures, SayHowManyNodesThereAreElsewhere) {
  JobState state = job_of({{"ada", 2}, {"bob", 1}});
  EXPECT_EQ(nodes_text(state), "3");
  state.hosts.pop_back();
  EXPECT_EQ(nodes_text(state), "2 of 3");
}

TEST(JobFigures, OfAHostThatIsSilentAreUnknown) {
  JobState state = job_of({{"ada", 1}, {"bob", 1}});
  state.hosts[1].answered = false;
  state.hosts[1].nodes[0] = NodeView();
  EXPECT_EQ(node_count(state), 2U);
  EXPECT_EQ(figures_of(state).memory_bytes, 1U << 20);
  EXPECT_EQ(word_for(state.hosts[1].nodes[0]), "unknown");
}

TEST(JobFigures, SayHowAJobIs) {
  JobState state = job_of({{"ada", 1}});
  EXPECT_EQ(word_for(state), "running");
  state.phase = JobPhase::kStopped;
  EXPECT_EQ(word_for(state), "stopped");
  state.phase = JobPhase::kEnding;
  EXPECT_EQ(word_for(state), "ending");
}

TEST(JobFigures, SayHowANodeIs) {
  NodeView node = job_of({{"ada", 1}}).hosts[0].nodes[0];
  EXPECT_EQ(word_for(node), "running");
  node.shown->state = board::NodeState::kStarting;
  EXPECT_EQ(word_for(node), "starting");
  node.shown->state = board::NodeState::kEnding;
  EXPECT_EQ(word_for(node), "ending");
  node.process->phase = ProcessPhase::kStopped;
  EXPECT_EQ(word_for(node), "stopped");
  node.process->phase = ProcessPhase::kEnded;
  EXPECT_EQ(word_for(node), "ended");
}

TEST(JobFigures, SayWhatThreadsWaitFor) {
  int variable = 0;
  const std::uint64_t mutex = lock_of(LockKind::kMutex, &variable).value();
  EXPECT_EQ(wait_of(thread_of(0, WaitKind::kNone)), "");
  EXPECT_EQ(wait_of(thread_of(0, WaitKind::kBarrier)), "a barrier");
  EXPECT_EQ(wait_of(thread_of(0, WaitKind::kPageFault, 17)), "page 17");
  EXPECT_EQ(wait_of(thread_of(0, WaitKind::kLock, mutex)), "a mutex");
  NodeView node;
  EXPECT_EQ(waits_of(node), "");
  node.shown.emplace();
  node.shown->threads = {thread_of(0, WaitKind::kLock, mutex), thread_of(1, WaitKind::kBarrier),
                         thread_of(2, WaitKind::kNone), thread_of(3, WaitKind::kBarrier),
                         thread_of(-1, WaitKind::kOther)};
  node.shown->threads.back().is_wefts_own = true;
  EXPECT_EQ(waits_of(node), "a barrier (2), a mutex (1)");
  EXPECT_EQ(figures_of(node).threads, 4U);
}

TEST(JobFigures, AreJsonForScripts) {
  JobState state = job_of({{"ada", 1}, {"bob", 1}});
  state.command = {"./heat", "a \"b\""};
  state.hosts[1].answered = false;
  state.hosts[1].nodes[0].process.reset();
  NodeView& node = state.hosts[0].nodes[0];
  node.shown->threads = {thread_of(3, WaitKind::kBarrier), thread_of(4, WaitKind::kBarrier)};
  node.shown->threads[1].place = 0x1000;
  node.texts = {{0x1000, "heat.c:30"}};
  const std::string brief = as_json("57", state, false), whole = as_json("57", state, true);
  EXPECT_THAT(brief, HasSubstr(R"("job": "57", "state": "running")"));
  EXPECT_THAT(brief, HasSubstr(R"("command": ["./heat", "a \"b\""])"));
  EXPECT_THAT(brief, HasSubstr(R"("hosts": ["ada", "bob"], "node_count": 2, "nodes_of_job": 2)"));
  EXPECT_THAT(brief, Not(HasSubstr("threads")));
  EXPECT_THAT(whole, HasSubstr(R"("number": 3, "waits_for": "a barrier", "place": null})"));
  EXPECT_THAT(whole, HasSubstr(R"("number": 4, "waits_for": "a barrier", "place": "heat.c:30"})"));
  EXPECT_THAT(whole, HasSubstr(R"({"node": 1, "host": "bob", "state": "unknown"})"));
  EXPECT_THAT(whole, HasSubstr(R"("counters": {"faults": 0, )"));
}

TEST(JobFigures, TellWhereEachThreadWaits) {
  JobState state = job_of({{"ada", 1}, {"bob", 1}});
  NodeView& node = state.hosts[0].nodes[0];
  node.shown->threads = {thread_of(0, WaitKind::kBarrier), thread_of(1, WaitKind::kBarrier)};
  for (auto& each : node.shown->threads) each.place = 0x1000;
  node.texts = {{0x1000, "heat.c:30"}};
  state.hosts[1].nodes[0].shown.reset();
  EXPECT_THAT(wait_lines(state),
              ElementsAre("thread 0, thread 1 of node 0 (ada) wait for a barrier at heat.c:30"));
}

}  // namespace
}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/job/job_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weft/jobs/job_figures.hpp"
#include "weft/jobs/job_link.hpp"
#include "weft/testing/login.hpp"

namespace weft {
namespace {

using ::testing::IsEmpty;

// A job of which nobody has the nodes: the test answers for them.
class JobWatchTest : public weft::testing::LoginTest, protected JobRequests, protected WatchedJob {
 protected:
  void on_state_wanted(bool texts) override { watch_->on_state_wanted(texts); }
  void on_signal_wanted(int /*signal*/) override {}
  void look(const ViewQuestion& question) override { questions_.push_back(question); }
  [[nodiscard]] JobPhase phase() const override { return JobPhase::kRunning; }
  [[nodiscard]] bool is_alive(unsigned node) const override { return !dead_.contains(node); }
  void announce(const std::vector<std::string>& lines) override { lines_ = lines; }
  void end_stuck_job(const std::string& sentence) override { lines_.push_back(sentence); }

  void watch(std::vector<NodeGroup> groups, unsigned nodes,
             OnDeadlock deadlock = OnDeadlock::kReport) {
    WatchedJob& self = *this;
    watch_.emplace(self, std::move(groups), nodes,
                   WatchOptions{.command = {"./heat"},
                                .socket = open_job_socket("1.0"),
                                .deadlock = deadlock,
                                .look_period = std::chrono::milliseconds(0)});
  }
  // A group answers the last question.
  void answer(const std::vector<unsigned>& nodes) {
    HostViews views{.asker = questions_.back().asker,
                    .number = questions_.back().number,
                    .taken_us = 1,
                    .nodes = {}};
    for (const unsigned each : nodes) views.nodes.emplace_back(stuck_node(each));
    watch_->on_views(views);
  }
  // It stands still, and its messages have all been received.
  static NodeView stuck_node(unsigned number) {
    NodeView node;
    node.node = number;
    node.shown.emplace().node = number;
    node.shown->counters.resize(board::kCounterCount);
    board::ThreadSnapshot& thread = node.shown->threads.emplace_back();
    thread.is_waiting = true;
    thread.kind = board::WaitKind::kBarrier;
    node.standstill.emplace().fingerprint = 7;
    return node;
  }
  // A command that asks for the state, which is served once.
  std::unique_ptr<JobLink> asks() {
    auto job = std::move(find_job("").value());
    job->ask(JobMessage::kAskState, {.version = "1.0"});
    pollfd ready = {watch_->descriptor(), POLLIN, 0};
    while (poll(&ready, 1, 0) == 1) watch_->handle(*this);
    return job;
  }
  static JobState answer_to(JobLink& job) {
    return job.state(JobLink::Clock::now() + std::chrono::minutes(1)).value();
  }

  std::optional<JobWatch> watch_;
  std::vector<ViewQuestion> questions_;
  std::set<unsigned> dead_;
  std::vector<std::string> lines_;
};

TEST_F(JobWatchTest, AnswersOnceAllHaveAnswered) {
  watch({{.host = "ada", .nodes = {0, 1}}, {.host = "bob", .nodes = {2}}}, 3);
  const auto command = asks();
  answer({0, 1});
  EXPECT_FALSE(command->state(JobLink::Clock::now()));
  answer({2});
  EXPECT_EQ(hosts_text(answer_to(*command)), "ada:2,bob");
}

TEST_F(JobWatchTest, TakesGroupsOfOneHostTogether) {
  watch({{.host = "ada", .nodes = {0}}, {.host = "ada", .nodes = {1}}}, 2);
  const auto command = asks();
  answer({1});
  answer({0});
  const JobState state = answer_to(*command);
  ASSERT_EQ(state.hosts.size(), 1U);
  EXPECT_EQ(node_count(state), 2U);
  EXPECT_TRUE(state.hosts[0].answered);
}

TEST_F(JobWatchTest, DoesNotWaitForTheDead) {
  watch({{.host = "ada", .nodes = {0}}, {.host = "bob", .nodes = {1}}}, 4);
  dead_ = {1};
  const auto command = asks();
  answer({0});
  const JobState state = answer_to(*command);
  EXPECT_EQ(nodes_text(state), "2 of 4");
  EXPECT_FALSE(state.hosts[1].answered);
}

TEST_F(JobWatchTest, ReportsADeadlockOfAllNodes) {
  watch({{.host = "ada", .nodes = {0}}, {.host = "ada", .nodes = {1}}}, 2, OnDeadlock::kAbort);
  for (unsigned look = 0; look < DeadlockFinder::kLooks; ++look) {
    watch_->handle_time();
    answer({0});
    answer({1});
  }
  ASSERT_TRUE(questions_.back().texts) << "the words are asked for once it is found";
  answer({0});
  answer({1});
  EXPECT_THAT(lines_, IsEmpty());
  watch_->handle_time();
  ASSERT_FALSE(lines_.empty());
  EXPECT_EQ(lines_.front(), "no thread of the job can go on: all wait for each other, for ever");
  EXPECT_EQ(lines_.back(), "the job is ended");
}

TEST_F(JobWatchTest, LooksForNoDeadlockOfNodesThatItCannotSee) {
  watch({{.host = "ada", .nodes = {0, 1}}}, 4, OnDeadlock::kAbort);
  EXPECT_EQ(watch_->due(), std::nullopt);
  watch_->handle_time();
  EXPECT_THAT(questions_, IsEmpty());
}

TEST_F(JobWatchTest, LooksForNoneWhereItIsOff) {
  watch({{.host = "ada", .nodes = {0}}}, 1, OnDeadlock::kOff);
  watch_->handle_time();
  EXPECT_THAT(questions_, IsEmpty());
}

}  // namespace
}  // namespace weft

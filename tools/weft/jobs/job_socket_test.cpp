// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both ends of a job's socket in one process.
#include "weft/jobs/job_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "weft/jobs/job_link.hpp"
#include "weft/testing/job_states.hpp"
#include "weft/testing/login.hpp"

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JobSocketTest : public weft::testing::LoginTest, protected JobRequests {
 protected:
  void SetUp() override {
    LoginTest::SetUp();
    auto opened = JobSocket::open("1.0");
    ASSERT_TRUE(opened) << opened.error();
    socket_ = std::move(opened.value());
  }
  void on_state_wanted(bool texts) override {
    ++wanted_;
    with_texts_ += texts ? 1 : 0;
  }
  void on_signal_wanted(int signal) override { signals_.push_back(signal); }
  [[nodiscard]] std::string why_no_signal(int signal) const override {
    return signal == 19 ? "it cannot be stopped" : "";
  }
  [[nodiscard]] bool may_join(unsigned node) const override { return node < 3; }
  void on_views(const HostViews& views) override { seen_.push_back(views.nodes.at(0).node); }

  // Everything that has come to the socket.
  void serve() {
    pollfd ready = {socket_->descriptor(), POLLIN, 0};
    while (poll(&ready, 1, 0) == 1) socket_->handle(*this);
  }
  static std::unique_ptr<JobLink> link() {
    auto job = find_job("");
    EXPECT_TRUE(job) << job.error();
    return std::move(job.value());
  }
  static JobLink::Clock::time_point soon() {
    return JobLink::Clock::now() + std::chrono::minutes(1);
  }

  std::unique_ptr<JobSocket> socket_;
  int wanted_ = 0, with_texts_ = 0;
  std::vector<int> signals_;
  std::vector<unsigned> seen_;  // nodes whose tasks have answered
};

TEST_F(JobSocketTest, IsNamedByItsProcess) {
  const auto job = link();
  EXPECT_EQ(job->name(), std::to_string(getpid()));
  EXPECT_EQ(job->pid(), getpid());
}

TEST_F(JobSocketTest, AnswersAllThatAsk) {
  const auto one = link(), two = link();
  one->ask(JobMessage::kAskState, {.version = "1.0"});
  two->ask(JobMessage::kAskState, {.version = "1.0", .texts = true});
  serve();
  EXPECT_EQ(wanted_, 2);
  EXPECT_EQ(with_texts_, 1);
  socket_->answer(weft::testing::job_of({{"ada", 2}}));
  EXPECT_EQ(one->state(soon()).value().hosts[0].nodes.size(), 2U);
  EXPECT_EQ(two->state(soon()).value().hosts[0].name, "ada");
}

TEST_F(JobSocketTest, SendsMoreThanASocketHolds) {
  const auto job = link();
  job->ask(JobMessage::kAskState, {.version = "1.0"});
  serve();
  JobState large = weft::testing::job_of({{"ada", 1}});
  large.command.emplace_back(1'000'000, 'x');
  socket_->answer(large);
  // Nothing here blocks: both ends take turns.
  auto answer = job->state(JobLink::Clock::now());
  for (int turn = 0; !answer && !job->has_ended() && turn < 1000; ++turn) {
    serve();
    answer = job->state(JobLink::Clock::now() + std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer.value().command.back().size(), 1'000'000U);
}

TEST_F(JobSocketTest, PassesSignalsOn) {
  const auto job = link();
  job->ask(JobMessage::kAskSignal, {.version = "1.0", .signal = 15});
  serve();
  EXPECT_TRUE(job->done(soon()));
  EXPECT_THAT(signals_, ElementsAre(15));
}

TEST_F(JobSocketTest, SaysWhyASignalIsRefused) {
  const auto job = link();
  job->ask(JobMessage::kAskSignal, {.version = "1.0", .signal = 19});
  serve();
  EXPECT_THAT(job->done(soon()).error(), HasSubstr("it cannot be stopped"));
  EXPECT_THAT(signals_, ElementsAre());
}

// A task of the job, as the socket sees it.
class Task {
 public:
  Task(const std::string& version, unsigned node) : Task(connection()) {
    send(JobMessage::kJoin, to_bytes(JobJoin{.version = version, .node = node}));
  }

  void send(JobMessage kind, ByteView body) { link_.send(static_cast<std::uint8_t>(kind), body); }
  void show(unsigned node) {
    HostViews views;
    views.nodes.emplace_back().node = node;
    send(JobMessage::kViews, to_bytes(views));
  }
  [[nodiscard]] std::optional<StreamFrame> heard() {
    link_.read_some();
    return link_.next();
  }
  [[nodiscard]] bool is_dropped() { return !heard() && !link_.is_open(); }

 private:
  explicit Task(int descriptor) : link_(descriptor, descriptor) {}
  static int connection() {
    return RuntimeFolder::existing().value().at(0).connect(std::to_string(getpid()));
  }

  FrameLink link_;
};

TEST_F(JobSocketTest, LooksThroughTasksThatHaveJoined) {
  Task one("1.0", 1), two("1.0", 2);
  serve();
  EXPECT_TRUE(socket_->has_joined(1));
  EXPECT_FALSE(socket_->has_joined(0));
  socket_->look({.number = 7});
  const auto question = two.heard();
  ASSERT_TRUE(question);
  EXPECT_EQ(static_cast<JobMessage>(question->kind), JobMessage::kLook);
  EXPECT_EQ(from_bytes<ViewQuestion>(question->body)->number, 7U);
  two.show(2);
  one.show(1);
  serve();
  EXPECT_THAT(seen_, ::testing::UnorderedElementsAre(1, 2));
  socket_->signal(15);
  EXPECT_TRUE(one.heard());  // the question
  EXPECT_EQ(from_bytes<int>(one.heard()->body), 15);
}

TEST_F(JobSocketTest, TakesEachTaskOnceAndNoStranger) {
  Task first("1.0", 1);
  serve();
  Task again("1.0", 1), unknown("1.0", 3), other_version("2.0", 2);
  serve();
  EXPECT_TRUE(again.is_dropped());
  EXPECT_TRUE(unknown.is_dropped());
  EXPECT_TRUE(other_version.is_dropped());
  EXPECT_FALSE(first.is_dropped());
  first.show(2);  // a node of another task
  serve();
  EXPECT_TRUE(first.is_dropped());
  EXPECT_FALSE(socket_->has_joined(1));
  EXPECT_THAT(seen_, ElementsAre());
}

TEST_F(JobSocketTest, IsNotFoundOnceItIsHidden) {
  const auto job = link();
  socket_->hide();
  EXPECT_FALSE(std::filesystem::exists(folder()));
  job->ask(JobMessage::kAskState, {.version = "1.0"});
  serve();
  EXPECT_EQ(wanted_, 1);
}

TEST_F(JobSocketTest, RefusesOtherVersions) {
  const auto job = link();
  job->ask(JobMessage::kAskSignal, {.version = "2.0", .signal = 15});
  serve();
  EXPECT_THAT(job->done(soon()).error(), HasSubstr("it runs under Weft 1.0, and this is Weft 2.0"));
  EXPECT_THAT(signals_, ElementsAre());
}

TEST_F(JobSocketTest, DropsThoseThatMakeNoSense) {
  const auto folder = std::move(RuntimeFolder::existing().value().at(0));
  const int stranger = folder.connect(std::to_string(getpid()));
  const std::string noise(100, '\xff');
  ASSERT_EQ(write(stranger, noise.data(), noise.size()), 100);
  serve();
  char byte = 0;
  EXPECT_EQ(read(stranger, &byte, 1), 0);
  close(stranger);
  const auto job = link();
  job->ask(static_cast<JobMessage>(77), {.version = "1.0"});
  serve();
  EXPECT_THAT(job->done(soon()).error(), HasSubstr("has ended"));
}

TEST_F(JobSocketTest, TakesNoMoreThanItCanServe) {
  const auto folder = std::move(RuntimeFolder::existing().value().at(0));
  std::vector<int> strangers;
  for (int each = 0; each < 200; ++each) {
    strangers.push_back(folder.connect(std::to_string(getpid())));
    serve();
  }
  std::size_t dropped = 0;
  for (const int each : strangers) {
    char byte = 0;
    if (recv(each, &byte, 1, MSG_DONTWAIT) == 0) ++dropped;
    close(each);
  }
  EXPECT_EQ(dropped, 136U);
  serve();
  link()->ask(JobMessage::kAskState, {.version = "1.0"});
  serve();
  EXPECT_EQ(wanted_, 1);
}

TEST_F(JobSocketTest, GoesWithTheJob) {
  const auto job = link();
  serve();
  socket_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder()));
  job->wait_for_end();
  EXPECT_TRUE(job->has_ended());
  EXPECT_EQ(find_job("").error(), "there is no job");
}

TEST_F(JobSocketTest, ASilentJobIsSaidToBeSilent) {
  const auto job = link();
  job->ask(JobMessage::kAskState, {.version = "1.0"});
  EXPECT_THAT(job->state(JobLink::Clock::now()).error(), HasSubstr("does not answer"));
}

}  // namespace
}  // namespace weft

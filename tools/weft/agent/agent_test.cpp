// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream between launcher and agent, and an agent that hears nonsense. Agents on hosts are
// tested in tests/hosts.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <thread>

#include "weft/agent/agent_messages.hpp"
#include "weft/agent/frame_link.hpp"

namespace weft {
namespace {

ByteView bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

struct Links {
  Links() : Links(ends()) {}
  explicit Links(std::pair<int, int> both)
      : one(both.first, both.first), other(both.second, both.second) {}
  static std::pair<int, int> ends() {
    int both[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both), 0);
    return {both[0], both[1]};
  }
  FrameLink one, other;
};

TEST(FrameLinkTest, MoreThanTheSocketHoldsGoesPieceByPiece) {
  Links links;
  const std::string large(3 << 20, 'x');
  links.one.send(AgentMessage::kInput, bytes(large));
  links.one.send(AgentMessage::kAlive, {});
  EXPECT_TRUE(links.one.is_full());
  std::optional<StreamFrame> frame;
  while (!frame) {
    links.one.write_some();
    links.other.read_some();
    frame = links.other.next();
  }
  EXPECT_EQ(frame->body.size(), large.size());
  while (links.one.queued_bytes() > 0) links.one.write_some();
  links.other.read_some();
  frame = links.other.next();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(static_cast<AgentMessage>(frame->kind), AgentMessage::kAlive);
}

TEST(FrameLinkTest, AStageGoesBeforeAllFrames) {
  char name[] = "/tmp/weft-link-test-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, 3 << 20), 0);
  close(file);
  const auto stage = StageStream::open({{.source = name, .name = "/x"}});
  unlink(name);
  ASSERT_TRUE(stage) << stage.error();

  int both[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both), 0);
  FrameLink link(both[0], both[0]);
  link.send_first(stage.value());
  link.send(AgentMessage::kAlive, {});
  const Bytes frame = encode_frame(static_cast<std::uint8_t>(AgentMessage::kAlive), {});
  const std::uint64_t all = stage.value()->bytes() + frame.size();
  Bytes came;
  Bytes buffer(1 << 16);
  while (came.size() < all) {
    link.write_some();
    EXPECT_LE(link.queued_bytes(), all - came.size());
    const ssize_t count = read(both[1], buffer.data(), buffer.size());
    ASSERT_GT(count, 0);
    came.insert(came.end(), buffer.begin(), buffer.begin() + count);
  }
  close(both[1]);
  EXPECT_EQ(link.queued_bytes(), 0U);
  EXPECT_EQ(link.staged_bytes(), stage.value()->bytes());
  EXPECT_TRUE(std::ranges::equal(std::span(came).last(frame.size()), frame));
  EXPECT_TRUE(std::ranges::equal(std::span(came).first(4), bytes("3145")));
}

TEST(FrameLinkTest, TheEndOfTheStreamIsNoticedAfterItsLastFrame) {
  Links links;
  links.one.send(AgentMessage::kAlive, {});
  links.one.close();
  links.other.read_some();
  links.other.read_some();
  EXPECT_TRUE(links.other.next().has_value());
  EXPECT_FALSE(links.other.is_open());
}

TEST(FrameLinkTest, ALengthThatCannotBeEndsTheStream) {
  int both[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both), 0);
  FrameLink link(both[0], both[0]);
  const std::uint64_t absurd = ~std::uint64_t{0};
  ASSERT_EQ(write(both[1], &absurd, sizeof absurd), static_cast<ssize_t>(sizeof absurd));
  link.read_some();
  EXPECT_FALSE(link.next().has_value());
  EXPECT_FALSE(link.is_open());
  close(both[1]);
}

TEST(FrameLinkTest, SilenceHasALimitUnlessItIsExcused) {
  Links links;
  EXPECT_FALSE(links.one.is_silent());  // no limit
  links.one.set_limit(std::chrono::milliseconds(1));
  while (!links.one.is_silent()) std::this_thread::yield();
  links.one.excuse_silence();
  EXPECT_FALSE(links.one.is_silent());
  links.other.send(AgentMessage::kAlive, {});
  links.one.read_some();
  while (!links.one.is_silent()) std::this_thread::yield();
}

// A tenth of the bytes are from a message that makes sense, so that the decoders get somewhere.
Bytes nonsense(std::mt19937_64& random, const Bytes& sense) {
  Bytes result = sense;
  result.resize(random() % (2 * sense.size() + 1), std::byte{1});
  for (std::byte& each : result) {
    if (random() % 8 == 0) each = static_cast<std::byte>(random());
  }
  return result;
}

template <typename Message>
void decode_nonsense(const Message& message, unsigned count) {
  std::mt19937_64 random(1);
  const Bytes sense = to_bytes(message);
  ASSERT_TRUE(from_bytes<Message>(sense).has_value());
  for (unsigned turn = 0; turn < count; ++turn) {
    (void)from_bytes<Message>(nonsense(random, sense));  // it may mean something by chance
  }
}

TEST(AgentMessagesTest, NonsenseIsRefusedOrDecodedButNeverHarmful) {
  constexpr unsigned kTurns = 20000;
  AgentHello hello;
  hello.version = "1.0";
  hello.addresses.resize(3);
  decode_nonsense(hello, kTurns);
  AgentPlan plan;
  plan.arguments = {"./heat", "100"};
  plan.environment = {"HOME=/root", "PATH=/bin"};
  decode_nonsense(plan, kTurns);
  decode_nonsense(NodeMessage{3, BootstrapMessage::kFailure, Bytes(10)}, kTurns);
  decode_nonsense(NodeOutput{1, 0, "line\n"}, kTurns);
  board::NodeSnapshot shown;
  shown.counters.resize(board::kCounterCount);
  shown.threads.resize(4);
  HostViews views;
  views.nodes = {NodeView{.node = 1,
                          .shown = shown,
                          .standstill = Standstill(),
                          .texts = {{8, "x"}},
                          .process = ProcessView()}};
  decode_nonsense(views, kTurns);
  decode_nonsense(ViewQuestion{.number = 7, .standstill = true, .texts = true}, kTurns);
  decode_nonsense(NodeEnd{2, NodeDeath{1, 9}}, kTurns);
  decode_nonsense(AgentReach{1, {"ssh", "a", "weft agent"}, true}, kTurns);
  decode_nonsense(BelowFrame{1, 9, Bytes(10)}, kTurns);
  decode_nonsense(BelowEnd{1, "it has ended"}, kTurns);
}

// `weft agent` with this on its standard input. Returns its exit status once it has ended.
int status_of_agent_that_hears(const Bytes& input) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t agent = fork();
  if (agent == 0) {
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    (void)!freopen("/dev/null", "w", stdout);
    execl(WEFT_COMMAND, WEFT_COMMAND, "agent", nullptr);
    _exit(99);
  }
  close(ends[0]);
  signal(SIGPIPE, SIG_IGN);
  (void)!write(ends[1], input.data(), input.size());  // the agent may have left already
  close(ends[1]);
  int status = 0;
  waitpid(agent, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(AgentTest, NonsenseEndsIt) {
  EXPECT_EQ(status_of_agent_that_hears({}), 0);
  std::mt19937_64 random(7);
  for (unsigned turn = 0; turn < 20; ++turn) {
    const auto kind = static_cast<std::uint8_t>(random() % 24);
    Bytes input = encode_frame(kind, nonsense(random, to_bytes(AgentPlan())));
    const Bytes more = nonsense(random, encode_frame(kind, to_bytes(NodeSignal{1, 9})));
    input.insert(input.end(), more.begin(), more.end());
    EXPECT_LE(status_of_agent_that_hears(input), 1);
  }
  const auto signal = static_cast<std::uint8_t>(AgentMessage::kSignal);
  EXPECT_EQ(status_of_agent_that_hears(encode_frame(signal, to_bytes(NodeSignal{1, 9}))), 1);
  EXPECT_EQ(status_of_agent_that_hears(Bytes(sizeof(std::uint64_t), std::byte{0xff})), 1);
}

}  // namespace
}  // namespace weft

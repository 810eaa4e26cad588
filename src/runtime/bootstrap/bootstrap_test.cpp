// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's end of the link, with this test as the launcher. Launcher and nodes together are tested
// in tools/weft.
#include "runtime/bootstrap/bootstrap.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "runtime/bootstrap/bootstrap_wire.hpp"

namespace weft {
namespace {

class BootstrapTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_), 0);
    setenv(kBootstrapDescriptorVariable, std::to_string(sockets_[1]).c_str(), 1);
    setenv(kNodeVariable, "1", 1);
    setenv(kNodeCountVariable, "3", 1);
    setenv(kNodesHereVariable, "3", 1);
    setenv(kThreadsVariable, "2", 1);
  }
  void TearDown() override {
    restore_program_environment();
    close_launcher();
  }

  void close_launcher() {
    if (sockets_[0] >= 0) ::close(sockets_[0]);
    sockets_[0] = -1;
  }
  void write_as_launcher(ByteView bytes) {
    ASSERT_EQ(::write(sockets_[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  std::pair<BootstrapMessage, Bytes> read_as_launcher() {
    while (true) {
      if (auto message = from_node_.next()) return *message;
      std::byte buffer[1000];
      const ssize_t count = ::read(sockets_[0], buffer, sizeof buffer);
      if (count <= 0) return {};
      from_node_.append(ByteView(buffer, static_cast<std::size_t>(count)));
    }
  }

  int sockets_[2] = {-1, -1};  // the launcher's, the node's
  BootstrapReader from_node_;
};

std::string text(ByteView bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
ByteView bytes(std::string_view characters) { return std::as_bytes(std::span(characters)); }

Bytes exchanged(std::initializer_list<std::string_view> all) {
  std::vector<ByteView> each_bytes;
  for (const std::string_view each : all) each_bytes.push_back(bytes(each));
  return encode_bootstrap_message(BootstrapMessage::kExchanged, to_bytes(each_bytes));
}

TEST_F(BootstrapTest, IsNothingWithoutALauncher) {
  unsetenv(kBootstrapDescriptorVariable);
  const auto made = Bootstrap::from_environment();
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value(), nullptr);
  ::close(sockets_[1]);
}

TEST_F(BootstrapTest, RefusesAnEnvironmentThatMakesNoSense) {
  setenv(kNodeVariable, "3", 1);
  EXPECT_FALSE(Bootstrap::from_environment().ok());
  setenv(kNodeVariable, "one", 1);
  EXPECT_FALSE(Bootstrap::from_environment().ok());
  setenv(kNodeVariable, "1", 1);
  setenv(kBootstrapDescriptorVariable, "9999", 1);
  EXPECT_NE(Bootstrap::from_environment().error().find("9999"), std::string::npos);
  ::close(sockets_[1]);
}

TEST_F(BootstrapTest, ExchangesThroughTheLauncher) {
  auto made = Bootstrap::from_environment();
  Bootstrap& node = *made.value();
  EXPECT_EQ(node.self(), NodeId(1));
  EXPECT_EQ(node.node_count(), 3U);
  EXPECT_EQ(node.threads_per_node(), 2U);
  const Bytes answer = exchanged({"zero", "", "two"});
  // In two parts, cut within the length.
  write_as_launcher(ByteView(answer).first(3));
  std::thread rest([&] {
    EXPECT_EQ(read_as_launcher().first, BootstrapMessage::kExchange);
    write_as_launcher(ByteView(answer).subspan(3));
  });
  const auto all = node.exchange(Bytes(10));
  rest.join();
  ASSERT_TRUE(all.ok()) << all.error();
  ASSERT_EQ(all.value().size(), 3U);
  EXPECT_EQ(text(all.value()[0]), "zero");
  EXPECT_EQ(text(all.value()[1]), "");
  EXPECT_EQ(text(all.value()[2]), "two");
}

TEST_F(BootstrapTest, AsksWhereCallsAre) {
  auto made = Bootstrap::from_environment();
  std::thread launcher([&] {
    const auto [kind, body] = read_as_launcher();
    EXPECT_EQ(kind, BootstrapMessage::kCallPlaces);
    const std::vector<std::uint64_t> asked = {0x401020, 0x401040, 0};
    EXPECT_EQ(from_bytes<CallPlaces>(body).value_or(CallPlaces()).addresses, asked);
    // Of the last nothing: another version's, say.
    write_as_launcher(encode_bootstrap_message(BootstrapMessage::kCallTexts,
                                               to_bytes(CallTexts{{"heat.c:7", ""}})));
  });
  EXPECT_EQ(made.value()->places_of_calls({0x401020, 0x401040, 0}),
            (std::vector<std::string>{"heat.c:7", "", ""}));
  launcher.join();
  close_launcher();
  EXPECT_EQ(made.value()->places_of_calls({1}), std::vector<std::string>(1));
}

TEST_F(BootstrapTest, ExchangeFailsWhenTheLauncherGoes) {
  auto made = Bootstrap::from_environment();
  std::thread launcher([&] {
    read_as_launcher();
    close_launcher();
  });
  EXPECT_FALSE(made.value()->exchange(Bytes(10)).ok());
  launcher.join();
  EXPECT_TRUE(made.value()->job_ended());
  made.value()->report_finished(0);  // to nobody; must not raise SIGPIPE
}

TEST_F(BootstrapTest, NoticesTheEndThroughItsDescriptor) {
  auto made = Bootstrap::from_environment();
  Bootstrap& node = *made.value();
  EXPECT_FALSE(node.job_ended());
  pollfd descriptor = {node.descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&descriptor, 1, 0), 0);
  close_launcher();
  EXPECT_EQ(::poll(&descriptor, 1, 0), 1);
  EXPECT_TRUE(node.job_ended());
}

TEST_F(BootstrapTest, ReportsReachTheLauncher) {
  auto made = Bootstrap::from_environment();
  made.value()->report_failure("the loom is broken");
  made.value()->report_lost_peer(NodeId(2), "silence");
  made.value()->report_finished(-1);
  auto [kind, body] = read_as_launcher();
  EXPECT_EQ(kind, BootstrapMessage::kFailure);
  EXPECT_EQ(text(body), "the loom is broken");
  std::tie(kind, body) = read_as_launcher();
  EXPECT_EQ(kind, BootstrapMessage::kLostPeer);
  const auto lost = value_of<LostPeer>(body);
  EXPECT_EQ(lost.peer, NodeId(2));
  EXPECT_EQ(lost.reason, "silence");
  std::tie(kind, body) = read_as_launcher();
  EXPECT_EQ(kind, BootstrapMessage::kFinished);
  EXPECT_EQ(value_of<int>(body), -1);
}

TEST_F(BootstrapTest, GivesTheProgramItsEnvironmentBack) {
  setenv("LD_PRELOAD", "/weft/libweft-node.so:libuser.so", 1);
  setenv(kUserPreloadVariable, "libuser.so", 1);
  setenv("LD_BIND_NOW", kBindNow, 1);
  restore_program_environment();
  EXPECT_STREQ(std::getenv("LD_PRELOAD"), "libuser.so");
  EXPECT_EQ(std::getenv("LD_BIND_NOW"), nullptr);
  EXPECT_EQ(std::getenv(kUserPreloadVariable), nullptr);
  EXPECT_EQ(std::getenv(kNodeVariable), nullptr);
  restore_program_environment();  // no node any more: nothing to restore
  EXPECT_STREQ(std::getenv("LD_PRELOAD"), "libuser.so");
  setenv(kNodeVariable, "1", 1);
  setenv("LD_BIND_NOW", "1", 1);  // the user's own
  restore_program_environment();  // of a user without LD_PRELOAD
  EXPECT_EQ(std::getenv("LD_PRELOAD"), nullptr);
  EXPECT_STREQ(std::getenv("LD_BIND_NOW"), "1");
  unsetenv("LD_BIND_NOW");
  ::close(sockets_[1]);
}

TEST(BootstrapReaderTest, DoesNotBelieveAbsurdLengths) {
  BootstrapReader reader;
  Bytes absurd;
  ByteWriter(absurd).u64(kMaxFrameBytes + 1);
  reader.append(absurd);
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_FALSE(reader.good());
}

}  // namespace
}  // namespace weft

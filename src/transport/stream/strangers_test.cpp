// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strangers at the ports of nodes: the messages of the job arrive all the same, and the counter
// says how many have come.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/numbers/random.hpp"
#include "transport/stream/stream_transport.hpp"
#include "transport/testing/test_messages.hpp"

namespace weft {
namespace {

JobKey some_key() { return JobKey{random_digest().value()}; }

std::unique_ptr<StreamTransport> make_node(std::uint16_t self, bool encrypted,
                                           PeerFailureHandler on_failure = {}) {
  StreamOptions options;
  options.self = NodeId(self);
  options.encrypted = encrypted;
  options.address = StreamAddress::of_text("127.0.0.1").value();
  options.on_peer_failure = std::move(on_failure);
  return std::move(StreamTransport::create(std::move(options)).value());
}

class StrangersTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    rlimit limit = {};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (std::uint16_t self = 0; self < 2; ++self) {
      nodes_[self] = make_node(self, GetParam(),
                               [this](NodeId, const std::string& reason) { failure_ = reason; });
      addresses_.push_back(nodes_[self]->address());
    }
    for (const auto& each : nodes_) ASSERT_TRUE(each->connect(addresses_, key_).ok());
  }
  void TearDown() override {
    for (const int each : sockets_) ::close(each);
    EXPECT_EQ(failure_, "");
  }

  // A connection of a stranger to node 0, whose kernel takes it.
  int stranger() {
    const StreamAddress to = StreamAddress::of_bytes(addresses_[0]).value();
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(made, to.raw(), to.raw_bytes()), 0);
    sockets_.push_back(made);
    return made;
  }
  void say(int socket, ByteView bytes) {
    (void)!::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  void poll_both() {
    nodes_[0]->poll([this](NodeId, ByteView) { ++received_; });
    nodes_[1]->poll([this](NodeId, ByteView) { ++received_; });
  }
  // So many messages, there and back.
  void exchange(int messages) {
    const std::size_t before = received_;
    for (int each = 0; each < messages; ++each) {
      nodes_[0]->send(NodeId(1), Channel::kData, MessageSegments(1, Bytes(1000)));
      nodes_[1]->send(NodeId(0), Channel::kControl, MessageSegments(1, Bytes(10)));
    }
    while (received_ < before + 2 * static_cast<std::size_t>(messages)) poll_both();
  }
  void poll_until_refused(std::uint64_t count) {
    while (nodes_[0]->counters().connections_refused < count) poll_both();
  }

  JobKey key_ = some_key();
  std::unique_ptr<StreamTransport> nodes_[2];
  std::vector<Bytes> addresses_;
  std::vector<int> sockets_;
  std::size_t received_ = 0;
  std::string failure_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, StrangersTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Tls" : "Plain"; });

TEST_P(StrangersTest, NobodyIsCountedWhereNobodyCame) {
  exchange(100);
  EXPECT_EQ(nodes_[0]->counters().connections_refused, 0U);
  EXPECT_EQ(nodes_[1]->counters().connections_refused, 0U);
}

TEST_P(StrangersTest, GarbageIsRefused) {
  Random random(1);
  for (int each = 0; each < 50; ++each) {
    Bytes garbage(random.below(2000) + 100);
    for (std::byte& byte : garbage) byte = static_cast<std::byte>(random.next());
    say(stranger(), garbage);
    exchange(3);
  }
  for (const int each : std::exchange(sockets_, {})) ::close(each);
  poll_until_refused(50);
  exchange(10);
  EXPECT_EQ(nodes_[0]->counters().connections_refused, 50U);
}

TEST_P(StrangersTest, PortScansAreCounted) {
  for (int each = 0; each < 20; ++each) {
    stranger();
    ::close(sockets_.back());
    sockets_.pop_back();
  }
  poll_until_refused(20);
  exchange(10);
}

// They come before the nodes have met, and stay.
TEST_P(StrangersTest, TenThousandWhoSayNothingMakeRoomForTheJob) {
  std::atomic<bool> done = false;
  std::thread others([&] {
    for (int each = 0; each < 10'000; ++each) {
      stranger();
      // The machine has not as many descriptors as that.
      if (sockets_.size() < 400) continue;
      ::close(sockets_.front());
      sockets_.erase(sockets_.begin());
    }
    done = true;
  });
  exchange(100);
  while (!done) exchange(1);
  others.join();
  for (const int each : std::exchange(sockets_, {})) ::close(each);
  poll_until_refused(10'000);
  exchange(100);
  EXPECT_EQ(nodes_[0]->counters().connections_refused, 10'000U);
}

TEST_P(StrangersTest, HalfAHandshakeIsForgotten) {
  StreamOptions options;
  options.self = NodeId(0);
  options.encrypted = GetParam();
  options.address = StreamAddress::of_text("127.0.0.1").value();
  options.proof_limit = std::chrono::milliseconds(50);
  nodes_[0] = std::move(StreamTransport::create(std::move(options)).value());
  addresses_[0] = nodes_[0]->address();
  ASSERT_TRUE(nodes_[0]->connect(addresses_, key_).ok());
  const auto links =
      GetParam() ? make_tls_links(NodeId(1), key_) : make_plain_links(NodeId(1), key_);
  const auto link = links->call(NodeId(0));
  say(stranger(), ByteView(link->outgoing()).first(20));
  stranger();
  while (nodes_[0]->counters().connections_refused < 2) {
    pollfd descriptor = {nodes_[0]->event_descriptor(), POLLIN, 0};
    ASSERT_EQ(::poll(&descriptor, 1, 60'000), 1);  // it wakes by itself
    nodes_[0]->poll(kIgnore);
  }
}

TEST_P(StrangersTest, ARecordedHandshakeIsRefused) {
  // What node 1 sends to open a connection, as somebody on the way sees it.
  const auto links =
      GetParam() ? make_tls_links(NodeId(1), key_) : make_plain_links(NodeId(1), key_);
  const auto called =
      GetParam() ? make_tls_links(NodeId(0), key_) : make_plain_links(NodeId(0), key_);
  const auto caller = links->call(NodeId(0)), answer = called->answer();
  StreamFrameDecoder decoder;
  Bytes recorded;
  while (!caller->outgoing().empty()) {
    const Bytes said = std::exchange(caller->outgoing(), {});
    recorded.insert(recorded.end(), said.begin(), said.end());
    answer->receive(said, decoder);
    caller->receive(std::exchange(answer->outgoing(), {}), decoder);
  }
  ASSERT_EQ(answer->state(), SecureLink::State::kOpen);
  say(stranger(), recorded);
  poll_until_refused(1);
  exchange(10);
}

TEST_P(StrangersTest, ANodeOfAnotherJobIsRefused) {
  auto other = make_node(1, GetParam());
  ASSERT_TRUE(other->connect(addresses_, some_key()).ok());
  other->send(NodeId(0), Channel::kControl, MessageSegments(1, Bytes(8)));
  while (nodes_[0]->counters().connections_refused < 3) {
    other->poll(kIgnore);  // it tries again and again
    poll_both();
  }
  EXPECT_EQ(received_, 0U);
  exchange(10);
}

TEST_P(StrangersTest, NobodyTakesTheNumberOfANodeThatIsThere) {
  exchange(1);
  auto other = make_node(1, GetParam());  // it knows the key
  ASSERT_TRUE(other->connect(addresses_, key_).ok());
  other->send(NodeId(0), Channel::kControl, MessageSegments(1, Bytes(8)));
  for (int turn = 0; turn < 1000; ++turn) {
    other->poll(kIgnore);
    poll_both();
  }
  EXPECT_FALSE(other->drained());
  exchange(10);
}

class StreamEndsTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kinds, StreamEndsTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Tls" : "Plain"; });

TEST_P(StreamEndsTest, APeerThatGoesIsReportedOnceAndWhatItSaidIsRead) {
  int failures = 0;
  auto stays = make_node(0, GetParam(), [&](NodeId peer, const std::string& reason) {
    EXPECT_EQ(peer, NodeId(1));
    EXPECT_NE(reason, "");
    ++failures;
  });
  auto goes = make_node(1, GetParam());
  const JobKey key = some_key();
  const std::vector<Bytes> addresses = {stays->address(), goes->address()};
  ASSERT_TRUE(stays->connect(addresses, key).ok());
  ASSERT_TRUE(goes->connect(addresses, key).ok());
  std::size_t received = 0;
  const Receiver count = [&](NodeId, ByteView) { ++received; };
  stays->send(NodeId(1), Channel::kControl, MessageSegments(1, Bytes(8)));
  for (std::size_t there = 0; there == 0;) {
    stays->poll(count);
    there = goes->poll(kIgnore);
  }
  for (int each = 0; each < 100; ++each) {
    goes->send(NodeId(0), Channel::kControl, MessageSegments(1, Bytes(100)));
  }
  while (!goes->drained()) goes->poll(kIgnore);
  goes.reset();
  for (int each = 0; each < 100; ++each) {
    stays->send(NodeId(1), Channel::kControl, MessageSegments(1, Bytes(100)));
  }
  while (failures == 0) stays->poll(count);
  EXPECT_EQ(received, 100U);
  stays->send(NodeId(1), Channel::kControl, MessageSegments(1, Bytes(100)));
  EXPECT_TRUE(stays->drained());
  EXPECT_EQ(failures, 1);
}

TEST_P(StreamEndsTest, BothMayCallAtOnce) {
  for (int round = 0; round < 50; ++round) {
    std::unique_ptr<StreamTransport> nodes[2] = {make_node(0, GetParam()),
                                                 make_node(1, GetParam())};
    const JobKey key = some_key();
    const std::vector<Bytes> addresses = {nodes[0]->address(), nodes[1]->address()};
    for (const auto& each : nodes) ASSERT_TRUE(each->connect(addresses, key).ok());
    Random random(static_cast<std::uint64_t>(round));
    std::uint64_t sent[2] = {}, received[2] = {};
    for (int turn = 0; turn < 200 || received[0] < sent[1] || received[1] < sent[0]; ++turn) {
      const std::size_t self = random.below(2);
      if (turn < 200 && random.chance(30)) {
        Bytes bytes;
        ByteWriter(bytes).u64(sent[self]++);
        nodes[self]->send(NodeId(static_cast<std::uint16_t>(1 - self)), Channel::kData,
                          MessageSegments(1, std::move(bytes)));
      }
      nodes[self]->poll([&](NodeId, ByteView message) {
        ASSERT_EQ(ByteReader(message).u64(), received[self]++);
      });
    }
    for (const auto& each : nodes) EXPECT_EQ(each->counters().connections_refused, 0U);
  }
}

TEST(StreamTransport, ListensAtItsAddressAlone) {
  const auto made = make_node(0, true);
  const StreamAddress at = StreamAddress::of_bytes(made->address()).value();
  EXPECT_EQ(at.without_port().to_bytes(), StreamAddress::of_text("127.0.0.1").value().to_bytes());
  EXPECT_EQ(StreamAddress::of_interfaces("lo").value().to_bytes(),
            StreamAddress::of_text("127.0.0.1").value().to_bytes());
  EXPECT_FALSE(StreamAddress::of_interfaces("nosuch0").ok());
}

}  // namespace
}  // namespace weft

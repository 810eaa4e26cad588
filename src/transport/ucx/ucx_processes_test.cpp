// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The UCX transport between processes, and what a killed process leaves behind. This process never
// touches UCX itself: a library with threads does not survive fork().
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <utility>

#include "transport/ucx/ucx_transport.hpp"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

const Receiver kIgnore = [](NodeId, ByteView) {};

MessageSegments number(std::uint64_t value, std::size_t padding = 0) {
  Bytes bytes;
  ByteWriter(bytes).u64(value);
  MessageSegments segments(1, std::move(bytes));
  segments.push_back(Bytes(padding));
  return segments;
}

// Those of UCX; other programs may come and go meanwhile.
std::set<std::string> shared_memory_files() {
  std::set<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = each.path().filename().string();
    if (name.find("ucx") != std::string::npos) names.insert(name);
  }
  return names;
}

// A child process that is a node. Its socket carries its address up, all addresses down, and then
// whatever the test wants.
struct Process {
  pid_t pid = -1;
  int socket = -1;
};

void write_bytes(int socket, ByteView bytes) {
  const std::uint64_t count = bytes.size();
  (void)!::write(socket, &count, sizeof count);
  (void)!::write(socket, bytes.data(), bytes.size());
}

Bytes read_bytes(int socket) {
  std::uint64_t count = 0;
  if (::read(socket, &count, sizeof count) != sizeof count) return {};
  Bytes bytes(count);
  if (::recv(socket, bytes.data(), count, MSG_WAITALL) != static_cast<ssize_t>(count)) return {};
  return bytes;
}

// What a child does; its result is the exit status.
using Body = std::function<int(UcxTransport&, NodeId self, int socket)>;

class UcxProcessesTest : public testing::TestWithParam<UcxNetwork> {
 protected:
  void TearDown() override {
    for (const Process& each : processes_) {
      if (each.pid > 0) {
        kill(each.pid, SIGKILL);
        waitpid(each.pid, nullptr, 0);
      }
      ::close(each.socket);
    }
  }

  void start(std::size_t count, const Body& body, const PeerFailureHandler& on_failure = {}) {
    for (std::size_t node = 0; node < count; ++node) {
      int sockets[2];
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
      const pid_t pid = fork();
      if (pid == 0) {
        ::close(sockets[0]);
        _exit(be_node(static_cast<NodeId::representation>(node), count, sockets[1], body,
                      on_failure));
      }
      ::close(sockets[1]);
      processes_.push_back({pid, sockets[0]});
    }
    std::vector<Bytes> addresses;
    for (const Process& each : processes_) addresses.push_back(read_bytes(each.socket));
    for (const Process& to : processes_) {
      for (const Bytes& each : addresses) write_bytes(to.socket, each);
    }
  }

  int exit_status(std::size_t node) {
    int status = 0;
    waitpid(std::exchange(processes_[node].pid, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::vector<Process> processes_;

 private:
  static int be_node(NodeId::representation node, std::size_t count, int socket, const Body& body,
                     const PeerFailureHandler& on_failure) {
    UcxOptions options;
    options.library.network = GetParam();
    options.self = NodeId(node);
    options.on_peer_failure = on_failure;
    auto made = UcxTransport::create(options);
    if (!made) return 90;
    write_bytes(socket, made.value()->address());
    std::vector<Bytes> addresses;
    for (std::size_t each = 0; each < count; ++each) addresses.push_back(read_bytes(socket));
    made.value()->connect(std::move(addresses));
    const int status = body(*made.value(), NodeId(node), socket);
    made.value()->close();
    return status;
  }
};

INSTANTIATE_TEST_SUITE_P(Networks, UcxProcessesTest,
                         testing::Values(UcxNetwork::kSharedMemory, UcxNetwork::kTcp,
                                         UcxNetwork::kAutomatic),
                         [](const auto& info) {
                           return std::string(info.param == UcxNetwork::kTcp ? "Tcp"
                                              : info.param == UcxNetwork::kAutomatic
                                                  ? "Automatic"
                                                  : "SharedMemory");
                         });

// Sleeps until something may have arrived.
void sleep_until_work(UcxTransport& transport) {
  if (!transport.arm(ArmedFor::kAll)) return;
  pollfd descriptor = {transport.event_descriptor(), POLLIN, 0};
  ::poll(&descriptor, 1, 1000);
}

TEST_P(UcxProcessesTest, AllToAllOfEight) {
  constexpr std::uint16_t kNodes = 8;
  constexpr std::uint64_t kMessages = 300;
  start(kNodes, [](UcxTransport& transport, NodeId self, int) {
    std::vector<std::uint64_t> expected(kNodes, 0);
    std::size_t received = 0, wrong = 0, finished = 0;
    const Receiver receive = [&](NodeId from, ByteView message) {
      if (message.empty()) {
        ++finished;
        return;
      }
      if (ByteReader(message).u64() != expected[from.value()]++) ++wrong;
      ++received;
    };
    for (std::uint64_t message = 0; message < kMessages; ++message) {
      for (std::uint16_t to = 0; to < kNodes; ++to) {
        if (NodeId(to) != self) transport.send(NodeId(to), Channel::kData, number(message, 3000));
      }
      transport.poll(receive);
    }
    const auto poll_until = [&](const std::function<bool()>& done) {
      while (!done()) {
        transport.poll(receive);
        if (!done()) sleep_until_work(transport);
      }
    };
    poll_until([&] { return received == kMessages * (kNodes - 1) && transport.drained(); });
    for (std::uint16_t to = 0; to < kNodes; ++to) {
      if (NodeId(to) != self) transport.send(NodeId(to), Channel::kControl, {});
    }
    poll_until([&] { return finished == kNodes - 1; });
    return wrong == 0 ? 0 : 1;
  });
  for (std::size_t node = 0; node < kNodes; ++node) EXPECT_EQ(exit_status(node), 0) << node;
}

TEST_P(UcxProcessesTest, CloseDeliversWhatWasSent) {
  start(2, [](UcxTransport& transport, NodeId self, int) {
    if (self == NodeId(0)) {
      for (int each = 0; each < 50; ++each) {
        transport.send(NodeId(1), Channel::kData, number(1, 20000));
      }
      return 0;  // close() has to wait for the peer's acknowledgements
    }
    std::size_t received = 0;
    while (received < 50) {
      received += transport.poll(kIgnore);
      sleep_until_work(transport);
    }
    return 0;
  });
  EXPECT_EQ(exit_status(0), 0);
  EXPECT_EQ(exit_status(1), 0);
}

TEST_P(UcxProcessesTest, AKilledPeerIsReportedAndNothingIsLeftBehind) {
  // Over shared memory UCX looks after peers from time to time; a job's launcher is quicker.
  setenv("UCX_KEEPALIVE_INTERVAL", "200ms", 1);
  const std::set<std::string> before = shared_memory_files();
  static bool reported = false;
  start(
      2,
      [](UcxTransport& transport, NodeId self, int socket) {
        if (self == NodeId(1)) transport.send(NodeId(0), Channel::kControl, number(1));
        if (self == NodeId(0)) transport.send(NodeId(1), Channel::kControl, number(1));
        for (std::size_t received = 0; received == 0;) received += transport.poll(kIgnore);
        write_bytes(socket, Bytes(1));
        const auto end = Clock::now() + std::chrono::minutes(2);  // a loaded machine is no failure
        while (!reported && Clock::now() < end) {
          sleep_until_work(transport);
          transport.poll(kIgnore);
        }
        // What is sent to the dead is dropped.
        transport.send(NodeId(1), Channel::kData, number(1, 1'000'000));
        return reported && transport.drained() ? 0 : 1;
      },
      [](NodeId peer, const std::string& reason) {
        reported = peer == NodeId(1) && !reason.empty();
      });
  for (const Process& each : processes_) EXPECT_EQ(read_bytes(each.socket).size(), 1U);
  kill(processes_[1].pid, SIGKILL);
  EXPECT_EQ(exit_status(1), 128 + SIGKILL);  // and waits for it: UCX takes a zombie for alive
  EXPECT_EQ(exit_status(0), 0);
  EXPECT_EQ(shared_memory_files(), before);
  unsetenv("UCX_KEEPALIVE_INTERVAL");
}

// A process that is killed while UCX makes its shared memory must leave nothing behind either.
TEST_P(UcxProcessesTest, KilledWhileStartingLeavesNothingBehind) {
  const std::set<std::string> before = shared_memory_files();
  for (int delay_us = 0; delay_us < 20000; delay_us += 500) {
    const pid_t pid = fork();
    if (pid == 0) {
      UcxOptions options;
      options.library.network = GetParam();
      const auto made = UcxTransport::create(options);
      pause();
    }
    usleep(static_cast<useconds_t>(delay_us));  // wherever UCX is by then
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  EXPECT_EQ(shared_memory_files(), before);
}

// The mask of signals that the thread blocks, as the kernel tells it.
std::uint64_t blocked_signals(const std::filesystem::path& thread) {
  std::ifstream status(thread / "status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigBlk:")) return std::stoull(line.substr(7), nullptr, 16);
  }
  return 0;
}

TEST_P(UcxProcessesTest, ItsOwnThreadsTakeNoSignalsOfTheProgram) {
  start(1, [](UcxTransport&, NodeId, int) {
    int others = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
      if (each.path().filename() == std::to_string(getpid())) continue;
      ++others;
      if ((blocked_signals(each.path()) & (1U << (SIGUSR1 - 1))) == 0) return 2;
    }
    return others > 0 ? 0 : 1;
  });
  EXPECT_EQ(exit_status(0), 0) << "1: there is no such thread; 2: it takes signals";
}

}  // namespace
}  // namespace weft

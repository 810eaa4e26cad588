// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the transports cost: round trips of 8 bytes and 4 KiB, and a stream of data; UCX's beside
// UCX alone, over shared memory and over TCP, and streams beside them, with and without encryption.
// Prints a table; usage: transport_bench [ROUNDS].
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "transport/stream/stream_transport.hpp"
#include "transport/ucx/pinned.hpp"
#include "transport/ucx/raw_ping_pong.hpp"
#include "transport/ucx/ucx_transport.hpp"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kWarmUpRounds = 200;
constexpr std::size_t kStreamMessageBytes = 65536;
constexpr std::size_t kStreamBytes = std::size_t{512} << 20;

const Receiver kIgnore = [](NodeId, ByteView) {};

// Two nodes of one kind that know each other.
struct Pair {
  std::unique_ptr<Transport> nodes[2];
};
using MakePair = std::function<Pair()>;

Pair stream_pair(bool encrypted) {
  const JobKey key{random_digest().value()};
  std::unique_ptr<StreamTransport> made[2];
  for (std::uint16_t self = 0; self < 2; ++self) {
    StreamOptions options;
    options.self = NodeId(self);
    options.address = StreamAddress::of_text("127.0.0.1").value();
    options.encrypted = encrypted;
    made[self] = std::move(StreamTransport::create(std::move(options)).value());
  }
  const std::vector<Bytes> addresses = {made[0]->address(), made[1]->address()};
  for (const auto& each : made) {
    if (!each->connect(addresses, key)) std::abort();
  }
  return {{std::move(made[0]), std::move(made[1])}};
}

Pair ucx_pair(UcxNetwork network) {
  std::unique_ptr<UcxTransport> nodes[2];
  for (std::uint16_t self = 0; self < 2; ++self) {
    UcxOptions options;
    options.library.network = network;
    options.self = NodeId(self);
    nodes[self] = std::move(UcxTransport::create(options).value());
  }
  const std::vector<Bytes> addresses = {nodes[0]->address(), nodes[1]->address()};
  for (const auto& each : nodes) each->connect(addresses);
  return {{std::move(nodes[0]), std::move(nodes[1])}};
}

MessageSegments message_of(std::size_t bytes) { return MessageSegments(1, Bytes(bytes)); }

// Spins, and yields after a while: there may be fewer processors than threads.
void poll_until(Transport& transport, const Receiver& receiver,
                const std::function<bool()>& finished) {
  for (unsigned spins = 0; !finished(); ++spins) {
    if (transport.poll(receiver) != 0) spins = 0;
    if (spins > 1000) sched_yield();
  }
}

std::vector<double> ping_pong(const MakePair& make, std::size_t bytes, unsigned rounds) {
  Pair pair = make();
  Transport& here = *pair.nodes[0];
  Transport& there = *pair.nodes[1];
  std::atomic<bool> done = false;
  std::thread echo([&] {
    const Pinned pinned(1);
    const Receiver answer = [&](NodeId from, ByteView message) {
      there.send(from, Channel::kControl, message_of(message.size()));
    };
    poll_until(there, answer, [&] { return done.load(); });
  });
  const Pinned pinned(0);
  std::vector<double> times;
  for (unsigned round = 0; round < rounds + kWarmUpRounds; ++round) {
    const auto start = Clock::now();
    bool answered = false;
    here.send(NodeId(1), Channel::kControl, message_of(bytes));
    poll_until(here, [&](NodeId, ByteView) { answered = true; }, [&] { return answered; });
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    if (round >= kWarmUpRounds) times.push_back(took.count());
  }
  done = true;
  echo.join();
  return times;
}

double bandwidth(const MakePair& make) {
  Pair pair = make();
  std::atomic<std::size_t> received = 0;
  std::thread sink([&] {
    const Pinned pinned(1);
    const Receiver count = [&](NodeId, ByteView message) { received += message.size(); };
    poll_until(*pair.nodes[1], count, [&] { return received >= kStreamBytes; });
  });
  const Pinned pinned(0);
  const auto start = Clock::now();
  for (std::size_t sent = 0; sent < kStreamBytes; sent += kStreamMessageBytes) {
    pair.nodes[0]->send(NodeId(1), Channel::kData, message_of(kStreamMessageBytes));
    pair.nodes[0]->poll(kIgnore);
  }
  poll_until(*pair.nodes[0], kIgnore, [&] { return received >= kStreamBytes; });
  const std::chrono::duration<double> took = Clock::now() - start;
  sink.join();
  return static_cast<double>(kStreamBytes) / took.count();
}

std::string spread(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  return fmt::format("{:8.2f} {:8.2f} {:8.2f}", at(0.1), at(0.5), at(0.9));
}

void print_for(UcxNetwork network, const char* name, unsigned rounds) {
  const MakePair make = [network] { return ucx_pair(network); };
  const UcxLibraryOptions options{.network = network, .net_devices = {}, .by_version_six = false};
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}}) {
    const auto raw = raw_ping_pong(options, bytes, rounds);
    fmt::print("{:<14} {:>5} B round trip, us   UCX {}   transport {}\n", name, bytes,
               spread(raw.value()), spread(ping_pong(make, bytes, rounds)));
  }
  const auto raw = raw_bandwidth(options, kStreamMessageBytes, kStreamBytes);
  fmt::print("{:<14} stream, MB/s             UCX {:26.0f}   transport {:26.0f}\n", name,
             raw.value() / 1e6, bandwidth(make) / 1e6);
}

void print_for_streams(bool encrypted, const char* name, unsigned rounds) {
  const MakePair make = [encrypted] { return stream_pair(encrypted); };
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}}) {
    fmt::print("{:<14} {:>5} B round trip, us   {:30}   transport {}\n", name, bytes, "",
               spread(ping_pong(make, bytes, rounds)));
  }
  fmt::print("{:<14} stream, MB/s             {:30}   transport {:26.0f}\n", name, "",
             bandwidth(make) / 1e6);
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 10000;
  fmt::print("round trips: 10 %, 50 % and 90 % of {} are below\n", rounds);
  weft::print_for(weft::UcxNetwork::kSharedMemory, "shared memory", rounds);
  weft::print_for(weft::UcxNetwork::kTcp, "TCP", rounds);
  weft::print_for_streams(false, "plain stream", rounds);
  weft::print_for_streams(true, "TLS stream", rounds);
}

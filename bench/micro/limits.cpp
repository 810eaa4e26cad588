// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can do with nothing of Weft in the way: the physical limits beside which
// bench/micro/run prints Weft's own figures. Prints a line for each measurement and repetition:
// name, value, unit. Usage: micro_limits [REPETITIONS]
#include <fmt/format.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "memory/region/region.hpp"
#include "memory/watching/userfault.hpp"
#include "transport/ucx/pinned.hpp"
#include "transport/ucx/raw_ping_pong.hpp"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBigBytes = std::size_t{64} << 20;
constexpr std::size_t kStreamMessageBytes = 65536;
constexpr std::size_t kSmallBytes = 8, kSmallMessages = 200'000;
constexpr std::size_t kPieceBytes = 32768;  // one piece to the networks as Weft sets them
constexpr unsigned kRounds = 3000;
constexpr std::uint64_t kFaultPages = 4096;
constexpr int kLockRounds = 200'000;

double microseconds(const std::function<void()>& action) {
  const auto start = Clock::now();
  action();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void report(const std::string& name, double value, const char* unit) {
  fmt::print("{} {:.4f} {}\n", name, value, unit);
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void measure_network(UcxNetwork network, const std::string& name) {
  const UcxLibraryOptions options{.network = network, .net_devices = {}};
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}}) {
    const auto times = raw_ping_pong(options, bytes, kRounds);
    WEFT_ASSERT(times.ok(), "{}", times.error());
    report(fmt::format("round_trip_{}.{}", bytes, name), median(times.value()), "us");
  }
  const auto bandwidth = raw_bandwidth(options, kStreamMessageBytes, 4 * kBigBytes);
  WEFT_ASSERT(bandwidth.ok(), "{}", bandwidth.error());
  report("stream." + name, bandwidth.value() / 1e6, "MB/s");
  const auto memory = raw_memory_bandwidth(options, kPieceBytes, kBigBytes);
  WEFT_ASSERT(memory.ok(), "{}", memory.error());
  report("memory_stream." + name, memory.value() / 1e6, "MB/s");
  const auto small = raw_bandwidth(options, kSmallBytes, kSmallBytes * kSmallMessages);
  WEFT_ASSERT(small.ok(), "{}", small.error());
  report("small_message." + name, 1e6 * kSmallBytes / small.value(), "us");
}

void measure_copying() {
  std::vector<char> from(kBigBytes, 1), to(kBigBytes, 2);
  const double took = microseconds([&] { std::memcpy(to.data(), from.data(), kBigBytes); });
  report("memcpy", static_cast<double>(kBigBytes) / took, "MB/s");
  volatile auto* words = reinterpret_cast<volatile long*>(to.data());
  const double filling = microseconds([&] {
    for (std::size_t i = 0; i < kBigBytes / sizeof(long); ++i) words[i] = static_cast<long>(i);
  });
  report("fill", static_cast<double>(kBigBytes) / filling, "MB/s");
}

// The plainest fault there is: the first touch of private memory.
void measure_first_touch() {
  constexpr std::size_t kBytes = kFaultPages * kPageBytes;
  void* mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  WEFT_ASSERT(mapped != MAP_FAILED);
  madvise(mapped, kBytes, MADV_NOHUGEPAGE);
  auto* bytes = static_cast<volatile char*>(mapped);
  const double took = microseconds([&] {
    for (std::size_t page = 0; page < kFaultPages; ++page) bytes[page * kPageBytes] = 1;
  });
  munmap(mapped, kBytes);
  report("first_touch", took / kFaultPages, "us");
}

Userfault* present_userfault = nullptr;

// Maps the page that the thread touched, as the file has it: what a page miss costs beside what
// happens on the network.
void map_touched_page(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr) & ~(kPageBytes - 1);
  const Status mapped = present_userfault->map({ProgramAddress(address), kPageBytes}, false,
                                               [](ProgramRange) { return Status(); });
  if (!mapped) _exit(1);
}

// A page that is in the file and not mapped, touched; the thread maps it itself, in its handler.
void measure_resolved_fault() {
  SegmentSpec spec;
  spec.name = "limits";
  spec.bytes = kFaultPages * kPageBytes;
  const auto region = Region::create({spec});
  auto userfault = Userfault::create(
      {UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_SIGBUS, true});
  if (!region.ok() || !userfault.ok()) return;  // the host has no userfaultfd: no such row
  Region& shared = *region.value();
  const Segment& segment = shared.segments().front();
  std::memset(shared.page_pointer(PageIndex(0)), 1, segment.bytes);
  if (!userfault.value()->watch({segment.address, segment.bytes})) return;
  present_userfault = userfault.value().get();
  struct sigaction action = {}, before = {};
  action.sa_sigaction = map_touched_page;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, &before);
  auto* bytes = reinterpret_cast<volatile char*>(segment.address.value());
  const double took = microseconds([&] {
    for (std::uint64_t i = 0; i < kFaultPages; ++i) {
      (void)bytes[i * 1361 % kFaultPages * kPageBytes];
    }
  });
  sigaction(SIGBUS, &before, nullptr);
  report("resolved_fault", took / kFaultPages, "us");
}

void pass_on(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  word = value;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void sleep_until(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  for (std::uint32_t now = word; now != value; now = word) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
  }
}

// Two threads on processors of their own wake each other in turn.
void measure_waking() {
  std::atomic<std::uint32_t> there = 0, back = 0;
  std::thread other([&] {
    const Pinned pinned(1);
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      sleep_until(there, round);
      pass_on(back, round);
    }
  });
  const Pinned pinned(0);
  const double took = microseconds([&] {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      pass_on(there, round);
      sleep_until(back, round);
    }
  });
  other.join();
  report("futex_wake", took / kRounds / 2, "us");
}

void measure_mutex() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const double took = microseconds([&] {
    for (int i = 0; i < kLockRounds; ++i) {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }
  });
  report("mutex", took / kLockRounds, "us");
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    weft::measure_network(weft::UcxNetwork::kSharedMemory, "shm");
    weft::measure_network(weft::UcxNetwork::kTcp, "tcp");
    weft::measure_copying();
    weft::measure_first_touch();
    weft::measure_resolved_fault();
    weft::measure_waking();
    weft::measure_mutex();
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three drivers in one process, joined by the in-memory transport, each with a region of its own
// that the kernel watches. A node's service thread runs until the process ends, so clusters are
// never destroyed.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "memory/watching/back_end.hpp"
#include "runtime/driver/driver.hpp"
#include "transport/testing/in_memory.hpp"

namespace weft {

constexpr unsigned kNodes = 3, kThreads = 3;
constexpr std::uint64_t kPages = 24;

// A launcher that says nothing.
class QuietBootstrap final : public Bootstrap {
 public:
  QuietBootstrap(NodeId self, bool oversubscribed) : self_(self), oversubscribed_(oversubscribed) {}
  [[nodiscard]] NodeId self() const override { return self_; }
  [[nodiscard]] unsigned node_count() const override { return kNodes; }
  [[nodiscard]] unsigned threads_per_node() const override { return kThreads; }
  [[nodiscard]] bool is_on_one_host() const override { return true; }
  [[nodiscard]] std::string net_devices() const override { return {}; }
  [[nodiscard]] bool oversubscribed() const override { return oversubscribed_; }
  [[nodiscard]] Result<std::vector<Bytes>> exchange(Bytes) override {
    return Failure("nobody is there");
  }
  void report_finished(int) override {}
  void report_failure(std::string_view sentence) override {
    std::fprintf(stderr, "node %u: %.*s\n", self_.value(), static_cast<int>(sentence.size()),
                 sentence.data());
    std::abort();
  }
  void report_settled_output() override {}
  void report_lost_peer(NodeId, std::string_view reason) override { report_failure(reason); }
  void report_unreadable(NodeId peer, std::string_view what) override {
    report_failure(fmt::format("node {} has sent {}", peer.value(), what));
  }
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] bool job_ended() override { return false; }

 private:
  NodeId self_;
  bool oversubscribed_;
};

struct NodeParts {
  std::unique_ptr<Region> region;
  std::unique_ptr<Driver> driver;
  std::barrier<> threads{kThreads};
};

// What a thread of the program has.
struct Place {
  NodeParts& node;
  unsigned self, thread;

  [[nodiscard]] Driver& driver() const { return *node.driver; }
  [[nodiscard]] unsigned number() const { return self * kThreads + thread; }
  // A variable in the program's view of the node's memory.
  [[nodiscard]] volatile std::uint64_t& variable(std::uint64_t page, std::uint64_t index) const {
    const ProgramAddress address = node.region->program_address(GlobalOffset(page * kPageBytes));
    return reinterpret_cast<volatile std::uint64_t*>(address.value())[index];
  }
  // Of all threads of the job.
  void barrier() const {
    node.threads.arrive_and_wait();
    if (thread == 0) driver().barrier();
    node.threads.arrive_and_wait();
  }
};

class Cluster {
 public:
  // Null if faults cannot be waited for by a thread here, as several regions need.
  static Cluster* create(bool oversubscribed, const MemoryOptions& memory = {},
                         Driver::Beginning where = Driver::Beginning::kEverywhere) {
    Cluster* const made = create_still(oversubscribed, memory);
    if (made == nullptr) return nullptr;
    for (NodeParts& each : made->nodes_) each.driver->start(where);
    return made;
  }
  // The same without the nodes' own threads: whoever calls drives.
  static Cluster* create_still(bool oversubscribed, const MemoryOptions& memory = {}) {
    const Result<BackEnd> back_end = choose_back_end({.name = "uffd-async"});
    return back_end.ok() ? new Cluster(back_end.value(), oversubscribed, memory) : nullptr;
  }

  [[nodiscard]] Driver& driver(unsigned node) { return *nodes_[node].driver; }
  // Beside its driver, which knows nothing of what is sent by it.
  [[nodiscard]] Transport& transport(NodeId node) { return hub_.transport(node); }

  [[nodiscard]] InMemoryHub& hub() { return hub_; }

  // By every thread of every node.
  void run(const std::function<void(const Place&)>& program) {
    std::vector<std::thread> threads;
    for (unsigned node = 0; node < kNodes; ++node) {
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&, node, thread] { program({nodes_[node], node, thread}); });
      }
    }
    for (std::thread& each : threads) each.join();
  }

 private:
  Cluster(const BackEnd& back_end, bool oversubscribed, const MemoryOptions& memory) {
    for (unsigned node = 0; node < kNodes; ++node) {
      const NodeId self(static_cast<NodeId::representation>(node));
      NodeParts& parts = nodes_[node];
      parts.region = std::move(
          Region::create({{.name = "test", .address = {}, .bytes = kPages * kPageBytes}}).value());
      EngineConfig engine;
      engine.self = self;
      engine.node_count = kNodes;
      engine.page_count = parts.region->page_count();
      engine.initial_homes = {{{PageIndex(0), engine.page_count}, NodeId(0)}};
      parts.driver = std::make_unique<Driver>(Driver::Parts{
          .stack_slots = kThreads,
          .bootstrap = std::make_unique<QuietBootstrap>(self, oversubscribed),
          .memory = std::move(
              WatchedMemory::create(
                  *parts.region, std::move(make_watcher(back_end, *parts.region).value()), memory)
                  .value()),
          .transport = hub_.lend(self),
          .engine = std::move(engine)});
    }
  }

  InMemoryHub hub_{kNodes};
  NodeParts nodes_[kNodes];
};

// With a processor for each thread, threads that wait poll, and the service thread stands back;
// with fewer, the service thread does most.
class ClusterTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    cluster_ = Cluster::create(GetParam());
    if (cluster_ == nullptr) GTEST_SKIP() << "no userfaultfd with a descriptor to read here";
  }

  Cluster* cluster_ = nullptr;
};

inline std::string processors_of(const testing::TestParamInfo<bool>& info) {
  return info.param ? "FewerThanThreads" : "OneForEachThread";
}

}  // namespace weft

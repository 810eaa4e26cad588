// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// watcher_bench [ROUNDS]: what page watching costs a page with every back end that this host
// allows, in microseconds: the median of all rounds, and the span from the fastest to the slowest.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kPages = 4096;
constexpr PageRange kAll{PageIndex(0), kPages};

class Costs {
 public:
  // Runs `action`, which does something to `pages` pages, and notes what it took a page.
  template <typename Action>
  void measure(const char* what, std::uint64_t pages, Action action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (!costs_.contains(what)) order_.push_back(what);
    costs_[what].push_back(took.count() / static_cast<double>(pages));
  }

  void print(const char* back_end) {
    for (const std::string& what : order_) {
      std::vector<double>& costs = costs_[what];
      std::sort(costs.begin(), costs.end());
      std::printf("%-24s %-44s %8.3f  (%.3f to %.3f)\n", back_end, what.c_str(),
                  costs[costs.size() / 2], costs.front(), costs.back());
    }
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<double>> costs_;
};

void touch(TestNode& node, bool writes) {
  for (std::uint64_t i = 0; i < kPages; ++i) {
    const PageIndex page(i * 1361 % kPages);  // no stream that anything could guess
    if (writes) {
      node.write(page, 8, static_cast<std::uint8_t>(i + 1));
    } else {
      (void)node.read(page, 8);
    }
  }
}

void measure_bulk(TestNode& node, Costs& costs) {
  WatchedMemory& memory = node.memory();
  PageSet written;
  costs.measure("map tracked, first time, no twin", kPages,
                [&] { memory.map_tracked(kAll, Twin::kNone); });
  costs.measure("unmap", kPages, [&] { memory.unmap(kAll); });
  costs.measure("map tracked again, no twin", kPages,
                [&] { memory.map_tracked(kAll, Twin::kNone); });
  memory.unmap(kAll);
  costs.measure("map tracked, twin = present", kPages,
                [&] { memory.map_tracked(kAll, Twin::kPresent); });
  costs.measure("first read of a mapped page", kPages, [&] { touch(node, false); });
  costs.measure("collect, nothing written", kPages, [&] { memory.collect_written(kAll, written); });
  costs.measure("first write", kPages, [&] { touch(node, true); });
  costs.measure("later write", kPages, [&] { touch(node, true); });
  costs.measure("collect, everything written", kPages,
                [&] { memory.collect_written(kAll, written); });
  WEFT_ASSERT(written.page_count() == kPages);
  costs.measure("diff, one byte changed", kPages, [&] {
    for (std::uint64_t i = 0; i < kPages; ++i) (void)memory.make_diff(PageIndex(i));
  });
  costs.measure("unmap, written", kPages, [&] { memory.unmap(kAll); });
  memory.drop(kAll);
}

void measure_faults(TestNode& node, Costs& costs) {
  WatchedMemory& memory = node.memory();
  node.bring_page = [&](PageIndex page) { memory.map_tracked({page, 1}, Twin::kNone); };
  costs.measure("fault by reading, resolved one by one", kPages, [&] { touch(node, false); });
  memory.unmap(kAll);
  node.bring_page = [&](PageIndex page) { memory.map_untracked({page, 1}); };
  costs.measure("fault by writing, untracked", kPages, [&] { touch(node, true); });
  costs.measure("start tracking", kPages, [&] { memory.start_tracking(kAll, Twin::kNone); });
  memory.unmap(kAll);
  costs.measure("map untracked", kPages, [&] { memory.map_untracked(kAll); });
  memory.unmap(kAll);
  memory.drop(kAll);
}

void bench(const NamedBackEnd& named, int rounds) {
  Costs costs;
  for (int round = 0; round < rounds; ++round) {
    TestNode node(named.back_end, kPages);
    measure_bulk(node, costs);
    measure_faults(node, costs);
  }
  costs.print(named.name.c_str());
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  std::fputs(weft::describe_host().c_str(), stdout);
  std::printf("%-24s %-44s %8s\n", "back end", "microseconds a page", "median");
  for (const weft::NamedBackEnd& named : weft::testable_back_ends()) weft::bench(named, rounds);
  return 0;
}

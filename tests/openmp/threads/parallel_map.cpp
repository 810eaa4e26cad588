// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// environment: WEFT_SPREAD=always
//
// A parallel map over std::thread, over std::async, and over std::jthread with a request to stop:
// the parts are on all nodes, and results are in containers of the maker's.

#include <sys/sysinfo.h>
#include <unistd.h>
#include <weft/weft.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <map>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

// The calling thread does a part as well.
template <typename In, typename Function>
auto map_by_threads(const std::vector<In>& in, Function function, std::size_t parts) {
  std::vector<decltype(function(in[0]))> out(in.size());
  const auto do_part = [&](std::size_t part) {
    const std::size_t begin = in.size() * part / parts, end = in.size() * (part + 1) / parts;
    std::transform(in.begin() + begin, in.begin() + end, out.begin() + begin, function);
  };
  std::vector<std::thread> threads;
  for (std::size_t part = 1; part < parts; ++part) threads.emplace_back(do_part, part);
  do_part(0);
  for (std::thread& thread : threads) thread.join();
  return out;
}

void by_threads() {
  std::vector<long> numbers(20'000);
  std::iota(numbers.begin(), numbers.end(), 0L);
  const std::size_t parts = 2 * static_cast<std::size_t>(weft_nodes());
  const auto squares = map_by_threads(numbers, [](long n) { return n * n; }, parts);
  for (long n = 0; n < 20'000; ++n) EXPECT(squares[n] == n * n, "The square of %ld", n);
  const auto texts = map_by_threads(
      numbers, [](long n) { return std::string(n % 50, 'x') + std::to_string(n); }, parts);
  for (long n = 0; n < 20'000; ++n) {
    EXPECT(texts[n] == std::string(n % 50, 'x') + std::to_string(n), "It says %s.",
           texts[n].c_str());
  }
}

void by_async() {
  std::latch all_here(2 * weft_nodes() - 1);
  std::vector<std::future<std::map<std::string, int>>> parts;
  for (int part = 1; part < 2 * weft_nodes(); ++part) {
    parts.push_back(std::async(std::launch::async, [part, &all_here] {
      all_here.arrive_and_wait();
      std::map<std::string, int> counts;
      for (int i = 0; i < 300; ++i) ++counts[std::to_string(i % (part + 3))];
      counts["node"] = weft_node();
      return counts;
    }));
  }
  std::vector<int> on(static_cast<std::size_t>(weft_nodes()), 0);
  on[0] = 1;
  for (int part = 1; part < 2 * weft_nodes(); ++part) {
    auto counts = parts[part - 1].get();
    ++on[counts["node"]];
    counts.erase("node");
    EXPECT(counts.size() == static_cast<std::size_t>(part) + 3, "%zu keys", counts.size());
    const int all = std::accumulate(counts.begin(), counts.end(), 0,
                                    [](int sum, const auto& each) { return sum + each.second; });
    EXPECT(all == 300, "They add up to %d.", all);
  }
  for (const int threads : on) EXPECT(threads == 2, "A node has had %d threads.", threads);
}

// As many as the job has threads.
void count_processors() {
  const long processors = std::thread::hardware_concurrency();
  EXPECT(processors == sysconf(_SC_NPROCESSORS_ONLN), "There are %ld processors, or %ld.",
         processors, sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT(processors == get_nprocs() && processors == get_nprocs_conf(), "There are %d.",
         get_nprocs());
  EXPECT(processors % weft_nodes() == 0, "%ld processors on %d nodes", processors, weft_nodes());
}

void by_jthread() {
  std::atomic<long> turns = 0;
  std::atomic<int> ended = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2 * weft_nodes(); ++t) {
      threads.emplace_back([&](const std::stop_token& token) {
        while (!token.stop_requested()) turns.fetch_add(1), std::this_thread::yield();
        ended.fetch_add(1);
      });
    }
    while (turns.load() < 100) std::this_thread::yield();
  }
  EXPECT(ended.load() == 2 * weft_nodes(), "%d have ended.", ended.load());
}

}  // namespace

int main() {
  count_processors();
  for (int round = 0; round < 3; ++round) {
    by_threads();
    by_async();
    by_jthread();
  }
  return ok();
}

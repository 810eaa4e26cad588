// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/campaign.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/coverage/coverage.hpp"

namespace weft::sim {
namespace {

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options) {}

  CampaignResult run() {
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    const unsigned jobs = options_.jobs != 0 ? options_.jobs : processors;
    std::vector<std::jthread> threads;
    for (unsigned job = 1; job < jobs; ++job) threads.emplace_back([this] { work(); });
    work();
    threads.clear();
    return result_;
  }

 private:
  void work() {
    std::uint64_t seed = 0;
    while (take(seed)) {
      // Which seeds are run twice depends on the seed alone.
      const bool twice = seed * 0x9e3779b97f4a7c15U % 100 < options_.verify_percent;
      if (options_.coverage) {
        note_covered(seed);
      } else {
        note(seed, twice, twice ? run_seed_twice(seed) : run_seed(seed));
      }
    }
  }

  bool take(std::uint64_t& seed) {
    const std::scoped_lock lock(mutex_);
    if (taken_ == options_.seeds || result_.failures >= options_.most_failures) return false;
    seed = seed_at(taken_++);
    return true;
  }

  [[nodiscard]] std::uint64_t seed_at(std::uint64_t index) const {
    if (options_.programs == Programs::kBoth) return options_.first_seed + index;
    const bool is_odd = options_.programs == Programs::kIterative;
    return (options_.first_seed / 2 + index) * 2 + (is_odd ? 1 : 0);
  }

  void note_covered([[maybe_unused]] std::uint64_t seed) {
#ifdef WEFT_DELIBERATE_BUGS
    const auto table = std::make_unique<CoverageTable>();
    const Outcome outcome = run_seed(seed, nullptr, table.get());
    note(seed, false, outcome);
    const std::scoped_lock lock(mutex_);
    options_.coverage->add(*table);
#endif
  }

  void note(std::uint64_t seed, bool twice, const Outcome& outcome) {
    const std::scoped_lock lock(mutex_);
    ++result_.seeds;
    result_.verified += twice ? 1 : 0;
    result_.events += outcome.event_count;
    result_.messages += outcome.counters.messages_sent;
    if (outcome.failure) {
      ++result_.failures;
      fmt::print("{}\n", describe_failure(seed, options_.bug, *outcome.failure));
      std::fflush(stdout);
    }
    show_progress();
  }

  void show_progress() {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::seconds(10)) return;
    shown_ = now;
    fmt::print(stderr, "  {} of {} seeds\n", result_.seeds, options_.seeds);
  }

  const CampaignOptions& options_;
  std::mutex mutex_;
  std::uint64_t taken_ = 0;
  CampaignResult result_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

}  // namespace

CampaignResult run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

std::string describe_failure(std::uint64_t seed, const std::string& bug,
                             const std::string& failure) {
  return fmt::format("seed {}: {}\n  replay: ./x sim --seed {}{}{}", seed, failure, seed,
                     bug.empty() ? "" : " --bug ", bug);
}

}  // namespace weft::sim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the threads of a node wait to be told of a word before they ask its home
// (protocol/shown_words.md, 35): for as long as it takes to ask, or as they had to wait lately.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace weft {

class Hearing {
 public:
  // To ask takes 30 us, and about as much from a thread at the home; where it comes in the midst
  // of what that thread writes, several times as much.
  static constexpr std::int64_t kShortest = 30'000, kLongest = 500'000;

  [[nodiscard]] std::int64_t moment_ns() const { return moment_.load(std::memory_order_relaxed); }
  // A thread had to wait so long until the word changed, whether it asked meanwhile or not.
  void note_wait(std::int64_t ns) {
    const std::int64_t next = ns < kLongest ? std::max(moment_ns(), ns + ns / 4) : moment_ns() / 2;
    moment_.store(std::clamp(next, kShortest, kLongest), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> moment_{kShortest};
};

}  // namespace weft

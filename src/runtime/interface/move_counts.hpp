// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's threads that have come to this node, for its statistics.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

struct MoveAccount {
  std::uint64_t migrated = 0;     // by weft_migrate
  std::uint64_t balanced = 0;     // by `weft run --balance`
  std::uint64_t gathered = 0;     // by `weft run --spread auto`
  std::uint64_t rests_ended = 0;  // on node 0, to wake a thread that slept at another node
  std::string remarks = {};       // node 0's, a sentence; may be empty
};

struct MoveCounts {
  std::atomic<std::uint64_t> migrated{0}, balanced{0}, gathered{0}, rests_ended{0};

  [[nodiscard]] MoveAccount account() const { return {migrated, balanced, gathered, rests_ended}; }
};
inline MoveCounts move_counts;

// Why they do not come together by themselves, if the user has not chosen that; or empty. Set
// before the program runs.
inline constinit std::string_view why_threads_stay;

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the layers below and above openmp/placement and the runtime have to say to each other about
// where parallel regions run: the option, the program's thread data, and the account at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace weft {

enum class SpreadPolicy : std::uint8_t {
  kAlways,  // on all nodes
  kAuto,    // inside node 0 where that is faster
  kRandom,  // now here, now there, for tests
};

// Of kRandom: whether it is node 0 this time. Another sequence for each job size.
class RandomSpread {
 public:
  explicit RandomSpread(unsigned nodes) : state_(0x9e3779b97f4a7c15U * nodes) {}
  [[nodiscard]] bool next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (state_ >> 32 & 1) != 0;
  }

 private:
  std::uint64_t state_;
};

// Set before the program runs.
inline std::atomic<SpreadPolicy> spread_policy{SpreadPolicy::kAlways};

// Whether the program asks where its threads are, or places them, or has memory of a node's own
// (weft_node, weft_register). Set before the program runs.
inline std::atomic<bool> program_speaks_of_nodes{false};

// Whether all of the program runs on node 0, from its beginning to its end: it begins no parallel
// regions, and its threads start there. Set before the program runs.
inline std::atomic<bool> program_stays_on_node_0{false};

// How many of the job's nodes, from node 0 on, run anything of the program.
[[nodiscard]] inline unsigned nodes_of_program(unsigned node_count) {
  return program_stays_on_node_0 ? 1 : node_count;
}

// Whether threads of teams, other than main, have kept values of their own (pthread_setspecific),
// which lie where they ran. Called by node 0's main thread between regions, on its runtime stack.
inline std::atomic<bool (*)()> threads_keep_values{nullptr};

// How many parallel regions of several nodes' threads there were, and where; what else is to be
// said about it, for people. On node 0, when the program has ended.
struct RegionAccount {
  std::uint64_t spread = 0, inside = 0;
  std::uint64_t moves = 0, trials = 0, returns = 0;
  std::string remarks;  // sentences; may be empty
};
inline std::atomic<RegionAccount (*)()> region_account{nullptr};

}  // namespace weft

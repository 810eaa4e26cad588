// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many seeds, on all processors.
#pragma once

#include <cstdint>
#include <string>

#include "sim/run.hpp"

namespace weft::sim {

// Which seeds: all, or those of one kind of programs.
enum class Programs : std::uint8_t { kBoth, kAnyKind, kIterative };

struct CampaignOptions {
  Programs programs = Programs::kBoth;
  std::uint64_t first_seed = 0;
  std::uint64_t seeds = 1000;
  unsigned jobs = 0;            // 0: one a processor
  unsigned verify_percent = 5;  // of the seeds are run twice and compared
  std::uint64_t most_failures = 10;
  std::string bug;                    // for the replay line
  CoverageTable* coverage = nullptr;  // to add to, in the build with deliberate bugs
};

struct CampaignResult {
  std::uint64_t seeds = 0, failures = 0, verified = 0, events = 0, messages = 0;
};

// Prints each failure with the line that replays it, and now and then how far it has come.
CampaignResult run_campaign(const CampaignOptions& options);

[[nodiscard]] std::string describe_failure(std::uint64_t seed, const std::string& bug,
                                           const std::string& failure);

}  // namespace weft::sim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table as people read it: pages, then pairs of features, then what was never reached.
#include "sim/coverage.hpp"

#ifdef WEFT_DELIBERATE_BUGS

#include <fmt/format.h>

#include <algorithm>

namespace weft::sim {

std::string CoverageTable::line_of_cause(std::size_t cause) const {
  std::string line = fmt::format("{:16}", cause_name(cause));
  for (std::size_t state = 0; state < kCountedStates; ++state) {
    const std::uint64_t most = of(cause, state);
    const auto& counts = states_[cause][state];
    const auto none = std::ranges::count(counts, 0U);
    line += most == 0 ? fmt::format("{:>14}", "-")
                      : fmt::format("{:>11}/{:<2}", most, counts.size() - none);
  }
  return line + "\n";
}

std::string CoverageTable::never_with(std::size_t one) const {
  std::string text;
  for (std::size_t two = 0; two < kFeatureCount; ++two) {
    if (pairs_[std::min(one, two)][std::max(one, two)] > 0) continue;
    text += fmt::format(" {}", feature_name(two));
  }
  return text;
}

std::string CoverageTable::text() const {
  std::string text = fmt::format(
      "Pages looked up for messages and requests, by their states: how many under the policy that "
      "has most,\nand under how many of {} policies\n{:16}",
      kPolicies, "");
  for (std::size_t state = 0; state < kCountedStates; ++state) {
    text += fmt::format("{:>14}", counted_state_name(state));
  }
  text += "\n";
  for (std::size_t cause = 0; cause < kCauses; ++cause) text += line_of_cause(cause);
  text +=
      "\nFeatures: in how many epochs of a node at work, and with which never in the same one\n";
  for (std::size_t one = 0; one < kFeatureCount; ++one) {
    text += fmt::format("{:16}{:>12} {}\n", feature_name(one), pairs_[one][one], never_with(one));
  }
  const std::vector<CoverageEntry> all = entries();
  const auto empty = std::ranges::count(all, 0U, &CoverageEntry::count);
  return text + fmt::format("\n{} of {} entries are empty\n", empty, all.size());
}

}  // namespace weft::sim

#endif

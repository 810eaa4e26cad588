// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table as people read it: pages, then pairs of features, then what was never reached.
#include "sim/coverage/coverage.hpp"

#ifdef WEFT_DELIBERATE_BUGS

#include <fmt/format.h>

#include <algorithm>

namespace weft::sim {

std::string name_of(const CoverageEntry& entry) {
  return fmt::format("{} {} {}", kCoverageKinds[static_cast<std::size_t>(entry.kind)], entry.one,
                     entry.other);
}

std::string CoverageTable::line_of_cause(std::size_t cause) const {
  std::string line = fmt::format("{:16}", cause_name(cause));
  for (std::size_t state = 0; state < kCountedStates; ++state) {
    const std::uint64_t count = of(cause, state);
    const auto& counts = states_[cause][state];
    const auto none = std::ranges::count(counts, 0U);
    line += count == 0 ? fmt::format("{:>14}", "-")
                       : fmt::format("{:>11}/{:<2}", count, counts.size() - none);
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
      "Pages looked up for messages and requests, by their states: how many, and under how many of "
      "{} policies\n{:16}",
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
  text += "\nRows of the tables of states: how often taken\n";
  const std::vector<CoverageEntry> all = entries();
  for (const CoverageEntry& entry : all) {
    if (entry.kind < CoverageEntry::Kind::kPage) continue;
    text += fmt::format("{:34}{:>12}\n", name_of(entry), entry.count);
  }
  const auto empty = std::ranges::count(all, 0U, &CoverageEntry::count);
  return text + fmt::format("\n{} of {} entries are empty\n", empty, all.size());
}

std::string CoverageTable::list() const {
  std::string text;
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    for (std::size_t state = 0; state < kCountedStates; ++state) {
      for (std::size_t policy = 0; policy < kPolicies; ++policy) {
        text += fmt::format("cell {} {} {} {}\n", cause_name(cause), counted_state_name(state),
                            policy_name(policy), states_[cause][state][policy]);
      }
    }
  }
  for (const CoverageEntry& entry : entries()) {
    text += fmt::format("{} {}\n", name_of(entry), entry.count);
  }
  return text;
}

}  // namespace weft::sim

#endif

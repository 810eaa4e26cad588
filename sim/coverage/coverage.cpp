// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/coverage/coverage.hpp"

#include "protocol/context/barrier_states.hpp"
#include "protocol/locks/lock_states.hpp"
#include "protocol/pages/page_states.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft::sim {
namespace {

constexpr std::array<std::string_view, kPolicies> kPolicyNames = {
    "homes=settle", "homes=follow",    "homes=stay",   "push=off",           "push=wait",
    "push=join",    "locks=plain",     "locks=weft",   "locks=write-vector", "locks=rmp",
    "locks=rmp-mh", "locks=rmp-lm",    "release=lazy", "release=eager",      "atomics=merge",
    "atomics=each", "pushes-for-good", "carries-all",  "fetches-leaves",     "two-nodes"};
static_assert(!kPolicyNames.back().empty());

}  // namespace

std::string_view policy_name(std::size_t policy) { return kPolicyNames[policy]; }

std::array<bool, kPolicies> policies_of(const EngineConfig& config) {
  const LockPolicy locks = config.lock_policy;
  return {config.home_policy == HomePolicy::kSettle,
          config.home_policy == HomePolicy::kFollow,
          config.home_policy == HomePolicy::kStay,
          config.push_policy == PushPolicy::kOff,
          config.push_policy == PushPolicy::kWait,
          config.push_policy == PushPolicy::kJoin,
          locks == LockPolicy::kPlain,
          locks == LockPolicy::kWeft,
          locks == LockPolicy::kWriteVector,
          locks == LockPolicy::kRmp,
          locks == LockPolicy::kRmpMh,
          locks == LockPolicy::kRmpLm,
          config.release_policy == ReleasePolicy::kLazy,
          config.release_policy == ReleasePolicy::kEager,
          config.atomic_policy == AtomicPolicy::kMerge,
          config.atomic_policy == AtomicPolicy::kEach,
          config.pushes_for_good,
          config.carries_all,
          config.fetches_leaves,
          config.node_count == 2};
}

void CoverageTable::add(const EngineConfig& config, const CoverageCounts& counts) {
  const std::array<bool, kPolicies> policies = policies_of(config);
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    for (std::size_t state = 0; state < kCountedStates; ++state) {
      for (std::size_t policy = 0; policy < kPolicies; ++policy) {
        if (policies[policy]) states_[cause][state][policy] += counts.states[cause][state];
      }
    }
  }
  for (std::size_t one = 0; one < kFeatureCount; ++one) {
    for (std::size_t two = one; two < kFeatureCount; ++two) {
      pairs_[one][two] += counts.pairs[one][two];
    }
  }
  for (std::size_t machine = 0; machine < kMachines.size(); ++machine) {
    for (std::size_t row = 0; row < kMostRows; ++row) {
      rows_[machine][row] += counts.rows[machine][row];
    }
  }
}

void CoverageTable::add(const CoverageTable& other) {
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    for (std::size_t state = 0; state < kCountedStates; ++state) {
      for (std::size_t policy = 0; policy < kPolicies; ++policy) {
        states_[cause][state][policy] += other.states_[cause][state][policy];
      }
    }
  }
  for (std::size_t one = 0; one < kFeatureCount; ++one) {
    for (std::size_t two = one; two < kFeatureCount; ++two)
      pairs_[one][two] += other.pairs_[one][two];
  }
  for (std::size_t machine = 0; machine < kMachines.size(); ++machine) {
    for (std::size_t row = 0; row < kMostRows; ++row) {
      rows_[machine][row] += other.rows_[machine][row];
    }
  }
}

std::uint64_t CoverageTable::of(std::size_t cause, std::size_t state) const {
  const auto& counts = states_[cause][state];
  static_assert(kPolicyNames[0] == "homes=settle" && kPolicyNames[2] == "homes=stay");
  return counts[0] + counts[1] + counts[2];
}

template <typename Table>
void CoverageTable::add_rows(std::vector<CoverageEntry>& entries) const {
  constexpr std::size_t kMachine = machine_of(Table::kSubject);
  constexpr std::size_t kKind = static_cast<std::size_t>(CoverageEntry::Kind::kPage) + kMachine;
  static_assert(kCoverageKinds[kKind] == Table::kSubject);
  for (std::size_t row = 0; row < std::size(Table::kRows); ++row) {
    entries.push_back({static_cast<CoverageEntry::Kind>(kKind),
                       name_of_state<Table>(Table::kRows[row].state),
                       name_of_event<Table>(Table::kRows[row].event), rows_[kMachine][row]});
  }
}

std::vector<CoverageEntry> CoverageTable::entries() const {
  using Kind = CoverageEntry::Kind;
  std::vector<CoverageEntry> entries;
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    for (std::size_t state = 0; state < kCountedStates; ++state) {
      entries.push_back(
          {Kind::kState, cause_name(cause), counted_state_name(state), of(cause, state)});
    }
    for (std::size_t policy = 0; policy < kPolicies; ++policy) {
      std::uint64_t count = 0;
      for (const auto& of_state : states_[cause]) count += of_state[policy];
      entries.push_back({Kind::kPolicy, cause_name(cause), policy_name(policy), count});
    }
  }
  for (std::size_t one = 0; one < kFeatureCount; ++one) {
    for (std::size_t two = one; two < kFeatureCount; ++two) {
      entries.push_back({Kind::kPair, feature_name(one), feature_name(two), pairs_[one][two]});
    }
  }
  add_rows<PageStates>(entries);
  add_rows<TokenStates>(entries);
  add_rows<RequestStates>(entries);
  add_rows<BarrierStates>(entries);
  return entries;
}

}  // namespace weft::sim

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words for policies, the protocol's and others (docs/reference/weft-run.md). The table of
// options takes its choices from here.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/assert.hpp"
#include "protocol/interface/page_policy.hpp"
#include "runtime/interface/spreading.hpp"
#include "runtime/interface/thread_spreading.hpp"

namespace weft {

template <typename Policy>
struct NamedPolicy {
  std::string_view name;
  Policy policy;
};

inline constexpr NamedPolicy<PagePolicy> kPagePolicies[] = {
    {"adaptive", PagePolicy::kAdaptive},
    {"single-writer", PagePolicy::kSingleWriter},
    {"multiple-writer", PagePolicy::kMultipleWriter},
    {"migratory", PagePolicy::kMigratory},
    {"producer-consumer", PagePolicy::kProducerConsumer},
    {"read-mostly", PagePolicy::kReadMostly},
    {"write-shared", PagePolicy::kWriteShared},
};

inline constexpr NamedPolicy<HomePolicy> kHomePolicies[] = {
    {"settle", HomePolicy::kSettle},
    {"follow", HomePolicy::kFollow},
    {"stay", HomePolicy::kStay},
};

inline constexpr NamedPolicy<PushPolicy> kPushPolicies[] = {
    {"off", PushPolicy::kOff},
    {"wait", PushPolicy::kWait},
    {"join", PushPolicy::kJoin},
};

inline constexpr NamedPolicy<LockPolicy> kLockPolicies[] = {
    {"plain", LockPolicy::kPlain},  {"write-vector", LockPolicy::kWriteVector},
    {"rmp", LockPolicy::kRmp},      {"rmp-lm", LockPolicy::kRmpLm},
    {"rmp-mh", LockPolicy::kRmpMh}, {"weft", LockPolicy::kWeft},
};

inline constexpr NamedPolicy<AtomicPolicy> kAtomicPolicies[] = {
    {"merge", AtomicPolicy::kMerge},
    {"each", AtomicPolicy::kEach},
};

inline constexpr NamedPolicy<ReadPolicy> kReadPolicies[] = {
    {"asked", ReadPolicy::kAsked},
    {"one-sided", ReadPolicy::kOneSided},
};

inline constexpr NamedPolicy<ReleasePolicy> kReleasePolicies[] = {
    {"lazy", ReleasePolicy::kLazy},
    {"eager", ReleasePolicy::kEager},
};

inline constexpr NamedPolicy<SpreadPolicy> kSpreadPolicies[] = {
    {"auto", SpreadPolicy::kAuto},
    {"always", SpreadPolicy::kAlways},
    {"random", SpreadPolicy::kRandom},
};

inline constexpr NamedPolicy<ThreadPolicy> kThreadPolicies[] = {
    {"auto", ThreadPolicy::kAuto},
    {"all", ThreadPolicy::kAll},
    {"here", ThreadPolicy::kHere},
};

// Words of options are among their choices (options.hpp).
template <typename Policy, std::size_t kCount>
Policy named(const NamedPolicy<Policy> (&policies)[kCount], std::string_view name) {
  for (const NamedPolicy<Policy>& each : policies) {
    if (each.name == name) return each.policy;
  }
  WEFT_ASSERT(false, "there is no policy {}", name);
}

template <typename Policy, std::size_t kCount>
constexpr std::array<std::string_view, kCount> names_of(
    const NamedPolicy<Policy> (&policies)[kCount]) {
  std::array<std::string_view, kCount> names;
  for (std::size_t i = 0; i < kCount; ++i) names[i] = policies[i].name;
  return names;
}

}  // namespace weft

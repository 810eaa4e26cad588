// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/options/policies.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "protocol/interface/page_policy.hpp"

namespace weft {
namespace {

constexpr std::array kPagePolicies = {
    std::pair<std::string_view, PagePolicy>{"adaptive", PagePolicy::kAdaptive},
    std::pair<std::string_view, PagePolicy>{"single-writer", PagePolicy::kSingleWriter},
    std::pair<std::string_view, PagePolicy>{"multiple-writer", PagePolicy::kMultipleWriter},
    std::pair<std::string_view, PagePolicy>{"migratory", PagePolicy::kMigratory},
    std::pair<std::string_view, PagePolicy>{"producer-consumer", PagePolicy::kProducerConsumer},
    std::pair<std::string_view, PagePolicy>{"read-mostly", PagePolicy::kReadMostly},
    std::pair<std::string_view, PagePolicy>{"write-shared", PagePolicy::kWriteShared},
};

constexpr std::array kHomePolicies = {
    std::pair<std::string_view, HomePolicy>{"settle", HomePolicy::kSettle},
    std::pair<std::string_view, HomePolicy>{"follow", HomePolicy::kFollow},
    std::pair<std::string_view, HomePolicy>{"stay", HomePolicy::kStay},
};

constexpr std::array kPushPolicies = {
    std::pair<std::string_view, PushPolicy>{"off", PushPolicy::kOff},
    std::pair<std::string_view, PushPolicy>{"wait", PushPolicy::kWait},
    std::pair<std::string_view, PushPolicy>{"join", PushPolicy::kJoin},
};

constexpr std::array kLockPolicies = {
    std::pair<std::string_view, LockPolicy>{"plain", LockPolicy::kPlain},
    std::pair<std::string_view, LockPolicy>{"write-vector", LockPolicy::kWriteVector},
    std::pair<std::string_view, LockPolicy>{"rmp", LockPolicy::kRmp},
    std::pair<std::string_view, LockPolicy>{"rmp-lm", LockPolicy::kRmpLm},
    std::pair<std::string_view, LockPolicy>{"rmp-mh", LockPolicy::kRmpMh},
    std::pair<std::string_view, LockPolicy>{"weft", LockPolicy::kWeft},
};

constexpr std::array kAtomicPolicies = {
    std::pair<std::string_view, AtomicPolicy>{"merge", AtomicPolicy::kMerge},
    std::pair<std::string_view, AtomicPolicy>{"each", AtomicPolicy::kEach},
};

constexpr std::array kReleasePolicies = {
    std::pair<std::string_view, ReleasePolicy>{"lazy", ReleasePolicy::kLazy},
    std::pair<std::string_view, ReleasePolicy>{"eager", ReleasePolicy::kEager},
};

// False if there is none of this name.
template <typename Policies, typename Policy>
bool choose(const Policies& policies, std::string_view name, Policy& chosen) {
  for (const auto& [known, policy] : policies) {
    if (known != name) continue;
    chosen = policy;
    return true;
  }
  return false;
}

}  // namespace

Result<EngineConfig> with_policies(EngineConfig engine, const NodeOptions& options) {
  PagePolicy pages = PagePolicy::kAdaptive;
  if (!choose(kPagePolicies, options.pages, pages)) {
    return Failure{
        fmt::format("there is no WEFT_PAGES={}: adaptive, single-writer, multiple-writer, "
                    "migratory, producer-consumer, read-mostly or write-shared",
                    options.pages)};
  }
  force(pages, engine);
  // What is given by itself goes before what the kind of pages says.
  if (!options.homes.empty() && !choose(kHomePolicies, options.homes, engine.home_policy)) {
    return Failure{fmt::format("there is no WEFT_HOMES={}: settle, follow or stay", options.homes)};
  }
  if (!options.push.empty() && !choose(kPushPolicies, options.push, engine.push_policy)) {
    return Failure{fmt::format("there is no WEFT_PUSH={}: off, wait or join", options.push)};
  }
  // Pushed pages come whether there is room for them or not.
  if (options.memory != 0) engine.push_policy = PushPolicy::kOff;
  if (!choose(kReleasePolicies, options.release, engine.release_policy)) {
    return Failure{fmt::format("there is no WEFT_RELEASE={}: lazy or eager", options.release)};
  }
  // What goes with a lock goes with the records of a lazy release.
  const bool is_eager = engine.release_policy == ReleasePolicy::kEager;
  if (is_eager) engine.lock_policy = LockPolicy::kPlain;
  if (!options.locks.empty() && !choose(kLockPolicies, options.locks, engine.lock_policy)) {
    return Failure{
        fmt::format("there is no WEFT_LOCKS={}: plain, write-vector, rmp, rmp-lm, rmp-mh or weft",
                    options.locks)};
  }
  if (is_eager && carries_data(engine.lock_policy)) {
    return Failure{fmt::format(
        "WEFT_RELEASE=eager goes with WEFT_LOCKS=plain or write-vector, not {}", options.locks)};
  }
  if (!choose(kAtomicPolicies, options.atomics, engine.atomic_policy)) {
    return Failure{fmt::format("there is no WEFT_ATOMICS={}: merge or each", options.atomics)};
  }
  return engine;
}

}  // namespace weft

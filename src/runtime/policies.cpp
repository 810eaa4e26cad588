// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/policies.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace weft {
namespace {

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
  if (!choose(kHomePolicies, options.homes, engine.home_policy)) {
    return Failure{fmt::format("there is no WEFT_HOMES={}: settle, follow or stay", options.homes)};
  }
  if (!choose(kPushPolicies, options.push, engine.push_policy)) {
    return Failure{fmt::format("there is no WEFT_PUSH={}: off, wait or join", options.push)};
  }
  // Pushed pages come whether there is room for them or not.
  if (options.memory != 0) engine.push_policy = PushPolicy::kOff;
  if (!choose(kReleasePolicies, options.release, engine.release_policy)) {
    return Failure{fmt::format("there is no WEFT_RELEASE={}: lazy or eager", options.release)};
  }
  // What goes with a lock goes with the records of a lazy release.
  const bool is_eager = engine.release_policy == ReleasePolicy::kEager;
  const std::string_view locks =
      !options.locks.empty() ? options.locks : std::string_view(is_eager ? "plain" : "weft");
  if (!choose(kLockPolicies, locks, engine.lock_policy)) {
    return Failure{
        fmt::format("there is no WEFT_LOCKS={}: plain, write-vector, rmp, rmp-lm, rmp-mh or weft",
                    options.locks)};
  }
  if (is_eager && carries_data(engine.lock_policy)) {
    return Failure{fmt::format(
        "WEFT_RELEASE=eager goes with WEFT_LOCKS=plain or write-vector, not {}", locks)};
  }
  if (!choose(kAtomicPolicies, options.atomics, engine.atomic_policy)) {
    return Failure{fmt::format("there is no WEFT_ATOMICS={}: merge or each", options.atomics)};
  }
  return engine;
}

}  // namespace weft

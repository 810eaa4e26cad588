// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/options/policies.hpp"

#include <fmt/format.h>

#include "runtime/options/policy_names.hpp"

namespace weft {
Result<EngineConfig> with_policies(EngineConfig engine, const NodeOptions& options) {
  force(named(kPagePolicies, options.pages), engine);
  // What is given by itself goes before what the kind of pages says.
  if (!options.homes.empty()) engine.home_policy = named(kHomePolicies, options.homes);
  if (!options.push.empty()) engine.push_policy = named(kPushPolicies, options.push);
  // Pushed pages come whether there is room for them or not.
  if (options.memory != 0) engine.push_policy = PushPolicy::kOff;
  engine.release_policy = named(kReleasePolicies, options.release);
  // What goes with a lock goes with the records of a lazy release.
  const bool is_eager = engine.release_policy == ReleasePolicy::kEager;
  if (is_eager) engine.lock_policy = LockPolicy::kPlain;
  if (!options.locks.empty()) engine.lock_policy = named(kLockPolicies, options.locks);
  if (is_eager && carries_data(engine.lock_policy)) {
    return Failure{fmt::format(
        "WEFT_RELEASE=eager goes with WEFT_LOCKS=plain or write-vector, not {}", options.locks)};
  }
  engine.atomic_policy = named(kAtomicPolicies, options.atomics);
  engine.read_policy = named(kReadPolicies, options.reads);
  engine.meets = options.meets;
  return engine;
}

}  // namespace weft

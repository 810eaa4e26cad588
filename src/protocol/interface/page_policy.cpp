// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/interface/page_policy.hpp"

namespace weft {
namespace {

void choose(EngineConfig& config, HomePolicy homes, PushPolicy push, LockPolicy locks) {
  config.home_policy = homes;
  config.push_policy = push;
  config.lock_policy = locks;
}

}  // namespace

void force(PagePolicy policy, EngineConfig& config) {
  switch (policy) {
    case PagePolicy::kAdaptive:
      return;
    case PagePolicy::kSingleWriter:
      return choose(config, HomePolicy::kFollow, PushPolicy::kOff, LockPolicy::kPlain);
    case PagePolicy::kMultipleWriter:
      return choose(config, HomePolicy::kStay, PushPolicy::kOff, LockPolicy::kPlain);
    case PagePolicy::kMigratory:
      config.carries_all = true;
      return choose(config, HomePolicy::kFollow, PushPolicy::kOff, LockPolicy::kWeft);
    case PagePolicy::kProducerConsumer:
      config.pushes_for_good = true;
      return choose(config, HomePolicy::kFollow, PushPolicy::kWait, LockPolicy::kPlain);
    case PagePolicy::kReadMostly:
      config.fetches_leaves = true;
      return choose(config, HomePolicy::kStay, PushPolicy::kOff, LockPolicy::kPlain);
    case PagePolicy::kWriteShared:
      config.carries_all = config.pushes_for_good = config.pushes_everywhere = true;
      return choose(config, HomePolicy::kStay, PushPolicy::kWait, LockPolicy::kWeft);
  }
}

}  // namespace weft

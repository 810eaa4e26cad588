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

}  // namespace

Result<EngineConfig> with_policies(EngineConfig engine, const NodeOptions& options) {
  for (const auto& [name, policy] : kHomePolicies) {
    if (options.homes != name) continue;
    engine.home_policy = policy;
    return engine;
  }
  return Failure{fmt::format("there is no WEFT_HOMES={}: settle, follow or stay", options.homes)};
}

}  // namespace weft

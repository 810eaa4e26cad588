// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the protocol's policies the user forced, for experiments (docs/reference/weft-run.md).
#pragma once

#include "base/result.hpp"
#include "protocol/engine.hpp"
#include "runtime/options/options.hpp"

namespace weft {

// Sets what the options say. Policies that do not go together are a failure.
[[nodiscard]] Result<EngineConfig> with_policies(EngineConfig engine, const NodeOptions& options);

}  // namespace weft

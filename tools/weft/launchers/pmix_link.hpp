// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "weft/launchers/launcher_link.hpp"

namespace weft {

// By the host's own libpmix.so.2, which is loaded now: nothing else of Weft needs it.
[[nodiscard]] Result<std::unique_ptr<LauncherLink>> connect_by_pmix();

}  // namespace weft

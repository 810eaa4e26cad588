// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "weft/launchers/launcher_link.hpp"

namespace weft {

// On the socket that the launcher has left: PMI_FD, PMI_RANK and PMI_SIZE say which and who.
[[nodiscard]] Result<std::unique_ptr<LauncherLink>> connect_by_pmi1();
[[nodiscard]] Result<std::unique_ptr<LauncherLink>> connect_by_pmi2();

}  // namespace weft

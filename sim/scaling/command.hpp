// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of `weft-sim --network loggp`.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/scaling/study.hpp"

namespace weft::scaling {

// `network` becomes what --network says: "random", where this module has no part, or "loggp".
void describe(CLI::App& app, std::string& network, StudyOptions& options);

}  // namespace weft::scaling

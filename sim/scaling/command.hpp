// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of `weft-sim --network loggp`.
#pragma once

#include <string>

#include "sim/scaling/study.hpp"

namespace CLI {
class App;
}

namespace weft::scaling {

// `network` becomes what --network says: "random", where this module has no part, or "loggp".
void describe(CLI::App& app, std::string& network, StudyOptions& options);

}  // namespace weft::scaling

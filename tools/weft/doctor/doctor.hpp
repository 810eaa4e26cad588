// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace weft {

// `weft doctor`: what this host allows, in lines for people; ends with a verdict. Returns 0 if jobs
// can run here, else 1.
int examine_host(std::string& report);

}  // namespace weft

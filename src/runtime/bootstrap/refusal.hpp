// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft {

// A process that cannot be a node ends, and tells its launcher why. Null: there is no link to it.
[[noreturn]] inline void refuse_to_join(Bootstrap* launcher, const std::string& sentence) {
  if (launcher != nullptr) {
    launcher->report_failure(sentence);
  } else {
    std::fprintf(stderr, "weft: %s\n", sentence.c_str());
  }
  _exit(1);
}

}  // namespace weft

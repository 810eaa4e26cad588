// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

struct Plugin {
  virtual ~Plugin() = default;
  virtual std::string describe() const = 0;
};

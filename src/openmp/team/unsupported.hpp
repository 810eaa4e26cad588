// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs that do not work across nodes yet end the job with a sentence that names them.
#pragma once

#include <string_view>

#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {

[[noreturn]] void fail_unsupported(std::string_view construct, const Ident* loc);

}  // namespace weft::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call of the program cannot be on this node: ends the job with the sentence. Set by the
// runtime.
#pragma once

#include <atomic>

namespace weft::libc {

inline constinit std::atomic<void (*)(const char* sentence)> fail_job = nullptr;

}  // namespace weft::libc

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences of pages (memory/diffs). diff_test replays the corpus, too.
#include "memory/diffs/diff_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)weft::check_diff_input(std::as_bytes(std::span(data, size)));
  return 0;
}

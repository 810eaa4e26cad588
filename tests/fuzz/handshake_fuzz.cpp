// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stranger's connection where messages are not encrypted.
#include "fuzz/stranger.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto links = weft::make_plain_links(weft::NodeId(3), weft::fuzzed::some_key());
  weft::fuzzed::check_stranger(*links, weft::fuzzed::input(data, size));
  return 0;
}

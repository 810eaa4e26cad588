// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What weftcc has to know about a command line; the compiler itself understands the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::driver {

// Before which loops the compiler says what they will use: all that it can, or those only that go
// from address to address.
enum class Prefetches : std::uint8_t { kOutermost, kInnermost, kNone };

struct CommandLine {
  // As given, without the options that contradict a Weft executable (-pie, -fno-pie and the like),
  // and without Weft's own.
  std::vector<std::string> arguments;
  bool internal = false;     // clang -cc1, -cc1as or flang -fc1: not for us
  bool stops_early = false;  // -c, -S, -E, ..., or a header: certainly does not link
  bool shared = false;       // -shared
  bool relocatable = false;  // -r
  // -flto and its variants, by the linker that the compiler comes with unless another is named.
  bool optimises_at_link = false;
  bool overwrites = true;  // -fno-weft-overwrites, unless -fweft-overwrites comes after it
  Prefetches prefetches = Prefetches::kOutermost;  // the last of -f[no-]weft-prefetches[=...]
  bool subscripts = true;      // -fno-weft-subscripts, unless -fweft-subscripts comes after it
  bool checks_ranges = false;  // -fweft-check-ranges, unless -fno-weft-check-ranges comes after it
  std::string unsupported;     // an option that cannot be had when linking, e.g. -static
};

// Replaces "@file" by the words in the file, to a depth that no sensible build exceeds. A file that
// cannot be read stays as it is: the compiler will say so.
[[nodiscard]] std::vector<std::string> expand(const std::vector<std::string>& arguments,
                                              int depth = 0);

// Looks at all arguments, those in response files included.
[[nodiscard]] CommandLine read_arguments(const std::vector<std::string>& arguments);

}  // namespace weft::driver

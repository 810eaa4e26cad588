// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

// Bytes, as people write them: "4096", "512M", "8GiB", "10 kb". The units K, M, G, T, P and E are
// powers of 1024, in either case; they may be followed by B or iB, and have spaces around them.
// Nothing if it is none of that, or too large.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace weft

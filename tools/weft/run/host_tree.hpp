// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which host reaches which, where there are many: the launcher reaches the first `fanout` of the
// others, and each of them the next `fanout` that nobody reaches yet.
//
//   fanout 2:   launcher ── 0 ── 2, 3
//                        └─ 1 ── 4, 5
#pragma once

#include <cstddef>
#include <optional>

namespace weft {

// Many: so many `ssh` cost the launcher's host more than a second step of the tree takes
// (docs/decisions/0021-start.md).
inline constexpr unsigned kDefaultFanout = 16;

// The host through which the host is reached, both counted among those that are not the launcher's
// own; nothing: the launcher reaches it. With a fanout of 0 it reaches all.
[[nodiscard]] constexpr std::optional<std::size_t> reached_through(std::size_t host,
                                                                   unsigned fanout) {
  if (fanout == 0 || host < fanout) return std::nullopt;
  return host / fanout - 1;
}

}  // namespace weft

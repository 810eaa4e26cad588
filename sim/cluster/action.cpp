// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/cluster/action.hpp"

#include <array>
#include <cstddef>

namespace weft::sim {

const char* action_name(Action::Kind kind) {
  static constexpr std::array kNames = {
      "read",      "write",        "overwrite",  "prefetch",   "own",       "name-data",
      "commit",    "read-final",   "own-atomic", "peek",       "acquire",   "try",
      "release",   "pool-trade",   "pool-use",   "begin-sum",  "take-term", "add-sum",
      "write-sum", "await",        "advance",    "flag-store", "flag-wait", "count",
      "spin-lock", "spin-unlock",  "arrive",     "barrier",    "publish",   "end",
      "move",      "release-there"};
  static_assert(kNames.size() == static_cast<std::size_t>(Action::Kind::kReleaseThere) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace weft::sim

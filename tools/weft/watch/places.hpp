// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for the addresses that a node shows: source lines, by the compiler's own text at a call
// (clang's ident_t) or by DWARF (libdw; docs/decisions/0019-source-lines.md), else the function;
// and the names of variables. On the host where the node runs: its memory and files are read.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/watch/node_view.hpp"

namespace weft {

// Of each wait, each lock that is held, and their objects: those that have words. Files may be
// read, so it can take as long as that.
[[nodiscard]] std::vector<AddressText> texts_of(pid_t process, const board::NodeSnapshot& shown);

// Of the calls that return to these addresses, in that order: "heat.c:41", or "relax+0x12 (heat)";
// empty where nothing is known. Files are read.
[[nodiscard]] std::vector<std::string> places_of_calls(pid_t process,
                                                       std::span<const std::uint64_t> addresses);

// ";heat.c;relax;41;3;;" as "heat.c:41"; nothing where it is no such text, or says "unknown".
[[nodiscard]] std::optional<std::string> place_in(const std::string& text);

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of a page at one node (protocol/pages.md, 1).
#pragma once

#include <cstdint>

namespace weft {

enum class PageState : std::uint8_t { kPristine, kValid, kInvalid, kShared, kExclusive };

}  // namespace weft

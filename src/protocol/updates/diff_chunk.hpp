// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diffs for one home, one behind the other as they will stand in its message (UpdatePart): they are
// made where they are sent from.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "protocol/messages/page_parts.hpp"

namespace weft {

struct DiffChunk {
  std::vector<DiffSize> sizes;
  Bytes bytes;
};

}  // namespace weft

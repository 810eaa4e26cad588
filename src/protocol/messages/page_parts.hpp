// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How pages and parts of pages stand in messages.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/codec.hpp"
#include "base/ids.hpp"

namespace weft {

struct PageBytes {
  PageIndex page;
  ByteView bytes;
  WEFT_FIELDS(self.page, self.bytes)
};

// How many of the bytes that follow are this page's.
struct DiffSize {
  PageIndex page;
  std::uint32_t bytes = 0;
  WEFT_FIELDS(self.page, self.bytes)
};

// With write vectors: contents that a home gave, named by a number that it never gives again.
struct PageVersion {
  PageIndex page;
  std::uint64_t version = 0;
  WEFT_FIELDS(self.page, self.version)
};

// Those of a page's 64 blocks that have a bit in `blocks`, one after the other.
struct PageBlocks {
  PageIndex page;
  std::uint64_t version = 0;
  std::uint64_t blocks = 0;
  Bytes bytes;
  WEFT_FIELDS(self.page, self.version, self.blocks, self.bytes)
};

}  // namespace weft

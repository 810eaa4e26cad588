// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who wrote what in an epoch, as barriers tell it (protocol/epochs.md, 7).
#pragma once

#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

// "This node wrote these pages in this epoch." kNoNode: each page's home did, wherever that is.
struct Notice {
  NodeId writer;
  PageSet pages;
  WEFT_FIELDS(self.writer, self.pages)
  bool operator==(const Notice&) const = default;
};

// The same of a page's home, where it means nothing to a node without a copy; and who has copies.
struct SettledNotice {
  NodeId writer;
  std::vector<NodeId> holders;  // those in the receiver's subtree
  PageSet pages;
  WEFT_FIELDS(self.writer, self.holders, self.pages)
  bool operator==(const SettledNotice&) const = default;
};

}  // namespace weft

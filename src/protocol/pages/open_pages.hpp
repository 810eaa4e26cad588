// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages homed here that are open: other nodes of the host do atomic operations on them without this
// node (protocol/direct.md, 33). Nobody is told of these, so a page that has a twin here is not
// open, nor one that a load waits for.
#pragma once

#include "base/page_range.hpp"
#include "protocol/interface/exposed_memory.hpp"

namespace weft {

class OpenPages {
 public:
  explicit OpenPages(ExposedMemory& exposed) : exposed_(exposed) {}

  void open(PageIndex page) {
    if (open_.contains(page)) return;
    open_.insert(page);
    exposed_.open(page);
  }
  // No operation of others is under way when this returns.
  void close(PageRange pages) {
    if (open_.empty()) return;
    for (const PageRange& range : open_.intersection(pages)) {
      exposed_.close(range);
      open_.erase(range);
    }
  }

 private:
  ExposedMemory& exposed_;
  PageSet open_;
};

}  // namespace weft

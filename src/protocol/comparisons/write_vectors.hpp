// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Write vectors (protocol/comparisons.md, 19): a page's home knows which of its 64 blocks have
// changed since it last gave it to a node that still has those contents, and sends these alone.
//
// The home finds changes by comparing a page with what it was. Before and after it applies what a
// node sent, lest a block that changes there and back is taken for one that never changed: the node
// that changed it has kept its own bytes.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

inline constexpr std::size_t kPageBlocks = 64;

class WriteVectors {
 public:
  WriteVectors(Context& context, PageTable& table) : context_(context), table_(table) {}

  [[nodiscard]] bool is_on() const {
    return context_.config.lock_policy == LockPolicy::kWriteVector;
  }

  // --- as a home ---
  // What changed up to now is noted. Does nothing for a page that nobody was given.
  void look(PageIndex page);
  // What a node that has this version of the page lacks; 0: it has nothing.
  [[nodiscard]] PageBlocks blocks_since(PageIndex page, std::uint64_t version);

  // --- as an asker ---
  // The page came from its home, and has this version.
  void note_version(PageIndex page, std::uint64_t version);
  // The page came in another way, and has no version: what its home has changed since the version
  // that is known may be changed back by now.
  void forget_version(PageIndex page) { kept_.erase(page); }
  // A copy is about to be taken away by a record: what it holds is kept.
  void keep(PageIndex page);
  [[nodiscard]] std::vector<PageVersion> versions_of(const PageSet& pages) const;
  // The page's contents: what is kept, and what came. Valid until the next call.
  [[nodiscard]] ByteView complete(const PageBlocks& part);

 private:
  struct Vector {
    Epoch home_since;
    std::array<std::uint64_t, kPageBlocks> changed{};  // the version in which each block is new
    Bytes contents;
  };
  struct Kept {
    NodeId home;
    std::uint64_t version = 0;
    Bytes contents;  // empty while the page is mapped
  };

  static void compare(Vector& vector, ByteView contents, std::uint64_t version);

  Context& context_;
  PageTable& table_;
  std::map<PageIndex, Vector> vectors_;
  std::map<PageIndex, Kept> kept_;
  std::uint64_t version_ = 0;  // the last that this node gave, of any page
  Bytes completed_;
};

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks directories for the homes of pages of which this node has not kept them (protocol/pages.md,
// 17).
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class HomeFinder {
 public:
  HomeFinder(Context& context, PageTable& table) : context_(context), table_(table) {}

  using Continuation = std::function<void()>;
  // Runs the continuation once the home of this page is known here: not before this returns.
  void find(PageIndex page, Continuation continuation);

  void on_ask(NodeId from, const HomeAsk& message);
  void on_reply(Epoch epoch, const HomeReply& message);

 private:
  void ask(PageIndex leaf);

  Context& context_;
  PageTable& table_;
  std::map<PageIndex, std::vector<Continuation>> waiting_;  // by the first page of the leaf
};

}  // namespace weft

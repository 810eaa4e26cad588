// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks directories for the homes of pages of which this node has not kept them (protocol/pages.md,
// 17).
#pragma once

#include <map>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/context/step.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class HomeFinder {
 public:
  HomeFinder(Context& context, PageTable& table) : context_(context), table_(table) {}

  // Keeps the step until the home of this page is known here.
  void find(PageIndex page, Step step);

  void on_ask(NodeId from, const HomeAsk& message);
  // Returns the steps that may be taken now.
  [[nodiscard]] std::vector<Step> on_reply(Epoch epoch, const HomeReply& message);

 private:
  void ask(PageIndex leaf);

  Context& context_;
  PageTable& table_;
  std::map<PageIndex, std::vector<Step>> waiting_;  // by the first page of the leaf
};

}  // namespace weft

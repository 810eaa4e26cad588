// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/homes/home_choice.hpp"

namespace weft {
namespace {

bool was_never_written(const HomeFacts& page) {
  return page.last_writer == kNoNode && page.writer_before == kNoNode;
}

// The home wrote it last, and before that this writer, or nobody else yet. Where two nodes take
// turns, a home that stays gets one diff for each two epochs, one that moves is asked in each: that
// is less, unless the diff is most of the page. If it goes on from node to node, or stays with the
// new writer, the home follows.
bool takes_turns_with_home(const HomeFacts& page, NodeId writer) {
  return page.last_writer == page.home &&
         (page.writer_before == writer || page.writer_before == page.home ||
          page.writer_before == kNoNode);
}

}  // namespace

NodeId choose_home(const HomeFacts& page, const std::vector<NodeId>& writers, bool replaced,
                   HomePolicy policy) {
  if (writers.size() != 1) return page.home;
  const NodeId writer = writers.front();
  // Whoever initialises a page is likeliest to use it.
  if (policy == HomePolicy::kFollow || was_never_written(page)) return writer;
  if (policy == HomePolicy::kStay) return page.home;
  if (takes_turns_with_home(page, writer) && !replaced) return page.home;
  return writer;
}

void note_writers(HomeFacts& page, const std::vector<NodeId>& writers) {
  page.writer_before = page.last_writer;
  page.last_writer = writers.size() == 1 ? writers.front() : kNoNode;
}

}  // namespace weft

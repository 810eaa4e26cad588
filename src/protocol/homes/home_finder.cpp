// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/homes/home_finder.hpp"

#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {

void HomeFinder::find(PageIndex page, Step step) {
  const PageIndex leaf = table_.leaf_of(page).first;
  const auto [place, is_new] = waiting_.try_emplace(leaf);
  place->second.push_back(std::move(step));
  if (is_new) ask(leaf);
}

void HomeFinder::ask(PageIndex leaf) {
  ++context_.counters.homes_asked;
  WEFT_PROBE(context_, kHomeAsked);
  context_.send(table_.directory_of(leaf), Priority::kControl, HomeAsk{leaf});
}

void HomeFinder::on_ask(NodeId from, const HomeAsk& message) {
  context_.send(from, Priority::kControl,
                HomeReply{message.leaf, table_.homes_in_leaf(message.leaf)});
}

std::vector<Step> HomeFinder::on_reply(Epoch epoch, const HomeReply& message) {
  // Homes may have moved since.
  if (epoch != context_.epoch && !WEFT_BUG(kBelieveOldHomes)) {
    ++context_.counters.homes_asked_again;
    ask(message.leaf);
    return {};
  }
  table_.learn(message.homes);
  const auto place = waiting_.find(message.leaf);
  WEFT_ASSERT(place != waiting_.end(), "homes from page {} on unasked", message.leaf.value());
  std::vector<Step> ready = std::move(place->second);
  waiting_.erase(place);
  return ready;
}

}  // namespace weft

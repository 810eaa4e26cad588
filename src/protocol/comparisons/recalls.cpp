// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/comparisons/recalls.hpp"

#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {

void Recalls::recall(const PageSet& pages, NodeId releaser, std::uint64_t number) {
  Recalling recalling = choose_copies(pages, releaser);
  if (WEFT_BUG(kRecallForgetsHolder) && !recalling.unanswered.empty()) {
    recalling.unanswered.erase(recalling.unanswered.begin());
  }
  const std::uint64_t id = ++last_;
  for (const auto& [node, copies] : recalling.unanswered) {
    ++context_.counters.recalls_sent;
    WEFT_PROBE(context_, kRecall);
    context_.send(node, Priority::kControl, Recall{id, copies});
    if (WEFT_BUG(kRecallForgetsEarly)) holders_.note_recalled(copies, node);
  }
  if (recalling.unanswered.empty()) return finish(releaser, number);
  recalling.releaser = releaser;
  recalling.number = number;
  recalling_.emplace(id, std::move(recalling));
}

Recalls::Recalling Recalls::choose_copies(const PageSet& pages, NodeId releaser) {
  Recalling chosen;
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (table_.at(page).state != PageState::kShared) return;
      const std::vector<NodeId>* nodes = holders_.all_of(page);
      if (!nodes) return chosen.from_all.insert(page);
      for (const NodeId node : *nodes) {
        if (node != releaser) chosen.unanswered[node].insert(page);
      }
    });
  }
  if (chosen.from_all.empty()) return chosen;
  for (std::uint16_t index = 0; index < context_.config.node_count; ++index) {
    const NodeId node(index);
    if (node != releaser && !context_.is_self(node)) {
      chosen.unanswered[node].insert(chosen.from_all);
    }
  }
  // It may have begun with the initial contents.
  if (!context_.is_self(releaser)) holders_.note(chosen.from_all, releaser);
  return chosen;
}

// What this node was asked for by `from` before is void there; what comes after this is not.
void Recalls::on_recalled(NodeId from, const Recalled& message) {
  const auto place = recalling_.find(message.id);
  if (place == recalling_.end()) return;  // of an earlier epoch
  Recalling& recalling = place->second;
  const auto answered = recalling.unanswered.find(from);
  holders_.note_recalled(answered->second, from);
  recalling.unanswered.erase(answered);
  if (!recalling.unanswered.empty()) return;
  holders_.know_all_of(recalling.from_all);
  const NodeId releaser = recalling.releaser;
  const std::uint64_t number = recalling.number;
  recalling_.erase(place);
  finish(releaser, number);
}

void Recalls::finish(NodeId releaser, std::uint64_t number) {
  if (context_.is_self(releaser)) return releases_.finish(number);
  context_.send(releaser, Priority::kControl, Released{number});
}

}  // namespace weft

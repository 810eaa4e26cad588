// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Pusher for epochs that end with an exchange (protocol/exchange.md, 31): each page is
// in one push for all the nodes that get it.
#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/pushing/pusher.hpp"

namespace weft {

Pusher::Shared Pusher::shared_of(const DueByNode& due) const {
  std::map<std::pair<PageIndex, Rhythm>, std::vector<NodeId>> consumers;
  for (const auto& [consumer, what] : due) {
    for (const PageIndex page : what.pages) {
      const Rhythm rhythm =
          WEFT_BUG(kExchangeOffBeat) ? Rhythm() : table_here_.rhythm_of(consumer, phase_, page);
      consumers[{page, rhythm}].push_back(consumer);
    }
  }
  Shared shared;
  for (auto& [what, nodes] : consumers) {
    shared[{what.second, std::move(nodes)}].push_back(what.first);
  }
  return shared;
}

void Pusher::count_load(const DueByNode& due, const Shared& shared) {
  std::vector<ExchangeChoice::Load> loads;
  for (const auto& [whose, pages] : shared) {
    loads.push_back({whose.second, pages.size() * kPageBytes});
  }
  exchanges_.choice.count(ExchangeKind::kPushes, due.size(), loads);
}

void Pusher::exchange(const DueByNode& due, const Shared& shared) {
  std::vector<Exchange::Own> own;
  const auto add = [&](std::vector<NodeId> consumers, const Push& push) {
    ++context_.counters.pushes_sent;
    WEFT_PROBE(context_, kPush);
    own.push_back({std::move(consumers), encode(context_.epoch, push)});
  };
  for (const auto& [whose, pages] : shared) {
    const auto& [rhythm, consumers] = whose;
    Push push{.phase = phase_};
    PageSet in_rhythm;
    for (const PageIndex page : pages) {
      push.pages.push_back(pushed(consumers, page));
      in_rhythm.insert(page);
    }
    if (rhythm != Rhythm()) push.rhythms.push_back({rhythm, std::move(in_rhythm)});
    context_.counters.pages_pushed += pages.size() * consumers.size();
    add(consumers, push);
  }
  for (const auto& [consumer, what] : due) {
    if (!what.ended.empty()) add({consumer}, Push{.phase = phase_, .ended = what.ended});
  }
  exchanges_.pushes.send(std::move(own));
}

}  // namespace weft

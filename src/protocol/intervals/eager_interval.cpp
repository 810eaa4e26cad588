// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Coherence that releases eagerly (protocol/comparisons.md, 20).
#include <map>
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/intervals/coherence.hpp"

namespace weft {
namespace {

// More diffs than that for one home go ahead of the release: the home's work is spread.
constexpr std::size_t kMostWithRelease = 28 * 1024;

}  // namespace

void Coherence::release_eagerly(Changes changes) {
  if (!WEFT_BUG(kReleaseUnnoticed)) writes_.epoch.here.insert(changes.pages);
  // What threads have added comes before what they have stored.
  updates_.send_merged();
  for (auto& [home, diffs] : changes.diffs) {
    std::size_t bytes = 0;
    for (const auto& [page, diff] : diffs) bytes += diff.size();
    // No record is to name it: nobody gets to know of the release before the home has it.
    if (bytes > kMostWithRelease) {
      updates_.send_diffs(home, diffs, false, false);
    } else {
      updates_.deferred().defer(
          home, {streams_.next_to(home, false), streams_.order_at(home), std::move(diffs)});
    }
  }
  std::map<NodeId, PageSet> by_home;
  for (const PageRange& range : changes.pages.ranges()) {
    for_each_page(range, [&](PageIndex page) { by_home[table_.home_of(page)].insert(page); });
  }
  for (auto& [home, pages] : by_home) send_release(home, std::move(pages));
}

void Coherence::send_release(NodeId home, PageSet pages) {
  const std::uint64_t number = releases_.begin();
  if (context_.is_self(home)) return recalls_.recall(pages, home, number);
  ++context_.counters.releases_sent;
  WEFT_PROBE(context_, kEagerRelease);
  Release message{number, std::move(pages), {}, streams_.last_to(home)};
  const std::vector<KeptUpdate> updates = updates_.deferred().take(home);
  for (const KeptUpdate& update : updates) message.updates.push_back(update.view());
  if (!updates.empty()) ++context_.counters.updates_sent;
  if (!WEFT_BUG(kReleaseIsNoUpdate)) updates_.note_updated(home);
  context_.send(home, Priority::kData, message);
}

}  // namespace weft

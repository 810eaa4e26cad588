// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/exposure.hpp"

#include <algorithm>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// A leaf that is written again and again while it is exposed is exposed ever more rarely.
constexpr std::uint32_t kMostPatience = 64;
// So many times the proof, for pages here and there: then one for a leaf is enough.
constexpr std::uint32_t kManyProofs = 4;
// 64 MiB. To expose them takes this node a millisecond.
constexpr std::uint64_t kFarthestReach = 256;

}  // namespace

void Exposure::note_served(NodeId to, const std::vector<PageIndex>& pages, bool descending) {
  if (!context_.config.may_expose() || !context_.exposed.reaches(to)) return;
  ++requests_;
  PageRange counted, last;  // leaves
  for (const PageIndex page : pages) {
    if (counted.contains(page)) continue;
    counted = table_.leaf_of(page);
    if (!note_request(counted)) continue;
    expose(counted);
    if (last.count == 0 || !descending) last = counted;
  }
  if (last.count > 0) expose_beyond(last, descending);
}

bool Exposure::note_request(PageRange pages) {
  Leaf& leaf = leaves_[pages.first];
  const bool is_proved = leaf.patience == 0 &&
                         (reach_ > 0 || requests_ > kManyProofs * context_.config.exposure_proof);
  const std::uint32_t proof = is_proved ? 1 : context_.config.exposure_proof;
  return ++leaf.requests >= proof + leaf.patience;
}

// Who asks for pages here and there of what nobody writes will ask for all of it. A leaf that was
// written while it was exposed has to be asked for itself.
void Exposure::expose_beyond(PageRange leaf, bool descending) {
  for (std::uint64_t step = 0; step < reach_; ++step) {
    const PageIndex next = descending ? leaf.first.plus(-1) : leaf.end();
    if (next.value() >= table_.page_count()) break;
    leaf = table_.leaf_of(next);
    const Leaf* const known = leaves_.find(leaf.first);
    if (!table_.find(leaf.first) || (known && (known->is_exposed || known->patience > 0))) continue;
    expose(leaf);
    WEFT_PROBE(context_, kExposedBeyond);
  }
  reach_ = std::clamp<std::uint64_t>(2 * reach_, 1, kFarthestReach);
}

// Tracking first: what is written from now on will be found, and its notice goes to all.
void Exposure::expose(PageRange leaf) {
  Leaf& exposed = leaves_[leaf.first];
  exposed.requests = 0;
  exposed.is_exposed = true;
  PageRuns untracked, homed;
  for_each_page(leaf, [&](PageIndex page) {
    Page& entry = table_.at(page);
    if (!entry.is_home()) return;
    if (!WEFT_BUG(kExposeUnannounced)) holders_.note_anybody(page);
    homed.add(page);
    if (entry.state != PageState::kExclusive || WEFT_BUG(kExposeUntracked)) return;
    table_.turn(entry, page, PageEvent::kGivenAway);
    if (entry.mapped) untracked.add(page);
  });
  for (const PageRange& range : untracked) access_.start_tracking(range);
  for (const PageRange& range : homed) {
    exposed_.insert(range);
    context_.exposed.expose(range);
  }
  WEFT_PROBE(context_, kExposed);
}

void Exposure::withdraw(PageIndex page) {
  if (!exposed_.contains(page) || WEFT_BUG(kStayExposed)) return;
  exposed_.erase(page);
  context_.exposed.withdraw({page, 1});
  reach_ = first_reach();
  requests_ = 0;
  Leaf& leaf = leaves_[table_.leaf_of(page).first];
  if (!std::exchange(leaf.is_exposed, false)) return;
  leaf.patience = std::min(2 * leaf.patience + 1, kMostPatience);
  leaf.requests = 0;
}

}  // namespace weft

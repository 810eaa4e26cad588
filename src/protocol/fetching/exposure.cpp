// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/exposure.hpp"

#include <algorithm>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// A leaf that is written again and again while it is exposed is exposed ever more rarely.
constexpr std::uint32_t kMostPatience = 64;

}  // namespace

void Exposure::note_served(NodeId to, const std::vector<PageIndex>& pages) {
  if (!context_.config.may_expose() || !context_.exposed.reaches(to)) return;
  PageIndex counted(~std::uint64_t{0});
  for (const PageIndex page : pages) {
    const PageIndex first = table_.leaf_of(page).first;
    if (first != counted) note_request(page);
    counted = first;
  }
}

void Exposure::note_request(PageIndex page) {
  const PageRange pages = table_.leaf_of(page);
  Leaf& leaf = leaves_[pages.first];
  if (++leaf.requests < context_.config.exposure_proof + leaf.patience) return;
  leaf.requests = 0;
  leaf.is_exposed = true;
  expose(pages);
}

// Tracking first: what is written from now on will be found, and its notice goes to all.
void Exposure::expose(PageRange leaf) {
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
  Leaf& leaf = leaves_[table_.leaf_of(page).first];
  if (!std::exchange(leaf.is_exposed, false)) return;
  leaf.patience = std::min(2 * leaf.patience + 1, kMostPatience);
  leaf.requests = 0;
}

}  // namespace weft

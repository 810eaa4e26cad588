// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/locks/page_bindings.hpp"

#include "protocol/pages/page_runs.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kMostBoundPages = 64;

}  // namespace

PageBindings::Claims PageBindings::consider(LockId lock, const PageSet& pages) {
  Pages& known = locks_[lock];
  Claims claims;
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (known.considered.contains(page) || known.considered.page_count() >= kMostBoundPages)
        return;
      known.considered.insert(page);
      claims[table_.directory_of(page)].insert(page);
    });
  }
  return claims;
}

std::optional<PageClaimReply> PageBindings::claim(NodeId directory, const PageClaim& claim) {
  if (context_.config.lock_policy == LockPolicy::kRmpMh) return {{claim.lock, claim.pages, {}}};
  if (context_.is_self(directory)) return decide(directory, claim);
  context_.send(directory, Priority::kControl, claim);
  return std::nullopt;
}

void PageBindings::bind(const PageClaimReply& reply) {
  locks_[reply.lock].bound.insert(reply.granted);
  context_.counters.pages_bound += reply.granted.page_count();
  WEFT_PROBE_IF(!reply.granted.empty(), context_, kBoundPage);
  if (reply.granted.empty()) return;
  coherence_.learn_carried(reply.granted);
  fetcher_.fetch_absent(reply.granted);  // to hand them on
}

PageSet PageBindings::bound_to(LockId lock) const {
  const auto known = locks_.find(lock);
  return known == locks_.end() ? PageSet() : known->second.bound;
}

PageClaimReply PageBindings::decide(NodeId claimant, const PageClaim& claim) {
  PageClaimReply reply{claim.lock, {}, {}};
  for (const PageRange& range : claim.pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const NodeId owner = owners_.try_emplace(page, claimant).first->second;
      if (owner == claimant) return reply.granted.insert(page);
      reply.refused.push_back({owner, PageSet{PageRange{page, 1}}});
    });
  }
  return reply;
}

void PageBindings::on_claim(NodeId from, const PageClaim& claim) {
  context_.send(from, Priority::kControl, decide(from, claim));
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/pending_atomics.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

bool overlap(const AtomicRequest& one, const AtomicRequest& other) {
  return one.where.bytes() < other.where.bytes() + other.size &&
         other.where.bytes() < one.where.bytes() + one.size;
}

bool holds(const PendingAtomic& pending, ByteView contents) {
  const ByteView now = contents.subspan(pending.request.where.within_page(), pending.request.size);
  return std::ranges::equal(now, ByteView(*pending.held).first(pending.request.size));
}

}  // namespace

bool PendingAtomic::fits(std::uint32_t copy_now, ByteView contents) const {
  return held && copy_now == copy && holds(*this, contents);
}

void PendingAtomics::add(WaitId wait, const PendingAtomic& pending) { pending_[wait] = pending; }

PendingAtomic PendingAtomics::take(WaitId wait) {
  const auto found = pending_.find(wait);
  WEFT_ASSERT(found != pending_.end(), "answer to atomic {} unasked", wait.value());
  const PendingAtomic pending = found->second;
  pending_.erase(found);
  return pending;
}

NodeId PendingAtomics::home_of(WaitId wait) const {
  const auto found = pending_.find(wait);
  return found == pending_.end() ? kNoNode : found->second.home;
}

bool PendingAtomics::has(PageIndex page) const {
  return std::ranges::any_of(
      pending_, [page](const auto& each) { return each.second.request.where.page() == page; });
}

void PendingAtomics::note_merged(const AtomicRequest& update) {
  if (WEFT_BUG(kPatchMerged)) return;
  for (auto& [wait, pending] : pending_) {
    if (overlap(pending.request, update)) pending.held.reset();
  }
}

void PendingAtomics::note_diff(PageIndex page, ByteView sent) {
  if (WEFT_BUG(kPatchSent)) return;
  for (auto& [wait, pending] : pending_) {
    const bool is_there = pending.held && pending.request.where.page() == page;
    if (is_there && !holds(pending, sent)) pending.held.reset();
  }
}

void PendingAtomics::note_patched(const AtomicRequest& request, ByteView after) {
  for (auto& [wait, pending] : pending_) {
    const bool is_same =
        pending.request.where == request.where && pending.request.size == request.size;
    if (is_same && pending.held) std::ranges::copy(after, pending.held->begin());
  }
}

}  // namespace weft

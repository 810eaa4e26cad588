// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/merged_atomics.hpp"

#include <iterator>

#include "base/atomic_operation.hpp"

namespace weft {
namespace {

// Sums of floating point numbers are not: they are rounded each time.
bool may_combine(AtomicOperation operation) {
  switch (operation) {
    case AtomicOperation::kAdd:
    case AtomicOperation::kSubtract:
    case AtomicOperation::kAnd:
    case AtomicOperation::kOr:
    case AtomicOperation::kXor:
    case AtomicOperation::kMax:
    case AtomicOperation::kMin:
    case AtomicOperation::kUnsignedMax:
    case AtomicOperation::kUnsignedMin:
      return true;
    default:
      return false;
  }
}

// Makes one update of two, the earlier and the later. False if that would be something else than
// both, one after the other.
bool combine(AtomicRequest& earlier, const AtomicRequest& later) {
  if (earlier.operation != later.operation || earlier.size != later.size) return false;
  const bool subtracts = later.operation == AtomicOperation::kSubtract;
  const AtomicOperation both = subtracts ? AtomicOperation::kAdd : later.operation;
  return change_integer_contents(both, later.size, earlier.operand, later.operand);
}

}  // namespace

bool MergedAtomics::commutes(AtomicOperation operation) {
  switch (operation) {
    case AtomicOperation::kFloatAdd:
    case AtomicOperation::kFloatSubtract:
    case AtomicOperation::kFloatMax:
    case AtomicOperation::kFloatMin:
      return true;
    default:
      return may_combine(operation);
  }
}

bool MergedAtomics::add(NodeId home, const AtomicRequest& request) {
  Home& at_home = by_home_[home];
  const auto [place, is_first] = at_home.pages.try_emplace(request.where.page());
  OfPage& page = place->second;
  const std::uint64_t address = request.where.bytes();
  const auto last = page.last.find(address);
  if (last != page.last.end() && combine(page.updates[last->second], request)) return false;
  if (may_combine(request.operation)) {
    page.last.insert_or_assign(address, page.updates.size());
  } else if (last != page.last.end()) {
    page.last.erase(last);
  }
  page.updates.push_back(request);
  ++at_home.count;
  return is_first;
}

std::size_t MergedAtomics::count(NodeId home) const {
  const auto found = by_home_.find(home);
  return found == by_home_.end() ? 0 : found->second.count;
}

std::vector<NodeId> MergedAtomics::homes() const {
  std::vector<NodeId> homes;
  for (const auto& [home, kept] : by_home_) homes.push_back(home);
  return homes;
}

std::vector<AtomicRequest> MergedAtomics::take(NodeId home) {
  const auto found = by_home_.find(home);
  if (found == by_home_.end()) return {};
  std::vector<AtomicRequest> taken;
  taken.reserve(found->second.count);
  for (const auto& [page, kept] : found->second.pages) {
    taken.insert(taken.end(), kept.updates.begin(), kept.updates.end());
  }
  by_home_.erase(found);
  return taken;
}

std::vector<AtomicRequest> MergedAtomics::take_all() {
  std::vector<AtomicRequest> taken;
  for (const NodeId home : homes()) {
    std::vector<AtomicRequest> updates = take(home);
    std::move(updates.begin(), updates.end(), std::back_inserter(taken));
  }
  return taken;
}

std::vector<AtomicRequest> MergedAtomics::of_page(NodeId home, PageIndex page) const {
  const auto found = by_home_.find(home);
  if (found == by_home_.end()) return {};
  const auto kept = found->second.pages.find(page);
  return kept == found->second.pages.end() ? std::vector<AtomicRequest>() : kept->second.updates;
}

PageSet pages_of(const std::vector<AtomicRequest>& updates) {
  PageSet pages;
  for (const AtomicRequest& update : updates) pages.insert(update.where.page());
  return pages;
}

}  // namespace weft

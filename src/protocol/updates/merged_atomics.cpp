// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/merged_atomics.hpp"

#include <iterator>

#include "base/atomic_operation.hpp"

namespace weft {
namespace {

// Makes one update of two, the earlier and the later. False if that would be something else than
// both, one after the other: sums of floating point numbers are rounded each time.
bool combine(AtomicRequest& earlier, const AtomicRequest& later) {
  if (earlier.operation != later.operation || earlier.size != later.size) return false;
  AtomicOperation both = later.operation;
  switch (later.operation) {
    case AtomicOperation::kAdd:
    case AtomicOperation::kAnd:
    case AtomicOperation::kOr:
    case AtomicOperation::kXor:
    case AtomicOperation::kMax:
    case AtomicOperation::kMin:
    case AtomicOperation::kUnsignedMax:
    case AtomicOperation::kUnsignedMin:
      break;
    case AtomicOperation::kSubtract:
      both = AtomicOperation::kAdd;
      break;
    default:
      return false;
  }
  return change_integer_contents(both, later.size, earlier.operand, later.operand);
}

}  // namespace

bool MergedAtomics::commutes(AtomicOperation operation) {
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
    case AtomicOperation::kFloatAdd:
    case AtomicOperation::kFloatSubtract:
    case AtomicOperation::kFloatMax:
    case AtomicOperation::kFloatMin:
      return true;
    default:
      return false;
  }
}

bool MergedAtomics::add(NodeId home, const AtomicRequest& request) {
  Home& at_home = by_home_[home];
  std::vector<AtomicRequest>& updates = at_home.updates[request.where.bytes()];
  if (!updates.empty() && combine(updates.back(), request)) return false;
  updates.push_back(request);
  ++at_home.count;
  return updates.size() == 1;
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
  for (const auto& [address, updates] : found->second.updates) {
    taken.insert(taken.end(), updates.begin(), updates.end());
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
  std::vector<AtomicRequest> updates;
  const auto found = by_home_.find(home);
  if (found == by_home_.end()) return updates;
  const Updates& kept = found->second.updates;
  const std::uint64_t first = page.value() * kPageBytes;
  for (auto each = kept.lower_bound(first); each != kept.end() && each->first < first + kPageBytes;
       ++each) {
    updates.insert(updates.end(), each->second.begin(), each->second.end());
  }
  return updates;
}

PageSet pages_of(const std::vector<AtomicRequest>& updates) {
  PageSet pages;
  for (const AtomicRequest& update : updates) pages.insert(update.where.page());
  return pages;
}

}  // namespace weft

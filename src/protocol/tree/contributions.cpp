// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/tree/contributions.hpp"

#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

void split(ByteView items, std::vector<Contribution>& into) {
  WireReader wire(items);
  while (!wire.finished()) {
    PassedOn item;
    PassedOn::fields(item, wire);
    if (!wire.bytes().good()) fail_unreadable("contributions to a barrier", items.size());
    into.push_back({item.from, Bytes(item.bytes.begin(), item.bytes.end())});
  }
}

}  // namespace

void Contributions::bring(const Bytes& own) {
  own_.clear();
  if (own.empty()) return;
  if (!config_.passes_contributions_on()) {
    own_ = own;
    return;
  }
  const PassedOn item{config_.self, own};
  WireWriter wire(own_);
  PassedOn::fields(item, wire);
}

void Contributions::on_part(NodeId child, ByteView bytes) {
  Bytes& all = of_children_[child].bytes;
  all.insert(all.end(), bytes.begin(), bytes.end());
}

void Contributions::on_arrive(NodeId child, std::uint64_t expected, ByteView bytes) {
  on_part(child, bytes);
  of_children_[child].expected = expected;
}

bool Contributions::are_complete() const {
  return std::ranges::all_of(of_children_, [](const auto& child) {
    return child.second.bytes.size() == child.second.expected;
  });
}

bool Contributions::are_long() const {
  return std::ranges::any_of(of_children_, [this](const auto& child) {
    return child.second.expected > config_.contribution_part_bytes;
  });
}

std::vector<Contribution> Contributions::take() {
  std::vector<Contribution> contributions;
  const bool passes_on = config_.passes_contributions_on();
  if (passes_on && config_.self != NodeId(0)) return contributions;
  for (auto& [child, brought] : of_children_) {
    Bytes bytes = std::exchange(brought.bytes, {});
    brought.expected = 0;
    if (passes_on) {
      const ReadingFrom sender(child);
      split(bytes, contributions);
    } else {
      contributions.push_back({child, std::move(bytes)});
    }
  }
  std::ranges::sort(contributions, {}, &Contribution::from);
  return contributions;
}

Bytes Contributions::take_for_parent() {
  Bytes all = std::exchange(own_, {});
  for (const auto& [child, brought] : std::exchange(of_children_, {})) {
    if (!config_.passes_contributions_on() || WEFT_BUG(kKeepOthersContributions)) continue;
    all.insert(all.end(), brought.bytes.begin(), brought.bytes.end());
  }
  return all;
}

}  // namespace weft

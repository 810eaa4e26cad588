// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/tree/tree_shaper.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft {

void TreeShaper::count(const std::vector<Link>& links) {
  for (const Link& link : links) {
    Traffic& traffic = traffic_[std::minmax(link.from, link.to)];
    traffic.sent += link.sent;
    traffic.shared += link.shared;
  }
}

std::uint64_t TreeShaper::weight(NodeId a, NodeId b) const {
  const auto known = traffic_.find(std::minmax(a, b));
  return known == traffic_.end() ? 0 : known->second.sent + known->second.shared;
}

std::uint64_t TreeShaper::weight(const BarrierTree& tree) const {
  std::uint64_t sum = 0;
  for (const auto& [nodes, traffic] : traffic_) {
    const auto [a, b] = nodes;
    const bool joined = tree.joins(a, b);
    if (joined) sum += traffic.sent;
    if (joined || (tree.parent(a) == NodeId(0) && tree.parent(b) == NodeId(0)))
      sum += traffic.shared;
  }
  return sum;
}

// Prim's: the heaviest link between the tree and a node outside it is next; among equals the one
// nearest to the root, so that a program in which all talk to all keeps a flat tree.
BarrierTree TreeShaper::heaviest_tree() const {
  struct Place {
    bool is_in = false;
    unsigned depth = 0;
    std::uint32_t children = 0;
  };
  std::vector<Place> places(node_count_);
  std::vector<NodeId> parents(node_count_ - 1U);
  places[0].is_in = true;
  for (std::uint16_t added = 1; added < node_count_; ++added) {
    using Candidate = std::tuple<std::uint64_t, int, int, int>;
    Candidate best{0, -node_count_, 0, 0};
    for (std::uint16_t inside = 0; inside < node_count_; ++inside) {
      const Place& place = places[inside];
      if (!place.is_in || place.children >= most_children_) continue;
      for (std::uint16_t outside = 1; outside < node_count_; ++outside) {
        if (places[outside].is_in) continue;
        best = std::max(best, Candidate{weight(NodeId(inside), NodeId(outside)),
                                        -static_cast<int>(place.depth), -inside, -outside});
      }
    }
    const auto parent = static_cast<std::uint16_t>(-std::get<2>(best));
    const auto child = static_cast<std::uint16_t>(-std::get<3>(best));
    places[child] = {true, places[parent].depth + 1, 0};
    ++places[parent].children;
    parents[child - 1U] = NodeId(parent);
  }
  return BarrierTree(std::move(parents));
}

std::optional<BarrierTree> TreeShaper::choose(const BarrierTree& present,
                                              const BarrierTree& first) {
  const BarrierTree best = heaviest_tree();
  const std::uint64_t now = weight(present);
  std::optional<BarrierTree> chosen;
  const bool first_is_as_good = weight(first) >= std::max(now, weight(best));
  const bool is_proven = std::exchange(first_was_as_good_, first_is_as_good) || weight(first) > now;
  if (is_fixed_ || (first_is_as_good && is_proven)) {
    if (present.parents() != first.parents()) chosen = first;
  } else if (!first_is_as_good && weight(best) >= now + barriers_) {
    chosen = best;
  }
  traffic_.clear();
  return chosen;
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tasks/dependences.hpp"

#include <algorithm>
#include <bit>

namespace weft::openmp::tasks {

void DependenceNode::wait_for(DependenceNode& other) {
  ++predecessors;
  if (!is_watched || other.task == nullptr) return;
  if (std::ranges::count(waits_for, other.task) == 0) waits_for.push_back(other.task);
}

bool DependenceNode::try_exclude() {
  for (const auto& exclusion : exclusions) {
    if (exclusion->taken) return false;
  }
  for (const auto& exclusion : exclusions) exclusion->taken = true;
  return true;
}

void DependenceNode::end_exclusion() {
  for (const auto& exclusion : exclusions) exclusion->taken = false;
}

void DependenceTable::add(const DependenceNodePointer& node,
                          std::span<const Dependence> dependences) {
  for (const Dependence& dependence : dependences) {
    if (dependence.all_memory) return add_all(node);
  }
  for (const Dependence& dependence : dependences) add_one(node, dependence);
}

// What is done needs no waiting for, and is forgotten here. A task that names an address twice does
// not wait for itself.
void DependenceTable::wait_for(const DependenceNodePointer& node, Set& set) {
  std::erase_if(set, [](const DependenceNodePointer& other) { return other->done; });
  for (const DependenceNodePointer& other : set) {
    if (other == node) continue;
    other->successors.push_back(node);
    node->wait_for(*other);
  }
}

void DependenceTable::add_one(const DependenceNodePointer& node, const Dependence& dependence) {
  const auto [found, is_new] = places_.try_emplace(dependence.address);
  Place& place = found->second;
  if (is_new && last_all_ != nullptr) place.current.push_back(last_all_);
  const bool joins = dependence.kind != DependenceKind::kOut && dependence.kind == place.kind;
  if (!joins) {
    place.previous = std::move(place.current);
    place.current.clear();
    place.kind = dependence.kind;
    place.exclusion =
        dependence.kind == DependenceKind::kMutex ? std::make_shared<Exclusion>() : nullptr;
  }
  wait_for(node, place.previous);
  if (place.exclusion != nullptr && !std::ranges::count(node->exclusions, place.exclusion)) {
    node->exclusions.push_back(place.exclusion);
  }
  if (place.current.empty() || place.current.back() != node) {
    // Now and then, so that a long set of readers costs each of them little.
    if (std::has_single_bit(place.current.size())) {
      std::erase_if(place.current, [](const DependenceNodePointer& other) { return other->done; });
    }
    place.current.push_back(node);
  }
}

void DependenceTable::add_all(const DependenceNodePointer& node) {
  for (auto& [address, place] : places_) {
    wait_for(node, place.current);
    wait_for(node, place.previous);
  }
  if (last_all_ != nullptr && !last_all_->done) {
    last_all_->successors.push_back(node);
    node->wait_for(*last_all_);
  }
  places_.clear();
  last_all_ = node;
}

void DependenceTable::finish(DependenceNode& node, std::vector<DependenceNodePointer>& ready) {
  node.done = true;
  for (DependenceNodePointer& successor : node.successors) {
    if (--successor->predecessors == 0) ready.push_back(std::move(successor));
  }
  node.successors.clear();
}

void DependenceTable::clear() {
  places_.clear();
  last_all_.reset();
}

}  // namespace weft::openmp::tasks

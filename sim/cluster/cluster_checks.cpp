// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold whatever the program does (protocol/README.md, 11).
#include <algorithm>

#include "protocol/interface/home_facts.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/node.hpp"

namespace weft::sim {

void Cluster::check_invariants() const {
  // A node in a barrier may have the page states of the next epoch already.
  std::map<std::pair<Epoch, PageIndex>, NodeId> homes;
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (node->in_barrier) continue;
    for (std::uint64_t index = 0; index < plan_.config.page_count; ++index) {
      const PageIndex page(index);
      if (node->engine.home_of(page) != node->id) continue;
      const auto [other, is_first] = homes.try_emplace({node->engine.epoch(), page}, node->id);
      SIM_CHECK(is_first, "nodes {} and {} are both home of page {}", other->second.value(),
                node->id.value(), index);
    }
  }
  const bool turning = std::ranges::any_of(nodes_, [this](const std::unique_ptr<Node>& node) {
    return node->in_barrier || node->engine.is_between_epochs() ||
           node->engine.epoch() != nodes_[0]->engine.epoch();
  });
  if (turning) return;
  check_exclusive_pages();
  check_known_homes();
}

// Whoever knows where a page's home is, is right.
void Cluster::check_known_homes() const {
  for (std::uint64_t index = 0; index < plan_.config.page_count; ++index) {
    const PageIndex page(index);
    const NodeId home = home_of(page);
    for (const std::unique_ptr<Node>& node : nodes_) {
      const NodeId known = node->engine.home_of(page);
      SIM_CHECK(known == home || known == kNoNode, "node {} takes {} for page {}'s home, not {}",
                node->id.value(), known.value(), index, home.value());
    }
  }
}

void Cluster::check_exclusive_pages() const {
  std::map<PageIndex, NodeId> exclusive;
  for (const std::unique_ptr<Node>& node : nodes_) {
    for (const PageIndex page : node->memory.pages_with(Memory::Access::kUntracked)) {
      const auto [other, is_first] = exclusive.try_emplace(page, node->id);
      SIM_CHECK(is_first, "page {} is exclusive at nodes {} and {}", page.value(),
                other->second.value(), node->id.value());
      SIM_CHECK(node->engine.home_of(page) == node->id, "page {} is untracked away from home",
                page.value());
    }
  }
  for (const std::unique_ptr<Node>& node : nodes_) {
    for (const PageIndex page : node->memory.pages_with(Memory::Access::kTracked)) {
      const auto owner = exclusive.find(page);
      SIM_CHECK(owner == exclusive.end() || was_overwritten(nodes_, page, node->engine.epoch()),
                "page {} is exclusive at node {} and mapped at node {}", page.value(),
                owner->second.value(), node->id.value());
    }
  }
}

void Cluster::check_end() const {
  SIM_CHECK(network_.idle(), "messages are left in the network");
  check_invariants();
  check_copies_agree();
  const std::vector<CellIndex> shared = plan_.shared_with_outsiders();
  for (CellIndex index = 0; index < plan_.cells.size(); ++index) {
    const bool counts =
        std::ranges::find(plan_.outside_counters, index) != plan_.outside_counters.end();
    // What such a thread wrote last need not have left its node.
    if (!counts && std::ranges::find(shared, index) != shared.end()) continue;
    const Cell& cell = plan_.cells[index];
    const NodeId home = home_of(cell.where.page());
    const ByteView page = nodes_[home.value()]->memory.contents(cell.where.page());
    SIM_CHECK(std::ranges::equal(page.subspan(cell.where.within_page(), cell.size),
                                 oracle_.contents(index)),
              "at the end, cell {} (page {}) is wrong at its home, node {}", index,
              cell.where.page().value(), home.value());
  }
}

// The node that is it.
NodeId Cluster::home_of(PageIndex page) const {
  const auto home = std::ranges::find_if(nodes_, [page](const std::unique_ptr<Node>& node) {
    return node->engine.home_of(page) == node->id;
  });
  SIM_CHECK(home != nodes_.end(), "page {} is homed nowhere", page.value());
  return (*home)->id;
}

// Without what threads outside the team may have changed since the last barrier.
Bytes Cluster::settled_contents(const Node& node, PageIndex page) const {
  const ByteView contents = node.memory.contents(page);
  Bytes settled(contents.begin(), contents.end());
  for (const CellIndex index : plan_.shared_with_outsiders()) {
    const Cell& cell = plan_.cells[index];
    if (cell.where.page() != page) continue;
    std::fill_n(settled.begin() + static_cast<std::ptrdiff_t>(cell.where.within_page()), cell.size,
                std::byte{0});
  }
  return settled;
}

void Cluster::check_copies_agree() const {
  for (const std::unique_ptr<Node>& node : nodes_) {
    SIM_CHECK(node->engine.epoch() == nodes_[0]->engine.epoch(), "nodes end in different epochs");
    for (std::uint64_t index = 0; index < plan_.config.page_count; ++index) {
      const PageIndex page(index);
      const NodeId home = home_of(page);
      if (node->memory.access(page) == Memory::Access::kAbsent) continue;
      SIM_CHECK(settled_contents(*node, page) == settled_contents(*nodes_[home.value()], page),
                "at the end, page {} at node {} differs from its home", index, node->id.value());
    }
  }
}

void Cluster::report_deadlock() const {
  std::string waiting;
  for (const Worker& worker : workers_) {
    if (worker.state == Worker::State::kDone) continue;
    const char* doing = worker.todo.empty() ? "nothing" : action_name(worker.todo.front().kind);
    waiting += fmt::format(" thread {} of node {} (phase {}, {} {})", worker.index, worker.node,
                           worker.phase, doing, worker.todo.empty() ? 0 : worker.todo.front().a);
  }
  throw Failure("deadlock:" + waiting);
}

}  // namespace weft::sim

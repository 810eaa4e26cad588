// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold in every state of a small world (protocol/README.md, 11).
#include <algorithm>

#include "protocol/interface/home_facts.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/explore/world_node.hpp"

namespace weft::sim::explore {

void World::check_invariants() const {
  check_homes();
  const bool turning = std::ranges::any_of(nodes_, [this](const std::unique_ptr<Node>& node) {
    return node->in_barrier || node->engine.is_between_epochs() ||
           node->engine.epoch() != nodes_[0]->engine.epoch();
  });
  if (turning) return;
  check_exclusive_pages();
  if (is_at_rest()) check_copies_agree();
}

// A node in a barrier may have the page states of the next epoch already.
void World::check_homes() const {
  const std::uint64_t pages = program_.config().page_count;
  for (std::uint64_t index = 0; index < pages; ++index) {
    const PageIndex page(index);
    for (const std::unique_ptr<Node>& one : nodes_) {
      if (one->in_barrier || one->engine.home_of(page) != one->id) continue;
      for (const std::unique_ptr<Node>& other : nodes_) {
        const bool differs = !other->in_barrier && other->id != one->id &&
                             other->engine.epoch() == one->engine.epoch();
        SIM_CHECK(!differs || other->engine.home_of(page) != other->id,
                  "nodes {} and {} are both home of page {}", one->id.value(), other->id.value(),
                  index);
      }
    }
  }
}

void World::check_exclusive_pages() const {
  for (const std::unique_ptr<Node>& node : nodes_) {
    for (const PageIndex page : node->memory->pages_with(Memory::Access::kUntracked)) {
      SIM_CHECK(node->engine.home_of(page) == node->id, "page {} is untracked away from home",
                page.value());
      for (const std::unique_ptr<Node>& other : nodes_) {
        const bool may_have_it =
            other == node || was_overwritten(nodes_, page, other->engine.epoch());
        SIM_CHECK(may_have_it || other->memory->access(page) == Memory::Access::kAbsent,
                  "page {} is exclusive at node {} and mapped at node {}", page.value(),
                  node->id.value(), other->id.value());
      }
    }
  }
}

// Nothing is on its way, and nobody has done anything since all left a barrier.
bool World::is_at_rest() const {
  // What threads outside the team write need not leave their node.
  if (!program_.outsiders.empty() && explored_) return false;
  return std::ranges::all_of(channels_,
                             [](const Channel& channel) { return channel.messages.empty(); }) &&
         std::ranges::all_of(
             threads_, [](const Thread& thread) { return thread.is_outsider || thread.is_fresh; });
}

NodeId World::home_of(PageIndex page) const {
  const auto home = std::ranges::find_if(nodes_, [page](const std::unique_ptr<Node>& node) {
    return node->engine.home_of(page) == node->id;
  });
  SIM_CHECK(home != nodes_.end(), "page {} is homed nowhere", page.value());
  return (*home)->id;
}

void World::check_copies_agree() const {
  for (std::uint64_t index = 0; index < program_.config().page_count; ++index) {
    const PageIndex page(index);
    const Node& home = *nodes_[home_of(page).value()];
    for (const std::unique_ptr<Node>& node : nodes_) {
      const NodeId known = node->engine.home_of(page);
      SIM_CHECK(known == home.id || known == kNoNode, "node {} takes {} for page {}'s home, not {}",
                node->id.value(), known.value(), index, home.id.value());
      if (node->memory->access(page) == Memory::Access::kAbsent) continue;
      SIM_CHECK(std::ranges::equal(node->memory->contents(page), home.memory->contents(page)),
                "behind a barrier, page {} at node {} differs from its home, node {}", index,
                node->id.value(), home.id.value());
    }
  }
}

void World::check_end() const {
  for (const Thread& thread : threads_) {
    if (thread.state != State::kDone) report_deadlock();
  }
  if (!program_.outsiders.empty()) return;
  check_copies_agree();
  for (CellIndex cell = 0; cell < program_.plan.cells.size(); ++cell) {
    const GlobalOffset where = program_.plan.cells[cell].where;
    const ByteView page = nodes_[home_of(where.page()).value()]->memory->contents(where.page());
    SIM_CHECK(std::ranges::equal(page.subspan(where.within_page(), sizeof(std::uint64_t)),
                                 oracle_.contents(cell)),
              "at the end, cell {} is wrong at its home", program_.cell_names[cell]);
  }
}

void World::report_deadlock() const {
  std::string waiting;
  for (const Thread& thread : threads_) {
    if (thread.state == State::kDone) continue;
    waiting += fmt::format(" thread {} of node {} (turn {}, {})", thread.index, thread.node,
                           thread.turn, step_of(thread).text);
  }
  throw Failure("deadlock:" + waiting);
}

}  // namespace weft::sim::explore

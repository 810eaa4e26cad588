// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a small world that touch memory while their node's engine is in the middle of a call
// to it: a plain access to a page that is mapped at that moment. Only where the world asks for it,
// since each event then comes in many ways.
#include <algorithm>

#include "sim/checkers/failure.hpp"
#include "sim/explore/world_node.hpp"

namespace weft::sim::explore {

bool World::may_race(const Thread& thread) const {
  if (thread.state != State::kReady || thread.turn >= program_.last_turn()) return false;
  const Step& step = step_of(thread);
  const bool is_plain = step.kind == Step::Kind::kRead || step.kind == Step::Kind::kWrite ||
                        step.kind == Step::Kind::kZero;
  if (!is_plain) return false;
  const PageIndex page = program_.plan.cells[step.what].where.page();
  return nodes_[thread.node]->memory->access(page) != Memory::Access::kAbsent;
}

// Each event with each other thread of its node, in each call. Where there are fewer calls, the
// state that follows is that without a race.
void World::add_races(std::vector<Event>& events) const {
  const std::size_t alone = events.size();
  for (std::size_t index = 0; index < alone; ++index) {
    const Event event = events[index];
    for (const Thread& thread : threads_) {
      const bool is_own = is_step(event) && event == thread.index;
      if (is_own || thread.node != node_of(event) || !may_race(thread)) continue;
      for (unsigned call = 0; call < kCallsRaced; ++call) {
        events.push_back(race_with(event, thread.index, call));
      }
    }
  }
}

void World::begin_race(Event event) {
  calls_until_race_ = 0;
  if (!is_race(event)) return;
  const unsigned race = event / kFirstRace - 1U;
  racing_ = static_cast<ThreadIndex>(race / kCallsRaced);
  calls_until_race_ = 1 + race % kCallsRaced;
}

// Called in the middle of each call. The page may have been taken away by then.
void World::race(const Node& node) {
  if (calls_until_race_ == 0 || --calls_until_race_ > 0) return;
  Thread& thread = threads_[racing_];
  if (thread.node == node.id.value() && may_race(thread)) run_step(thread);
}

std::string World::name_of_race(Event event) const {
  const unsigned race = event / kFirstRace - 1U;
  return fmt::format("{}+t{}.{}", name(without_race(event)), race / kCallsRaced,
                     race % kCallsRaced);
}

}  // namespace weft::sim::explore

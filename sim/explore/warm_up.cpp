// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/explore/warm_up.hpp"

#include <algorithm>

#include "sim/checkers/failure.hpp"
#include "sim/explore/arena.hpp"
#include "sim/explore/schedule.hpp"

namespace weft::sim::explore {

void warm_up(World& world, const Program& program, const std::string& name) {
  const bool was_in_use = Arena::is_in_use();
  const Arena::Use outside(false);
  Schedule schedule(name);
  std::vector<Event> events;
  const auto runs = [](const std::vector<Event>& all) { return std::ranges::any_of(all, is_step); };
  for (world.list_events(events, program.warm); !events.empty();
       world.list_events(events, program.warm)) {
    // What is still on its way when all threads are there goes on into the turns explored.
    if (!runs(events) && world.all_reached(program.warm)) break;
    const Event event = schedule.choose(world, events);
    const Arena::Use as_before(was_in_use);
    world.run(event);
  }
  SIM_CHECK(world.all_reached(program.warm), "the warm turns do not end");
  const Arena::Use as_before(was_in_use);
  world.begin_turns_explored();
}

}  // namespace weft::sim::explore

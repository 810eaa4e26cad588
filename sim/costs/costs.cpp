// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/costs/costs.hpp"

#include <fmt/format.h>

#include <memory>

#include "sim/costs/counted.hpp"
#include "sim/explore/library.hpp"
#include "sim/explore/schedule.hpp"
#include "sim/explore/warm_up.hpp"
#include "sim/explore/world.hpp"
#include "sim/scaling/model_job.hpp"

namespace weft::sim::costs {
namespace {

constexpr unsigned kTurns = 8;       // of a world, before and after
constexpr unsigned kIterations = 6;  // of a pattern, the same

// Counts what a line of a world's trace tells: "  node 0: to node 1, data: PageReply of ..." is a
// PageReply, "  node 1: unmap 0" is an unmap.
void count_line(Counted& counted, const std::string& line) {
  if (!line.starts_with("  node ")) return;
  const std::string what = line.substr(line.find(": ") + 2);
  const bool is_message = what.starts_with("to node ");
  const std::size_t begin = is_message ? what.find(": ") + 2 : 0;
  counted.add(what.substr(begin, what.find(' ', begin) - begin));
}

std::string text_of(const std::string& name, const Counted& learning, const Counted& all) {
  return fmt::format("{}\n  learning: {}\n  after: {}\n", name, learning.text(),
                     all.since(learning).text());
}

void go_to_the_end(explore::World& world, const explore::Program& program,
                   const std::string& name) {
  explore::Schedule schedule(name);
  std::vector<explore::Event> events;
  for (world.list_events(events, program.last_turn()); !events.empty();
       world.list_events(events, program.last_turn())) {
    world.run(schedule.choose(world, events));
  }
  world.check_end();
}

}  // namespace

std::string costs_of(const explore::Program& world) {
  explore::Program program = world;
  program.warm = kTurns;
  // A thread outside the team may be turns ahead of it, and would write what is still read.
  if (world.outsiders.empty()) program.turns = kTurns;
  constexpr const char* kSchedule = "prompt";
  Counted counted;
  explore::World run(program, [&](const std::string& line) { count_line(counted, line); });
  explore::warm_up(run, program, kSchedule);
  Counted learning = counted;
  for (const EngineCounters* const each : run.counters()) learning.add(*each);
  go_to_the_end(run, program, kSchedule);
  for (const EngineCounters* const each : run.counters()) counted.add(*each);
  return text_of(world.name, learning, counted);
}

std::string costs_of(const scaling::Pattern& pattern, std::uint16_t nodes) {
  const auto run = [&](unsigned iterations) {
    scaling::ModelJob job(scaling::LogGP{}, nodes, pattern.page_count(nodes),
                          [&](scaling::Thread& self) { return pattern.run(self, iterations); });
    const scaling::Totals totals = job.run();
    Counted counted;
    counted.add(totals.counters);
    counted.add("nanoseconds", static_cast<std::uint64_t>(totals.time));
    return counted;
  };
  return text_of(fmt::format("{} on {} nodes", pattern.name, nodes), run(kIterations),
                 run(2 * kIterations));
}

std::vector<Entry> all_entries(const std::string& worlds) {
  std::vector<Entry> entries;
  for (explore::Program& program : explore::load_all_worlds(worlds)) {
    const std::string name = program.name;
    entries.push_back({name, [program = std::move(program)] { return costs_of(program); }});
  }
  for (const scaling::Pattern& pattern : scaling::all_patterns()) {
    for (const std::uint16_t nodes : {4, 8, 12}) {
      entries.push_back({fmt::format("{} on {} nodes", pattern.name, nodes),
                         [&pattern, nodes] { return costs_of(pattern, nodes); }});
    }
  }
  return entries;
}

}  // namespace weft::sim::costs

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of Explorer that make what was found short, and show it.
#include <algorithm>

#include "sim/checkers/failure.hpp"
#include "sim/explore/explorer.hpp"
#include "sim/explore/warm_up.hpp"

namespace weft::sim::explore {
namespace {

struct Replayed {
  std::optional<std::string> failure;
  // Where the way went other than its twin would have.
  std::map<std::size_t, std::string> others;
};

// The event that the way wants next; its twin's where it does not say or cannot have it.
Event wanted(const World& world, const std::vector<Event>& events, const Way& way, std::size_t step,
             Event usual) {
  const auto other = way.others.find(step);
  if (other == way.others.end()) return usual;
  const auto named =
      std::ranges::find_if(events, [&](Event event) { return world.name(event) == other->second; });
  return named == events.end() ? usual : *named;
}

// Goes `way`, and tells how it differs from the schedule `twin`.
Replayed go(const Program& program, const Way& way, const std::string& twin,
            const World::Printer& print) {
  Replayed replayed;
  World world(program, print);
  try {
    warm_up(world, program, way.warm);
    if (print) print("--- here the turns begin that are explored");
    Schedule usual(way.twin), from(twin);
    std::vector<Event> events;
    std::size_t step = 0;
    for (world.list_events(events, program.last_turn()); !events.empty();
         world.list_events(events, program.last_turn())) {
      const Event event = wanted(world, events, way, step, usual.choose(world, events));
      if (event != from.choose(world, events)) replayed.others[step] = world.name(event);
      if (print) print(fmt::format("({}) {}", step, world.name(event)));
      ++step;
      world.run(event);
    }
    world.check_end();
  } catch (const Failure& failure) {
    replayed.failure = failure.what();
  }
  return replayed;
}

// The same events, told as differences from the schedule that is nearest.
Way nearest(const Program& program, const Way& way) {
  Way best = way;
  for (const std::string& twin : warm_schedules(program)) {
    if (twin.starts_with("random-")) continue;
    Way other{way.warm, twin, go(program, way, twin, nullptr).others};
    if (other.others.size() < best.others.size()) best = std::move(other);
  }
  return best;
}

// True if one difference could go.
bool drop_one(const Program& program, Finding& finding) {
  for (auto& [step, event] : finding.way.others) {
    Way less = finding.way;
    less.others.erase(step);
    Replayed replayed = go(program, less, less.twin, nullptr);
    if (!replayed.failure) continue;
    if (replayed.others.size() >= finding.way.others.size()) continue;
    less.others = std::move(replayed.others);
    finding = {std::move(*replayed.failure), std::move(less)};
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> Explorer::replay(const Program& program, const Way& way,
                                            const World::Printer& print) {
  return go(program, way, way.twin, print).failure;
}

Finding Explorer::shorten(Finding finding, const Budget& budget) {
  spend(budget);
  finding.way = nearest(program_, finding.way);
  for (unsigned most = 0; most < finding.way.others.size() && !is_late(); ++most) {
    std::optional<Finding> nearer = find_near(most);
    if (nearer) return *nearer;
  }
  spend(budget);
  while (!is_late() && drop_one(program_, finding)) {
  }
  return finding;
}

// A way that fails with at most so many differences from a schedule.
std::optional<Finding> Explorer::find_near(unsigned differences) {
  for (const std::string& warm : warm_schedules(program_)) {
    for (const std::string& twin : warm_schedules(program_)) {
      if (twin.starts_with("random-") || is_late()) continue;
      seen_with_.clear();
      Schedule schedule(twin);
      result_.finding.reset();
      if (!begin(warm) || go_near(schedule, differences)) continue;
      Finding finding = *result_.finding;
      const Replayed replayed = go(program_, finding.way, twin, nullptr);
      finding.way = {warm, twin, replayed.others};
      return finding;
    }
  }
  return std::nullopt;
}

// False if something is wrong on one of the ways from here.
bool Explorer::go_near(Schedule& twin, unsigned differences) {
  std::vector<Event> events;
  for (world_->list_events(events, program_.last_turn()); !events.empty();
       world_->list_events(events, program_.last_turn())) {
    if (is_late()) return true;
    unsigned& known = seen_with_[world_->fingerprint()];
    if (known > differences) return true;
    known = differences + 1;
    const Event usual = twin.choose(*world_, events);
    if (differences > 0) {
      const Arena::Snapshot here = Arena::save();
      const std::size_t depth = path_.size();
      for (const Event event : events) {
        if (event == usual) continue;
        if (!step(event) || !go_near(twin, differences - 1)) return false;
        Arena::restore(here);
        path_.resize(depth);
      }
    }
    if (!step(usual)) return false;
  }
  return finish();
}

}  // namespace weft::sim::explore

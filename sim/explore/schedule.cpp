// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/explore/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <tuple>

#include "sim/checkers/failure.hpp"

namespace weft::sim::explore {
namespace {

constexpr const char* kPlain[] = {"prompt", "lazy", "slow-data", "slow-control"};

unsigned number_behind(const std::string& name, std::size_t prefix) {
  unsigned number = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + prefix, end, number);
  SIM_CHECK(error == std::errc() && rest == end, "no schedule '{}'", name);
  return number;
}

}  // namespace

Schedule::Schedule(std::string name) : name_(std::move(name)) {
  if (name_.starts_with("late-")) {
    number_ = number_behind(name_, 5);
  } else if (name_.starts_with("random-")) {
    number_ = number_behind(name_, 7);
    random_ = Random(number_);
  } else {
    SIM_CHECK(std::ranges::find(kPlain, name_) != std::end(kPlain), "no schedule '{}'", name_);
  }
}

Event Schedule::choose(const World& world, const std::vector<Event>& events) {
  if (name_.starts_with("random-")) return events[random_.below(events.size())];
  const auto order = [&](Event event) {
    const std::uint64_t progress = is_step(event) ? world.progress(event) : 0;
    return std::tuple(is_race(event), rank(world, event), progress, event);
  };
  return *std::ranges::min_element(events, {}, order);
}

// The lowest goes first.
std::uint64_t Schedule::rank(const World& world, Event event) const {
  const bool steps = is_step(event);
  if (name_ == "lazy") return steps ? 0 : 1;
  if (name_.starts_with("late-")) return steps && world.node_of(event) == number_ ? 2 : steps;
  if (steps) return 1;
  if (name_ == "slow-data") return world.is_control(event) ? 0 : 2;
  if (name_ == "slow-control") return world.is_control(event) ? 2 : 0;
  return 0;
}

std::vector<std::string> warm_schedules(const Program& program) {
  std::vector<std::string> names(std::begin(kPlain), std::end(kPlain));
  for (unsigned node = 0; node < program.config().node_count; ++node) {
    names.push_back(fmt::format("late-{}", node));
  }
  for (unsigned seed = 1; seed <= 3; ++seed) names.push_back(fmt::format("random-{}", seed));
  return names;
}

std::string Way::text() const {
  std::string text = warm + "," + twin;
  for (const auto& [step, event] : others) text += fmt::format(",{}:{}", step, event);
  return text;
}

Way Way::parse(const std::string& text) {
  Way way;
  std::istringstream stream(text);
  std::getline(stream, way.warm, ',');
  std::getline(stream, way.twin, ',');
  for (std::string word; std::getline(stream, word, ',');) {
    const std::size_t colon = word.find(':');
    SIM_CHECK(colon != std::string::npos && colon > 0, "'{}' is not NUMBER:EVENT", word);
    way.others[std::stoull(word.substr(0, colon))] = word.substr(colon + 1);
  }
  return way;
}

}  // namespace weft::sim::explore

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/processors/sharing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace weft {
namespace {

// What is given away whole: a core, or a single processor where there are more nodes than cores.
using Unit = std::vector<Processor>;
using Units = std::span<const Unit>;
using Part = std::vector<Processor>;
using Level = unsigned Processor::*;

std::vector<Unit> units_of(const std::vector<Processor>& processors, Level level) {
  std::vector<Unit> units;
  for (const Processor& each : processors) {
    if (units.empty() || units.back().front().*level != each.*level) units.emplace_back();
    units.back().push_back(each);
  }
  return units;
}

void append(Part& part, Units units) {
  for (const Unit& each : units) part.insert(part.end(), each.begin(), each.end());
}

void cut_evenly(Units units, std::size_t parts, std::vector<Part>& out) {
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * units.size() / parts;
    const std::size_t end = (part + 1) * units.size() / parts;
    append(out.emplace_back(), units.subspan(begin, end - begin));
  }
}

// Each group of units that are alike on the first level gets parts by its size, never more than it
// has units; one that gets none goes to the part before.
void cut(Units units, std::size_t parts, std::span<const Level> levels, std::vector<Part>& out) {
  if (levels.empty() || parts == 1) return cut_evenly(units, parts, out);
  const Level level = levels.front();
  std::size_t end = 0, given = 0;
  while (end < units.size()) {
    const std::size_t begin = end;
    while (end < units.size() && units[end].front().*level == units[begin].front().*level) ++end;
    const Units group = units.subspan(begin, end - begin);
    const std::size_t due = (end * parts + units.size() - 1) / units.size();
    if (due == given) {
      append(out.back(), group);
    } else {
      cut(group, due - given, levels.subspan(1), out);
    }
    given = due;
  }
}

std::size_t smallest(const std::vector<Part>& parts) {
  return std::ranges::min_element(parts, {}, &Part::size)->size();
}

std::vector<Part> cut_along_the_machine(const std::vector<Processor>& processors, unsigned nodes) {
  std::vector<Unit> units = units_of(processors, &Processor::core);
  if (units.size() < nodes) units = units_of(processors, &Processor::number);
  const Level levels[] = {&Processor::socket, &Processor::numa};
  for (const std::size_t kept : {2, 1}) {
    std::vector<Part> parts;
    cut(units, nodes, std::span(levels).first(kept), parts);
    if (4 * nodes * smallest(parts) >= 3 * processors.size()) return parts;
  }
  std::vector<Part> parts;
  cut_evenly(units, nodes, parts);
  return parts;
}

ProcessorSet set_of(const Part& part, const std::vector<Processor>& processors, Level widen) {
  ProcessorSet set;
  for (const Processor& each : processors) {
    const bool inside =
        std::ranges::any_of(part, [&](const Processor& own) { return own.*widen == each.*widen; });
    if (inside) set.push_back(each.number);
  }
  std::ranges::sort(set);
  return set;
}

Level level_of(Binding binding) {
  if (binding == Binding::kNuma) return &Processor::numa;
  return binding == Binding::kSocket ? &Processor::socket : &Processor::number;
}

}  // namespace

Sharing share_processors(const std::vector<Processor>& processors, unsigned limit, unsigned nodes,
                         Binding binding) {
  Sharing sharing;
  const auto all = static_cast<unsigned>(processors.size());
  sharing.usable = limit == 0 ? all : std::min(all, limit);
  sharing.fewest = std::max(1U, sharing.usable / nodes);
  if (nodes == 1) return sharing;
  if (binding == Binding::kNone) {
    sharing.unbound = "--bind none";
  } else if (sharing.usable < all) {
    sharing.unbound = fmt::format(
        "the job has {} of the {} processors there, and it is not said "
        "which",
        sharing.usable, all);
  } else if (all < nodes) {
    sharing.unbound = fmt::format("{} nodes have {} processors", nodes, all);
  } else {
    const std::vector<Part> parts = cut_along_the_machine(processors, nodes);
    sharing.fewest = static_cast<unsigned>(smallest(parts));
    for (const Part& each : parts) {
      sharing.sets.push_back(set_of(each, processors, level_of(binding)));
    }
  }
  return sharing;
}

void unbind_if_crowded(Sharing& sharing, unsigned nodes, unsigned threads_of_each) {
  if (sharing.sets.empty() || nodes * threads_of_each <= sharing.usable) return;
  sharing.sets.clear();
  sharing.unbound =
      fmt::format("{} threads have {} processors", nodes * threads_of_each, sharing.usable);
}

std::string text_of(const ProcessorSet& set) {
  std::vector<std::string> ranges;
  for (std::size_t begin = 0, end = 0; begin < set.size(); begin = end) {
    while (end < set.size() && set[end] == set[begin] + (end - begin)) ++end;
    ranges.push_back(end - begin == 1 ? std::to_string(set[begin])
                                      : fmt::format("{}-{}", set[begin], set[end - 1]));
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

std::vector<std::string> describe(const Sharing& sharing, const std::string& host,
                                  unsigned first_node, Binding binding, bool everything) {
  std::vector<std::string> lines;
  const bool was_asked_for = binding != Binding::kAuto && binding != Binding::kNone;
  if (!sharing.unbound.empty() && (everything || was_asked_for)) {
    lines.push_back(fmt::format("host {}: no node is bound: {}", host, sharing.unbound));
  }
  for (std::size_t each = 0; everything && each < sharing.sets.size(); ++each) {
    lines.push_back(fmt::format("node {} is bound to processors {} of host {}", first_node + each,
                                text_of(sharing.sets[each]), host));
  }
  return lines;
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simple ways to choose the next event, and ways that differ from one of them in a few places.
// Warm turns go by one of these; a way that fails is told, kept short and replayed as the
// differences from one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "sim/explore/world.hpp"

namespace weft::sim::explore {

// A schedule by name: prompt (messages first), lazy (threads first), slow-data, slow-control,
// late-N (the threads of node N last), random-N.
class Schedule {
 public:
  explicit Schedule(std::string name);
  // One of `events`, of which there is at least one.
  [[nodiscard]] Event choose(const World& world, const std::vector<Event>& events);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  [[nodiscard]] std::uint64_t rank(const World& world, Event event) const;

  std::string name_;
  unsigned number_ = 0;
  Random random_{0};
};

// Those by which a world's warm turns go, one after the other.
[[nodiscard]] std::vector<std::string> warm_schedules(const Program& program);

// What to do: warm turns by one schedule, and then by another, but for these steps.
struct Way {
  std::string warm = "prompt", twin = "prompt";
  std::map<std::size_t, std::string> others;  // by their number; the names of events

  [[nodiscard]] std::string text() const;  // "lazy,prompt,12:t1,15:0>1c"
  [[nodiscard]] static Way parse(const std::string& text);
};

}  // namespace weft::sim::explore

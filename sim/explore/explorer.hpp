// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes every way through the last turns of a small world's program: depth first, each state once.
// States are alike if their fingerprints are (arena.hpp). Where that takes too long, ways by
// chance; and what is found is made short: as few differences from a simple schedule as possible.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "protocol/context/coverage.hpp"
#include "sim/explore/arena.hpp"
#include "sim/explore/schedule.hpp"
#include "sim/explore/world.hpp"

namespace weft::sim::explore {

struct Finding {
  std::string what;
  Way way;
};

// How much to do at most. Seconds are the processor's: it does not matter what else it does.
struct Budget {
  double seconds = 10;
  std::uint64_t steps = ~std::uint64_t{0};
};

struct Exploration {
  std::uint64_t states = 0, steps = 0, ends = 0, walks = 0;
  std::size_t deepest = 0;
  bool whole = false;  // all states were seen
  double seconds = 0;
  std::optional<Finding> finding;
};

class Explorer {
 public:
  explicit Explorer(const Program& program) : program_(program) {}

  // Until something is wrong, all is seen, or most of the budget is spent; then, with the rest,
  // ways by chance.
  [[nodiscard]] Exploration explore(const Budget& budget);
  // With fewer differences, if there is such a way that fails, too.
  [[nodiscard]] Finding shorten(Finding finding, const Budget& budget);
  // Goes a way once more: what is wrong with it, if anything.
  [[nodiscard]] static std::optional<std::string> replay(const Program& program, const Way& way,
                                                         const World::Printer& print);
#ifdef WEFT_DELIBERATE_BUGS
  // What engines have been through in all that was explored, the first turns among it.
  [[nodiscard]] const CoverageCounts& covered() const { return covered_; }
#endif

 private:
  using Events = std::vector<Event>;

  // A state from which there are ways that were not gone yet.
  struct Branching {
    Arena::Snapshot snapshot;
    Events left;
    std::size_t depth = 0;  // events so far
  };

  // The world at the beginning of the turns that are explored; false if it fails before.
  bool begin(const std::string& warm);
  void end();
  // False if something is wrong.
  bool step(Event event);
  bool finish();
  bool go_on();
  bool search();
  bool walk(Random& random);
  [[nodiscard]] std::optional<Finding> find_near(unsigned differences);
  bool go_near(Schedule& twin, unsigned differences);
  void note(std::string what);
  void end_step_of_coverage(bool at_end);
  [[nodiscard]] bool is_late() const;
  void spend(const Budget& budget);
  void allow(double share);
  void walk_by_chance();

  const Program& program_;
  World* world_ = nullptr;  // in the arena
  std::string warm_;
  Events path_, events_;
  std::vector<Branching> branchings_;
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_map<std::uint64_t, unsigned> seen_with_;  // differences that were left
  Budget budget_, began_, deadline_;  // the latter two by the clock, and steps since the start
  Exploration result_;
#ifdef WEFT_DELIBERATE_BUGS
  CoverageCounts covered_;
#endif
};

}  // namespace weft::sim::explore

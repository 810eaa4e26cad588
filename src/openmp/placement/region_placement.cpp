// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/placement/region_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/futex.hpp"
#include "openmp/libomp/real.hpp"
#include "openmp/placement/spread_choice.hpp"
#include "openmp/placement/thread_homes.hpp"
#include "openmp/team/team.hpp"
#include "openmp/team/thread_local_block.hpp"
#include "openmp/tools/tool.hpp"
#include "runtime/board/program_time.hpp"
#include "runtime/interface/job_processors.hpp"
#include "runtime/interface/spreading.hpp"

namespace weft::openmp {
namespace {

struct PlaceAccount {
  std::string place;
  std::uint64_t spread = 0, inside = 0;
};

// Of node 0.
struct Placing {
  explicit Placing(const Node& node) : random(node.node_count()) {}

  std::optional<SpreadChoice> choice;
  bool asked_choice = false;  // about the present region
  RandomSpread random;
  std::unordered_map<const void*, PlaceAccount> places;
  std::optional<bool> was_inside;  // the last region; none: there was none yet
  std::string why_spread;          // all regions; empty: nothing stands in the way
  bool data_fit = true;            // on this node
  std::int64_t looks_ns = 0;       // at that again from then on
};
Placing* placing = nullptr;

// Processors of this host's other nodes; none where they are not to be used.
cpu_set_t spare_processors, own_processors;
bool has_spare_processors = false;

// A region inside this node may use all processors of the job. All nodes cannot be faster then.
bool has_all_processors = false;

// The others' share of the host is idle while a region runs inside this node. With a limit for
// memory that would not do: the first region may touch more than this node may have.
void find_spare_processors(const Node& node) {
  own_processors = processors_of(0);
  has_all_processors = node.is_on_one_host() && !user_places_threads() && node.memory_limit() == 0;
  if (!has_all_processors) return;
  const cpu_set_t all = processors_of_job_here();
  CPU_XOR(&spare_processors, &all, &own_processors);
  CPU_AND(&spare_processors, &spare_processors, &all);
  has_spare_processors = CPU_COUNT(&spare_processors) > 0;
}

// libomp counts its processors when it is called first. Where it has more threads than those, a
// thread that waits offers its processor all the time: to whatever else runs on this machine, for a
// time slice each.
void let_libomp_count_all_processors() {
  if (!has_spare_processors || real().omp_get_num_procs == nullptr || tools::is_expected()) return;
  cpu_set_t all;
  CPU_OR(&all, &own_processors, &spare_processors);
  let_run_on(all);
  (void)real().omp_get_num_procs();
  let_run_on(own_processors);
}

unsigned processors_inside() {
  const int spare = has_spare_processors ? CPU_COUNT(&spare_processors) : 0;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&own_processors) + spare));
}

// A program may have come to several nodes for their memory.
bool data_fit_here(Node& node) {
  constexpr std::int64_t kLeastPause = 100'000'000, kPausePerLook = 50;
  const std::int64_t begin = now_ns();
  if (begin >= placing->looks_ns) {
    placing->data_fit = node.could_hold_everything();
    const std::int64_t end = now_ns();
    placing->looks_ns = end + std::max(kLeastPause, kPausePerLook * (end - begin));
  }
  return placing->data_fit;
}

// Threads of a region must find what they have kept, where they are now; and libomp must do what
// Weft would.
std::string_view obstacle(Node& node) {
  if (program_speaks_of_nodes) return "the program speaks of nodes (weft_node, weft_register)";
  if (tools::watched()) return "a tool watches the program";
  // libomp's threads may leave a cancelled loop one by one, and wait for each other at two
  // barriers.
  if (real().omp_get_cancellation() != 0) return "constructs may be cancelled (OMP_CANCELLATION)";
  if (const std::string_view why = why_thread_locals_stay(); !why.empty()) return why;
  // A handler may run on a thread of a number while another one stands in for it.
  if (has_thread_local_data() && node.has_outside_threads()) {
    return "the program has thread-local data, and handles signals or makes threads";
  }
  if (!data_fit_here(node)) return "its data are more than half of a node's memory";
  return {};
}

// All threads of the team have run on their nodes, so that others can stand in for them.
bool have_run(const Node& node, unsigned team_size) {
  return !has_thread_local_data() ||
         are_thread_homes_known(team_size, threads_of_team_per_node(node, team_size));
}

// libomp would not make such a team, or not of so many threads.
bool fits_inside(const Node& node, unsigned team_size) {
  return team_size <= node.most_threads_per_node() && real().omp_get_dynamic() == 0;
}

// "heat.c:31"; without line numbers the address of the region's function.
std::string name_of_place(Microtask microtask, const Ident* loc) {
  std::string name = place_of(loc);
  return name.empty() ? fmt::format("{}", reinterpret_cast<const void*>(microtask)) : name;
}

RegionPlacement ask_choice(Node& node, Microtask microtask, unsigned team_size) {
  if (team_size > node.node_count() * node.threads_per_node()) return {};
  for (TimesReport report; take_report(report);) {
    placing->choice->add_report(report.node.value(), report.window, report.computed_ns);
  }
  (void)take_computed_ns();
  const SpreadChoice::Decision decision = placing->choice->begin(
      reinterpret_cast<std::uintptr_t>(microtask), now_ns(), board::away_ns());
  placing->asked_choice = true;
  return {.is_inside = decision.placement == Placement::kInside,
          .times = {.window = decision.window, .at_end = decision.asks_for_times}};
}

// Values that threads have kept were kept in the last region, or in an earlier one, since when all
// have run where that did. There the threads find them.
bool have_kept_values() {
  bool (*const keep)() = threads_keep_values;
  return keep != nullptr && keep();
}

// Whether it is inside, where nothing need be measured for that; else null. `may_stand_in`: threads
// of a team on this node may do what those of all nodes did.
std::optional<bool> is_inside_unmeasured(Node& node, bool may_stand_in) {
  placing->why_spread = obstacle(node);
  if (!placing->why_spread.empty() || !may_stand_in) return false;
  if (placing->was_inside && have_kept_values()) {
    if (!*placing->was_inside) placing->why_spread = "threads keep values (pthread_setspecific)";
    return placing->was_inside;
  }
  if (spread_policy == SpreadPolicy::kRandom) return placing->random.next();
  return has_all_processors ? std::optional(true) : std::nullopt;
}

RegionPlacement decide(Node& node, Microtask microtask, unsigned team_size) {
  if (program_stays_on_node_0) return {.is_inside = true, .times = {}};
  if (spread_policy == SpreadPolicy::kAlways || !fits_inside(node, team_size)) return {};
  const std::optional<bool> inside = is_inside_unmeasured(node, have_run(node, team_size));
  if (inside) return {.is_inside = *inside, .times = {}};
  return ask_choice(node, microtask, team_size);
}

// Leagues are not measured, so they are inside only where no other place can be faster. Their
// threads stand in for nobody.
bool is_league_inside(Node& node) {
  if (program_stays_on_node_0) return true;
  if (spread_policy == SpreadPolicy::kAlways) return false;
  return is_inside_unmeasured(node, !has_thread_local_data()).value_or(false);
}

void note_place(Microtask microtask, const Ident* loc, bool is_inside) {
  placing->was_inside = is_inside;
  PlaceAccount& place = placing->places[reinterpret_cast<const void*>(microtask)];
  if (place.spread + place.inside == 0) place.place = name_of_place(microtask, loc);
  ++(is_inside ? place.inside : place.spread);
}

std::string remarks() {
  std::string text;
  if (!placing->why_spread.empty()) {
    text = fmt::format("regions stay on all nodes, as {}", placing->why_spread);
  }
  std::vector<PlaceAccount> inside;
  for (const auto& [microtask, account] : placing->places) {
    if (account.inside > 0) inside.push_back(account);
  }
  std::ranges::sort(inside, [](const PlaceAccount& a, const PlaceAccount& b) {
    return std::pair(b.inside, a.place) < std::pair(a.inside, b.place);
  });
  constexpr std::size_t kMostPlaces = 8;
  if (inside.size() > kMostPlaces) inside.resize(kMostPlaces);
  std::string places;
  for (const PlaceAccount& account : inside) {
    places += fmt::format("{}{}: {} of {} inside this node", places.empty() ? "" : ", ",
                          account.place, account.inside, account.inside + account.spread);
  }
  if (!places.empty()) text += fmt::format("{}regions at {}", text.empty() ? "" : "; ", places);
  return text;
}

RegionAccount account() {
  RegionAccount sum;
  for (const auto& [microtask, account] : placing->places) {
    sum.spread += account.spread;
    sum.inside += account.inside;
  }
  if (placing->choice) {
    const SpreadChoice::Counts& counts = placing->choice->counts();
    sum.moves = counts.moves;
    sum.trials = counts.trials;
    sum.returns = counts.returns;
  }
  sum.remarks = remarks();
  return sum;
}

}  // namespace

void start_placement(Node& node) {
  serve_times(node);
  prepare_thread_homes(node);
  if (spread_policy != SpreadPolicy::kAlways) find_spare_processors(node);
  if (spread_policy == SpreadPolicy::kAuto && !has_all_processors) board::measure_time();
  const unsigned threads = node.node_count() * node.threads_per_node();
  if (node.is_on_one_host() && threads > processors_inside()) count_processor_time();
  if (node.self() != NodeId(0)) return;
  let_libomp_count_all_processors();
  // For good: threads may run until the process is gone.
  placing = new Placing(node);
  placing->choice.emplace(SpreadChoice::Surroundings{.nodes = node.node_count(),
                                                     .threads_per_node = node.threads_per_node(),
                                                     .processors = processors_inside()});
  region_account = account;
}

RegionPlacement enter_region_placement(Node& node, Microtask microtask, const Ident* loc,
                                       unsigned team_size) {
  const RegionPlacement result = decide(node, microtask, team_size);
  note_place(microtask, loc, result.is_inside);
  return result;
}

bool enter_league_placement(Node& node, Microtask microtask, const Ident* loc) {
  const bool is_inside = is_league_inside(node);
  note_place(microtask, loc, is_inside);
  return is_inside;
}

void leave_region_placement() {
  if (!std::exchange(placing->asked_choice, false)) return;
  placing->choice->end(now_ns(), board::away_ns(), take_computed_ns());
}

void use_processors(Processors wanted) {
  if (!has_spare_processors) return;
  thread_local Processors present = Processors::kOwn;
  if (std::exchange(present, wanted) == wanted) return;
  let_run_on(wanted == Processors::kSpare ? spare_processors : own_processors);
}

}  // namespace weft::openmp

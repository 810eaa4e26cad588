// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/programs/plan.hpp"

#include <algorithm>

#include "protocol/interface/page_policy.hpp"
#include "sim/programs/phase_plan.hpp"

namespace weft::sim {
namespace {

// Runs that are mostly about threads outside the team. Every cell has a page to itself then, so
// that nobody else's notices make up for what a lock has not told.
constexpr unsigned kMostlyOutside = 60;

std::uint16_t choose_node_count(Random& random) {
  const std::uint64_t dice = random.below(100);
  if (dice < 3) return 1;
  if (dice < 86) return static_cast<std::uint16_t>(2 + random.below(5));
  if (dice < 98) return static_cast<std::uint16_t>(7 + random.below(10));
  return 64;
}

std::uint8_t choose_size(Random& random) {
  const std::uint64_t dice = random.below(100);
  if (dice < 40) return 1;
  if (dice < 85) return static_cast<std::uint8_t>(2U << random.below(3));
  return static_cast<std::uint8_t>(1 + random.below(60));
}

bool is_power_of_two_to_eight(std::uint8_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8;
}

// Cells crowd together: most begin where the one before ended, so that neighbours in a page, even
// in a word, belong to different threads.
void place_cells(Random& random, Plan& plan, std::uint64_t first_page, std::uint64_t pages) {
  const bool is_alone = plan.is_sparse || plan.outside_percent == kMostlyOutside;
  const std::uint64_t per_page = is_alone ? 1 : 1 + random.below(10);
  for (std::uint64_t page = first_page; page < first_page + pages; ++page) {
    std::uint64_t at = random.chance(30) ? kPageBytes - 64 - random.below(200) : random.below(2048);
    for (std::uint64_t index = 0; index < per_page; ++index) {
      Cell cell;
      // Atomic operations would keep homes where they are.
      cell.size = plan.is_sparse ? 3 : choose_size(random);
      cell.aligned = is_power_of_two_to_eight(cell.size);
      if (random.chance(15)) at += random.below(300);
      if (cell.aligned) at = (at + cell.size - 1) / cell.size * cell.size;
      if (at + cell.size > kPageBytes) break;
      cell.where = GlobalOffset(page * kPageBytes + at);
      at += cell.size;
      plan.cells.push_back(cell);
    }
  }
}

void place_outside_cell(Random& random, Plan& plan, CellIndex cell) {
  const bool may_count = plan.cells[cell].aligned && plan.cells[cell].size >= 4;
  const std::uint64_t dice = random.below(100);
  if (may_count && dice < 35) return plan.outside_counters.push_back(cell);
  if (may_count && dice < 55) return plan.outside_spins.push_back({cell, {}});
  if (dice < 60 || plan.is_sparse) return plan.outside_guarded[random.below(2)].push_back(cell);
  if (dice < 85 && !plan.outside_spins.empty()) {
    return plan.outside_spins.back().cells.push_back(cell);
  }
  plan.constants.push_back(cell);
}

void choose_sizes(Random& random, Plan& plan) {
  EngineConfig& config = plan.config;
  config.node_count = choose_node_count(random);
  config.barrier_arity = static_cast<std::uint32_t>(2 + random.below(3));
  config.kept_pages = 1;
  choose_lock_sizes(random, config);
  if (plan.is_sparse) config.node_count = 3;
  const unsigned most_threads = config.node_count >= 16 || plan.is_sparse ? 1 : 3;
  plan.threads_per_node = static_cast<unsigned>(1 + random.below(most_threads));
}

// Drawn apart, so that the plan does not depend on it otherwise.
void choose_tree(Random random, EngineConfig& config) {
  Random apart(random.below(std::uint64_t{1} << 62));
  config.shaped_nodes = apart.chance(70) ? 8 : 0;
  config.barriers_per_tree = static_cast<std::uint32_t>(1 + apart.below(4));
}

}  // namespace

void choose_outside_cells(Random& random, Plan& plan) {
  plan.outside_cells = static_cast<CellIndex>(1 + random.below(plan.cells.size() / 2));
  plan.outside_locks = {any_lock(random), any_lock(random)};
  plan.outside_guarded.resize(plan.outside_locks.size());
  for (CellIndex cell = 0; cell < plan.outside_cells; ++cell) {
    place_outside_cell(random, plan, cell);
  }
}

void choose_outsiders(Random& random, Plan& plan) {
  const std::uint64_t most = plan.outside_percent == kMostlyOutside ? 6 : 3;
  for (std::uint64_t left = 1 + random.below(most); left > 0; --left) {
    Plan::Outsider outsider;
    if (random.chance(60)) outsider.first_phase = random.below(plan.phases.size());
    const bool serial = plan.phases[outsider.first_phase].serial;
    outsider.node = serial ? 0 : static_cast<std::uint16_t>(random.below(plan.config.node_count));
    outsider.steps = static_cast<unsigned>(5 + random.below(random.chance(50) ? 30 : 120));
    plan.outsiders.push_back(outsider);
  }
  if (random.chance(50)) {
    plan.slow_node = static_cast<std::uint16_t>(random.below(plan.config.node_count));
  }
}

std::vector<InitialHome> choose_homes(Random& random, std::uint64_t pages, std::uint16_t nodes) {
  const std::uint64_t block = random.chance(20) ? pages : 1 + random.below(4);
  std::vector<InitialHome> homes;
  std::uint64_t node = random.below(nodes);
  for (std::uint64_t first = 0; first < pages; first += block) {
    const std::uint64_t count = std::min(block, pages - first);
    homes.push_back({PageRange{PageIndex(first), count}, NodeId(static_cast<std::uint16_t>(node))});
    node = (node + 1) % nodes;
  }
  return homes;
}

std::vector<CellIndex> Plan::shared_with_outsiders() const {
  std::vector<CellIndex> shared = outside_counters;
  const auto add = [&shared](const std::vector<CellIndex>& more) {
    shared.insert(shared.end(), more.begin(), more.end());
  };
  for (const std::vector<CellIndex>& guarded : outside_guarded) add(guarded);
  for (const SpinUse& use : outside_spins) {
    shared.push_back(use.word);
    add(use.cells);
  }
  return shared;
}

std::pair<CellIndex, CellIndex> Plan::cells_beside(CellIndex cell) const {
  const PageIndex page = cells[cell].where.page();
  CellIndex first = cell, end = cell + 1;
  while (first > 0 && cells[first - 1].where.page() == page) --first;
  while (end < cells.size() && cells[end].where.page() == page) ++end;
  return {first, end};
}

void choose_prefetches(Random random, Plan& plan) {
  Random apart(Random(random.next()).next());
  plan.with_prefetches = apart.chance(30);
  plan.with_hints = plan.with_prefetches && apart.chance(20);
}

// By few draws: those that come later, and so the programs, are to stay what they are.
void choose_lock_sizes(Random& random, EngineConfig& config) {
  config.lock_fairness = static_cast<std::uint32_t>(random.chance(50) ? random.below(4) : 16);
  config.entrust_proof = 1 + config.lock_fairness % 4;
  config.right_uses = config.lock_fairness % 4;
  config.right_rest = config.lock_fairness % 3;
  config.rights_ahead = (config.lock_fairness + 2) % 4;
  config.read_ahead_limit = 1U << random.below(7);
  config.entrusts_at_first = config.read_ahead_limit > 4;
}

bool choose_sums(Random random) {
  Random apart(random.next());  // what is drawn first from it is with_overwrites
  (void)apart.next();
  return apart.chance(25);
}

Plan make_plan(Random& random) {
  Plan plan;
  plan.is_sparse = random.chance(30);
  choose_sizes(random, plan);
  choose_tree(random, plan.config);
  // Now and then the pages lie across the boundary of two leaves of the page table, however large.
  const std::uint64_t first_page = random.chance(15) ? 508 : random.below(3);
  const std::uint64_t pages = 1 + random.below(plan.is_sparse ? 3 : random.chance(20) ? 40 : 8);
  plan.config.page_count = first_page + pages + random.below(3);
  plan.config.initial_homes = choose_homes(random, plan.config.page_count, plan.config.node_count);
  plan.with_peeks = Random(random).chance(20);
  plan.with_overwrites = !plan.with_peeks && Random(Random(random).next()).chance(45);
  choose_prefetches(random, plan);
  plan.with_sums = choose_sums(random);
  const bool with_outsiders = random.chance(40);
  if (with_outsiders) plan.outside_percent = random.chance(40) ? kMostlyOutside : 25;
  place_cells(random, plan, first_page, pages);
  const std::uint64_t locks = 1 + random.below(4);
  for (std::uint64_t lock = 0; lock < locks; ++lock) plan.locks.push_back(any_lock(random));
  std::ranges::sort(plan.locks);
  // Names without a place.
  plan.sequencers = {SequencerId(random.next() >> 1), SequencerId(random.next() >> 1)};
  if (plan.cells.size() < 2) plan.outside_percent = 0;
  if (plan.outside_percent > 0) choose_outside_cells(random, plan);
  plan_phases(random, plan);
  if (plan.outside_percent > 0) choose_outsiders(random, plan);
  return plan;
}

void choose_policies(Random random, EngineConfig& config) {
  config.home_policy = static_cast<HomePolicy>(random.below(3));
  config.push_policy = static_cast<PushPolicy>(random.below(3));
  config.atomic_policy = random.chance(80) ? AtomicPolicy::kMerge : AtomicPolicy::kEach;
  config.lock_policy =
      random.chance(50) ? LockPolicy::kWeft : static_cast<LockPolicy>(random.below(5));
  config.barrier_pages = static_cast<std::uint32_t>(random.below(5));
  if (config.barrier_pages == 4) config.barrier_pages = 64;  // so that much is passed on
  if (config.barrier_pages == 1) config.held_pages = 2;
  if (config.barrier_pages == 2) config.quick_turn_pages = 1;
  // Nothing is repeated often enough that rhythms are shown twice.
  config.rhythm_proof = 1;
  // Mostly leaves so small that nodes have nothing to do with some of them.
  config.leaf_shift = static_cast<std::uint32_t>(random.chance(20) ? 6 : random.below(3));
  constexpr std::uint32_t kRemembered[] = {0, 0, 2, 128};
  config.remembered_homes = kRemembered[random.below(4)];
  if (random.chance(20)) {
    config.release_policy = ReleasePolicy::kEager;
    config.lock_policy = random.chance(50) ? LockPolicy::kPlain : LockPolicy::kWriteVector;
  }
  // Most leaves are small. Else never, so that programs that took long to find go as they went.
  const bool completes =
      config.release_policy == ReleasePolicy::kLazy && config.read_ahead_limit == 64;
  config.scattered_proof = completes ? 1 : 64;
  Random apart = random;
  Random chances(apart.next());
  config.crossing_proof = static_cast<std::uint32_t>(chances.below(3));
  config.watched_writes = static_cast<std::uint32_t>(chances.below(3));
  // Diffs are of a few bytes.
  if (chances.chance(50)) config.replaced_bytes = static_cast<std::uint32_t>(1 + chances.below(12));
  config.replaced_notices = static_cast<std::uint32_t>(1 + chances.below(3));
  if (!random.chance(30)) return;
  const LockPolicy carries_nothing = config.lock_policy;
  force(static_cast<PagePolicy>(1 + random.below(6)), config);
  if (config.release_policy == ReleasePolicy::kEager) config.lock_policy = carries_nothing;
}

}  // namespace weft::sim

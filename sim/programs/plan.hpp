// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random program that is free of races by its construction. It runs in phases, with a barrier or
// a publication between two. In each phase every cell (a few bytes of shared memory) has one role,
// which says who may touch it and under what protection; roles change from phase to phase.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/addresses.hpp"
#include "base/locks/lock_ids.hpp"
#include "base/numbers/random.hpp"
#include "protocol/engine.hpp"

namespace weft::sim {

using ThreadIndex = std::uint16_t;  // through the whole team: node * threads_per_node + local
using CellIndex = std::uint32_t;

struct Cell {
  GlobalOffset where;
  std::uint8_t size = 1;
  bool aligned = false;  // atomic operations may be done on it
};

enum class Role : std::uint8_t {
  kOwned,        // plain and atomic accesses by one thread
  kReadOnly,     // plain reads by all
  kGuarded,      // by whoever holds a lock
  kPool,         // becomes the property of a thread that takes it while it holds a lock
  kSequenced,    // by whoever has the turn of a sequencer, or of a chain of posts
  kFlag,         // atomic stores by one thread, in increasing order; loads by others
  kFlagData,     // written before a store to a flag, read by who has seen that store
  kCounter,      // atomic additions by all
  kSpin,         // a lock made of atomic operations
  kSpinGuarded,  // by whoever holds such a lock
  kArrive,       // an atomic counter: the last to add to it reads what all have written
  kArriveData,   // written by one thread before it adds to such a counter
};

struct Assignment {
  Role role = Role::kOwned;
  ThreadIndex owner = 0;    // kOwned, kArriveData
  std::uint32_t group = 0;  // which lock, sequencer, flag, spin lock or counter
};

struct LockUse {
  std::vector<CellIndex> guarded, pool;
  bool is_private = false;  // one thread alone takes it in this phase, and holds it into the next
  ThreadIndex holder = 0;
  bool held_at_start = false;
};

struct SequencerUse {
  bool by_posts = false;    // each turn is handed to the next one's node by a post
  std::uint64_t first = 0;  // its value when the phase begins
  std::vector<ThreadIndex> turns;
  std::vector<CellIndex> cells;
};

struct FlagUse {
  bool is_counted = false;  // a sequencer stands for the flag, whose cell is not used then
  CellIndex flag = 0;
  ThreadIndex writer = 0;
  std::vector<std::vector<CellIndex>> stages;  // data published by each store
};

struct SpinUse {
  CellIndex word = 0;
  std::vector<CellIndex> cells;
};

struct ArriveUse {
  CellIndex counter = 0;
  std::vector<ThreadIndex> threads;
  std::vector<CellIndex> data;  // one a thread
};

// What a thread does in an order that all agree on, so that nobody waits in a circle.
struct OrderedItem {
  enum class Kind : std::uint8_t { kTurn, kFlagStore, kFlagWait } kind = Kind::kTurn;
  std::uint32_t group = 0;
  std::uint32_t index = 0;  // turn or stage
};

struct Phase {
  PhaseKey key;         // phases with the same are alike
  bool serial = false;  // node 0's first thread alone; a publication ends it
  unsigned steps = 0;   // bundles of actions a thread, beside the ordered items
  // Of iterative programs: what the threads choose to do, which is the same where this is; zero in
  // others. And a node whose threads begin late.
  std::uint64_t habit = 0;
  std::uint16_t late_node = 0;
  std::uint32_t late_by = 0;
  std::vector<Assignment> cells;
  std::vector<std::vector<CellIndex>> owned;  // [thread]
  std::vector<CellIndex> read_only, counters;
  std::vector<LockUse> locks;
  std::vector<SequencerUse> sequencers;
  std::vector<FlagUse> flags;
  std::vector<SpinUse> spins;
  std::vector<ArriveUse> arrivals;
  std::vector<std::vector<OrderedItem>> items;  // [thread]
};

struct Plan {
  EngineConfig config;  // all but `self`
  // Few cells, each in a page of its own, and many short phases: hardly any message waits for
  // another, so that some are overtaken by whole epochs.
  bool is_sparse = false;
  // Of iterative programs: so many values may a byte have, and so many writes in a hundred are left
  // out, as by a thread that finds that nothing is to be changed.
  unsigned values = 256;
  unsigned omitted_writes = 0;
  // Threads look, atomically, at what others write plainly, as at what a signal handler writes.
  bool with_peeks = false;
  // Threads say so when they are about to write all that a page has. (Not with peeks.)
  bool with_overwrites = false;
  // Threads say which pages they are about to use: more or less.
  bool with_prefetches = false;
  bool with_hints = false;  // of which data a lock is for, and which pages are to be a node's
  // Threads have what they have written sent home before they release it.
  bool with_commits = false;
  // Threads outside the team go on at other nodes, also with locks. All nodes count as if they had
  // such threads, as one may come.
  bool with_moves = false;
  // Threads add to what locks guard, in sections that do nothing else.
  bool with_sums = false;
  // What locks guard are the values of a mesh (mesh.hpp).
  bool with_mesh = false;
  unsigned read_terms = 30;  // so many terms in a hundred are what nobody writes, if there is some
  // What a lock guards is written by threads of one node alone, and read by all.
  bool one_node_writes = false;
  unsigned threads_per_node = 1;
  std::vector<Cell> cells;
  std::vector<LockId> locks;
  // Threads outside the team, which know nothing of its phases. What they touch has a role of its
  // own that lasts: never written, counters, and cells that they share with the team, guarded by
  // locks.
  struct Outsider {
    std::uint16_t node = 0;
    unsigned steps = 0;
    std::size_t first_phase = 0;  // in which it is made
  };
  std::vector<Outsider> outsiders;
  // Its threads take their time, so that the other nodes spend most of theirs in barriers.
  std::optional<std::uint16_t> slow_node;
  unsigned outside_percent = 0;  // of what the team does is with what such threads use
  std::vector<CellIndex> constants, outside_counters;
  std::vector<LockId> outside_locks;                    // numbered after `locks`
  std::vector<std::vector<CellIndex>> outside_guarded;  // by each of these locks
  std::vector<SpinUse> outside_spins;                   // numbered from kFirstOutsideSpin
  CellIndex outside_cells = 0;                          // the first so many cells
  std::vector<SequencerId> sequencers;
  std::vector<Phase> phases;

  [[nodiscard]] unsigned team_size() const { return config.node_count * threads_per_node; }
  [[nodiscard]] unsigned thread_count() const {
    return team_size() + static_cast<unsigned>(outsiders.size());
  }
  [[nodiscard]] LockId lock(std::uint32_t index) const {
    return index < locks.size() ? locks[index] : outside_locks[index - locks.size()];
  }
  [[nodiscard]] bool may_write_guarded(ThreadIndex thread, std::uint64_t lock) const {
    return !one_node_writes || thread / threads_per_node == lock % config.node_count;
  }
  // Which lock guards the cell, if this one was drawn for it.
  [[nodiscard]] std::uint64_t lock_for(CellIndex cell, std::uint64_t drawn) const {
    return with_mesh ? cell % locks.size() : drawn;
  }
  // All cells in the page of this one, from the first to before the last.
  [[nodiscard]] std::pair<CellIndex, CellIndex> cells_beside(CellIndex cell) const;
  // So many, or up to the end of the region.
  [[nodiscard]] PageRange pages_from(PageIndex first, std::uint64_t count) const {
    return {first, std::min(count, config.page_count - first.value())};
  }
  // Cells that a thread outside the team may have written and kept to itself so far.
  [[nodiscard]] std::vector<CellIndex> shared_with_outsiders() const;
  [[nodiscard]] bool is_outside(CellIndex cell) const { return cell < outside_cells; }
};

// Drawn apart, so that programs without them are what they are.
void choose_prefetches(Random random, Plan& plan);
[[nodiscard]] bool choose_sums(Random random);
void choose_lock_sizes(Random& random, EngineConfig& config);

inline constexpr std::uint32_t kFirstOutsideSpin = 1U << 31;

[[nodiscard]] Plan make_plan(Random& random);
// As a variable's address and kind would name it.
[[nodiscard]] inline LockId any_lock(Random& random) {
  return lock_of(LockKind::kLock, reinterpret_cast<const void*>(random.next() >> 17));
}
// Parts of it. Threads outside the team have the first cells; they are made in phases that are
// there, in a serial one by node 0 alone, and outlive some.
void choose_outside_cells(Random& random, Plan& plan);
void choose_outsiders(Random& random, Plan& plan);
// Homes: blocks of pages, pages in turn, or everything at one node.
[[nodiscard]] std::vector<InitialHome> choose_homes(Random& random, std::uint64_t pages,
                                                    std::uint16_t nodes);
// Apart from the plan, so that what a program does does not depend on it.
void choose_policies(Random random, EngineConfig& config);

}  // namespace weft::sim

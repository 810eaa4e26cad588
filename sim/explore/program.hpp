// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small world and its program, read from a text (sim/explore/worlds):
//
//   nodes 2                    threads 1 (a node)     pages 1     homes 0 (of the pages, in turn)
//   cells a=0:0 b=0:100        names of 8 bytes: page:offset
//   locks L@1                  names, and the node that manages each
//   warm 4                     turns that take one way each, so that what is learnt is learnt
//   turns 2                    turns that take every way
//   config push=off ...        what differs from the usual EngineConfig
//   also NAME push=off ...     another world, WORLD/NAME, that differs in this: as config,
//                              or warm=, turns=, reads=, at= (the home of all pages)
//   reads late                 what messages lend is read when they arrive
//   together yes             the nodes are on one host, and share memory
//   races yes                  a thread may touch mapped pages in the middle of its engine's calls
//   turn:                      a turn of the loop: lines of steps, "who: step; step"
//     0: write a               node 0's (first) thread; 1.1 is node 1's second; * is all of them
//     *: lock L; max b; unlock L
//     barrier                  the same as *: barrier
//   outside 1: count c         a thread outside the team, while the turns take every way
//   handler 1: count c         the same, but its engine is not told that there is one
//
// Steps: read C, write C, zero C, update C (read, then write), max C (read, then write what is
// greater), count C [acquire|release|both|merged] (an atomic addition), peek C
// [acquire|release|both] (an atomic load of what others write plainly), store F and see F ... end
// (a flag: what is in between is left out if it is not there yet; "flushed": in no order, between
// two flushes; "confirmed": the same, in the orders that the runtime makes of that, and the flush
// behind it need not ask; "patient": kept at its home until it is there, "hurried": or until it is
// hurried, which it is at once; "silent": in no order, and without a flush; "unless": what is in
// between is left out if it is there), lock L, try L ... unlock L (left out if it is not free),
// sum L C [from D] (a section under the lock that adds to C: a number, or D), advance S K, await S
// K (the K-th count of a turn; S@N is kept by node N), post
// N, take, move N (of a thread outside: it goes on at node N), gather, barrier [memory] [hold],
// publish (node 0), receive (the others), flush (of merged additions), fence (an explicit flush),
// evict N; prefetch C, replace C, own C, name L C (C comes with L): what is said
// ahead; overwrite C, commit C. Words behind a step say in which turns it is done: even, odd,
// fourth (one in four), old (the warm ones), new, last.
#pragma once

#include <string>
#include <vector>

#include "protocol/engine.hpp"
#include "sim/programs/plan.hpp"

namespace weft::sim::explore {

struct Step {
  enum class Kind : std::uint8_t {
    kRead,
    kWrite,
    kZero,
    kReadMax,
    kWriteMax,
    kCount,
    kMerge,
    kPeek,
    kStore,
    kSee,
    kEnd,
    kLock,
    kTry,
    kUnlock,
    kBeginSum,
    kTakeTerm,
    kAddSum,
    kReadTerm,
    kWriteSum,
    kAdvance,
    kAwait,
    kPost,
    kTake,
    kMove,
    kGather,
    kBarrier,
    kPublish,
    kReceive,
    kFlush,
    kFence,
    kEvict,
    kOverwrite,
    kReplace,
    kPrefetch,
    kOwn,
    kNameData,
    kCommit,
  };
  enum class When : std::uint8_t { kEven, kOdd, kFourth, kOld, kNew, kLast };

  Kind kind = Kind::kBarrier;
  std::vector<When> when;   // all of them
  std::uint32_t what = 0;   // a cell, lock, sequencer, node or number
  std::uint32_t count = 1;  // of a sequencer, in this turn
  std::uint32_t lock = 0;   // of a sum, or of named data
  std::int32_t term = -1;   // of a sum: the cell that it is read from, if any
  Ordering ordering = Ordering::kRelaxed;
  bool holds = false;                       // of a barrier: before a publication
  bool votes = true;                        // of a barrier: nodes bring some
  bool by_flush = false, confirms = false;  // of a flag
  bool is_silent = false, is_unless = false;
  bool is_patient = false, hurries = false;
  bool brings_memory = false;  // of a barrier: with a contribution that names memory
  PhaseKey next;               // of what ends a phase
  std::string text;            // as it was written
};

struct Program {
  std::string name, about;
  // Sizes, settings (all but `self`) and cells, as the oracle wants them.
  Plan plan;
  std::vector<std::string> cell_names, lock_names, sequencer_names;
  std::vector<LockId> locks;
  std::vector<SequencerId> sequencers;
  unsigned warm = 4, turns = 2;
  bool reads_late = false, races = false;
  bool moves = false;  // threads outside: there may be some on each node
  std::uint16_t nodes_per_host = 1;
  struct Outsider {
    std::uint16_t node = 0;
    bool is_told = true;  // to its engine
    std::vector<Step> steps;
  };
  std::vector<std::vector<Step>> team;  // [thread]: a turn
  std::vector<Outsider> outsiders;

  [[nodiscard]] const EngineConfig& config() const { return plan.config; }
  [[nodiscard]] unsigned last_turn() const { return warm + turns; }
};

// All worlds of a text, the one without a name of its own first. Throws Failure, naming the line,
// if it makes no sense.
[[nodiscard]] std::vector<Program> parse_programs(const std::string& name, const std::string& text);
// A decimal number; throws Failure if it is none.
[[nodiscard]] std::uint64_t number(const std::string& word);
// A name=value of the line "config".
void configure(EngineConfig& config, const std::string& name, const std::string& value);

}  // namespace weft::sim::explore

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The team that spans nodes, and what each of its threads knows of it.
//
// There is at most one such team at a time. Its threads are numbered node by node: thread
// node*T + t is the t-th thread of libomp's own team on that node; T is the team's own number of
// threads per node, as a team may be larger than the job. Everything nested inside it,
// and everything that a single node suffices for, is libomp's alone.
//
// All threads of a team come to the same worksharing constructs in the same order, so each counts
// them, and equal counts name the same construct on all nodes without a message.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "openmp/libomp/real.hpp"
#include "openmp/schedules/doacross_nest.hpp"
#include "openmp/schedules/loop_table.hpp"
#include "openmp/tasks/task.hpp"
#include "openmp/team/local_barrier.hpp"
#include "openmp/team/tool_thread.hpp"
#include "runtime/interface/node.hpp"

namespace weft::openmp {

struct Team {
  explicit Team(unsigned threads) : local_size(threads), local_barrier(threads) {}

  Node* node = nullptr;
  std::uint64_t region = 0;  // counts the job's spanning regions, from 1; the same on all nodes
  Microtask microtask = nullptr;
  unsigned size = 0;              // threads on all nodes
  unsigned first = 0;             // the number of this node's first thread
  const unsigned local_size;      // threads of this node
  int level = 1;                  // among nested regions; those around it have one thread each
  unsigned nodes = 0;             // nodes that have threads in the team: 0 up to here
  unsigned threads_per_node = 0;  // of each of these but the last, which may have fewer
  LocalBarrier local_barrier;
  // Guarded by the node's own barrier:
  std::uint64_t barriers = 0;         // passed so far; the same on all nodes
  std::uint8_t votes = 0;             // of the last one
  bool cancelled = false;             // the region is
  void*** reduction_lists = nullptr;  // one for each local thread
  // Since the last barrier a thread of this node has executed a construct that is for one of all
  // threads (single nowait, masked), or stored to what a reduction adds to: it may have set that.
  std::atomic<bool> wrote_for_all{false};

  [[nodiscard]] NodeId self() const { return node->self(); }
};

// A thread's place in the loop that dispatch_next shares out to it. Iterations count from 0.
struct LoopCursor {
  bool active = false;
  std::uint64_t lower = 0, increment = 1;  // the loop's own values: lower + iteration * increment
  std::uint64_t trip_count = 0;
  IterationSpan chunk;    // what the thread executes at present
  bool had_last = false;  // it has had the last iteration: its lastprivate values must stay
  // Dynamic schedules:
  LoopKey key;
  LoopShape shape;
  LoopTable::Loop* loop = nullptr;  // null in a loop with a static schedule
  // Static schedules: the thread's next chunk, and the distance between its chunks.
  IterationSpan next_chunk;
  std::uint64_t stride = 0;
  // Loops with `ordered`: turns are passed on by whole chunks, as within one only this thread
  // could take the next.
  bool ordered = false;
  ompt_work_t work = ompt_work_loop_static;  // as tools know it
  SequencerId sequencer;
  bool holds_turn = false;      // all iterations before this chunk have had theirs
  bool passed_turn = false;     // the iterations of this chunk have too
  std::uint64_t iteration = 0;  // the one that is being executed
};

// A thread of the spanning team. Lives on the thread's runtime stack during the region.
struct Member {
  Team* team = nullptr;
  unsigned local_number = 0;
  unsigned number = 0;    // in the whole team
  std::int32_t gtid = 0;  // libomp's number of the thread
  // Counts of constructs met, each of its kind.
  std::uint64_t loops = 0, ordered_loops = 0, singles = 0;
  const void* site = nullptr;  // where it has called the barrier that it is in; null: unknown
  LoopCursor cursor;
  std::unique_ptr<DoacrossNest> doacross;
  bool reduction_ends_region = false;  // the present one
  bool in_claimed_single = false;      // it executes one that libomp does not know of
  bool may_be_in_single = false;       // some thread, in one that this one has passed
  tasks::Task implicit_task;
  tasks::Task* task = &implicit_task;  // the innermost that it executes
  // The thread has been at the region's last barrier already.
  bool joined = false;
  std::uint64_t doacross_iterations = 0;  // of all such loops of the job so far
  DoacrossPace doacross_pace;
  tools::ToolThread tool;

  Member();
  ~Member();
};

// The calling thread's place in the spanning team; null outside of it and in regions nested in it.
[[nodiscard]] Member* current_member();
void set_current_member(Member* member);

// Runs something as a region of libomp's own: the thread is no member meanwhile.
class OutsideTeam {
 public:
  OutsideTeam() : saved_(current_member()) { set_current_member(nullptr); }
  ~OutsideTeam() { set_current_member(saved_); }
  OutsideTeam(const OutsideTeam&) = delete;
  OutsideTeam& operator=(const OutsideTeam&) = delete;

 private:
  Member* const saved_;
};

// The team of this node while a spanning region runs here, else null. For threads of nested
// regions, which are no members themselves.
[[nodiscard]] Team* present_team();
void set_present_team(Team* team);

// How many threads of the team each node has (the last of its nodes may have fewer). It is as many
// as the node was started with, unless the program asks for more threads than the job has.
[[nodiscard]] unsigned threads_of_team_per_node(const Node& node, unsigned team_size);

// The loops of this node.
[[nodiscard]] LoopTable& loop_table();

// The thread leaves the loop that it takes chunks of, if any, before that has run out.
void abandon_loop(Member& member);

// Names what the program does from a barrier of a region on, or from the region's beginning (site:
// null); and after its end.
[[nodiscard]] PhaseKey phase_key(Microtask microtask, const void* site);
[[nodiscard]] PhaseKey phase_after(Microtask microtask);

// What the program has printed goes to the launcher, before what is printed after a barrier.
void flush_output();

// The cell by which copyprivate hands data over; every node asks for it at its start.
void prepare_copyprivate();

// A place in the program for messages: "file.c:12" or nothing.
[[nodiscard]] std::string place_of(const Ident* loc);

}  // namespace weft::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a node whose threads have all arrived at a barrier may enter the job's barrier. It must not
// as long as other nodes have tasks that it could execute: what is written after the arrival
// belongs to the next epoch. So before a barrier where tasks are expected there is a quiet phase:
//
//   node: none of its own threads' tasks is left, wherever executed ── kQuiet ──► node 0
//   node 0: all nodes are quiet                                     ── kGo ─────► all nodes
//
// A quiet node stays quiet, as it counts the tasks that descend from its own threads on whatever
// node they are; it goes on taking other nodes' tasks meanwhile.
//
// Whether tasks are expected each node guesses by the place of the barrier in the program. A wrong
// guess costs parallelism, never correctness: a node that meets a barrier where it expected none
// with tasks tells everybody (kUsed), and who stands in the job's barrier already is quiet. Node 0
// tells who is missing when it is quiet itself, so that no two nodes wait for each other's guesses.
//
// Barriers are numbered alike on all nodes. `barrier` is the number of one.
// Pure; the scheduler's lock guards it.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "openmp/scheduling/scheduler_messages.hpp"

namespace weft::openmp::tasks {

class QuietPhase {
 public:
  struct Outgoing {
    NodeId to;
    MessageKind kind;
    SchedulerNotice notice;
  };
  // What `outgoing` gets is to be sent, in order. `expect_tasks`: the guess about places not seen.
  QuietPhase(NodeId self, bool expect_tasks, std::vector<Outgoing>& outgoing)
      : self_(self), expect_tasks_(expect_tasks), outgoing_(outgoing) {}

  // A team of nodes 0 to nodes - 1 begins; barriers count from `barrier`. The last barrier of the
  // team before is behind, though pass() need not have been called.
  void begin_region(unsigned nodes, std::uint64_t barrier);
  [[nodiscard]] std::uint64_t coming_barrier() const { return coming_barrier_; }

  // This node makes tasks before the coming barrier.
  void use() { used_ = true; }
  // It asks for some, and so may get them: not if it is in the job's barrier.
  void ask() { asked_ = true; }
  [[nodiscard]] bool may_ask() const { return stage_ != Stage::kBarrier; }
  // Tasks are expected at this place: threads that wait for the node's others may ask for some.
  [[nodiscard]] bool expects_tasks(std::uintptr_t place) const;

  // All threads of the node have arrived. False: there is no quiet phase, the node enters the job's
  // barrier now. True: it calls quiet() once it is, and enters when may_pass().
  [[nodiscard]] bool arrive(std::uintptr_t place);
  void quiet();
  [[nodiscard]] bool may_pass() const { return stage_ == Stage::kBarrier; }
  // The job's barrier is behind.
  void pass();

  void on_used(std::uint64_t barrier);
  void on_quiet(NodeId from, std::uint64_t barrier, bool used);
  void on_go(std::uint64_t barrier, bool used);

 private:
  enum class Stage : std::uint8_t { kWorking, kQuietPhase, kBarrier };
  struct Count {
    std::vector<bool> quiet;
    unsigned nodes = 0;
    bool used = false;
  };

  void send(NodeId to, MessageKind kind, std::uint64_t barrier, bool flag = false);
  void tell_used();
  void report_quiet();
  void note_visit(bool used);

  // So many visits without tasks, and none is expected at a place.
  static constexpr std::uint8_t kIdleVisits = 3;

  const NodeId self_;
  const bool expect_tasks_;
  std::vector<Outgoing>& outgoing_;
  unsigned nodes_ = 1;
  std::uint64_t coming_barrier_ = 0;
  std::uint64_t told_ = 0;  // the last barrier of which somebody said that there are tasks
  Stage stage_ = Stage::kWorking;
  bool used_ = false, asked_ = false, reported_ = false;
  std::uintptr_t place_ = 0;
  std::unordered_map<std::uintptr_t, std::uint8_t> idle_visits_;
  std::map<std::uint64_t, Count> counts_;  // node 0: who is quiet, by barrier
};

}  // namespace weft::openmp::tasks

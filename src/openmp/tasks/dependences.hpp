// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order among sibling tasks that `depend` clauses ask for. A table belongs to the task that
// creates the siblings. For each address it knows the last two sets of tasks that named it: the
// members of a set may run in any order (in: readers; inoutset; mutexinoutset, one at a time; an
// out task is a set of its own), and each waits for the whole set before.
//
//   depend(out)   depend(in) depend(in)   depend(inout)
//     {A}      ◄──     {B,      C}     ◄──     {D}          previous {B, C}, current {D}
//
// Pure: nothing here blocks, allocates shared memory or knows of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace weft::openmp::tasks {

struct Task;

enum class DependenceKind : std::uint8_t { kIn, kOut, kMutex, kSet };

struct Dependence {
  std::uintptr_t address = 0;
  DependenceKind kind = DependenceKind::kIn;
  bool all_memory = false;  // omp_all_memory: the address means nothing
};

// Held by the one member of a mutexinoutset that runs.
struct Exclusion {
  bool taken = false;
};

// A task in the graph, as long as somebody may have to wait for it.
struct DependenceNode {
  Task* task = nullptr;  // null: a thread waits for the node itself (taskwait with depend)
  std::uint64_t predecessors = 0;  // that are not done
  bool done = false;
  std::vector<std::shared_ptr<DependenceNode>> successors;
  std::vector<std::shared_ptr<Exclusion>> exclusions;
  // For a tool: with this set, the tasks that it waits for when it is added.
  bool is_watched = false;
  std::vector<const Task*> waits_for;

  void wait_for(DependenceNode& other);

  // Takes all of them, or none and returns false.
  [[nodiscard]] bool try_exclude();
  void end_exclusion();
};

using DependenceNodePointer = std::shared_ptr<DependenceNode>;

class DependenceTable {
 public:
  // Makes the node wait for those before it, and the later ones for it.
  void add(const DependenceNodePointer& node, std::span<const Dependence> dependences);

  // The task is done. Appends the nodes that wait for nobody now.
  static void finish(DependenceNode& node, std::vector<DependenceNodePointer>& ready);

  // When all tasks that were added are done.
  void clear();

 private:
  using Set = std::vector<DependenceNodePointer>;
  struct Place {
    DependenceKind kind = DependenceKind::kOut;
    Set previous, current;
    std::shared_ptr<Exclusion> exclusion;  // of the current set
  };

  void add_one(const DependenceNodePointer& node, const Dependence& dependence);
  void add_all(const DependenceNodePointer& node);
  static void wait_for(const DependenceNodePointer& node, Set& set);

  std::unordered_map<std::uintptr_t, Place> places_;
  DependenceNodePointer last_all_;  // the last task with omp_all_memory
};

}  // namespace weft::openmp::tasks

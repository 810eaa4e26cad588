// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of one node: which there are, which may run, who waits for which, and what other nodes
// have of them. A task belongs to the node that created it, for good; a node that is idle asks
// others for tasks, and says when they have ended.
//
//   owner: Task (is_away) ◄── kEnded: body, subtree ── thief: Root ─► Task ─► children, owned here
//
// "Body": the task itself has ended, for taskwait and dependences. "Subtree": all that descends
// from it too, for taskgroups and barriers. So every count is local: a node waits for its own
// counts alone, whatever became of the tasks. docs/internals/tasks.md has the whole picture.
//
// Pure: it executes nothing, sends nothing and does not lock; runtime.hpp does. Everything here is
// called under the lock, and messages for other nodes gather in `outgoing`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "openmp/scheduling/ready_queue.hpp"
#include "openmp/scheduling/scheduler_messages.hpp"
#include "openmp/tasks/task.hpp"

namespace weft::openmp::tasks {

class Scheduler {
 public:
  struct Outgoing {
    NodeId to;
    bool releases = false;  // the receiver must see what this node has written and seen
    Bytes bytes;
  };

  // Counts since the start.
  struct Counters {
    std::uint64_t created = 0, executed = 0, given = 0, received = 0, asked = 0, posts = 0;
  };

  explicit Scheduler(NodeId self);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // A region begins in which this node has `threads` threads and nodes 0 to `nodes` - 1 take part.
  void begin_region(unsigned threads, unsigned nodes);
  // By its number. Asks are for the time up to it; see quiet_phase.hpp.
  void set_coming_barrier(std::uint64_t barrier);
  // A thread's implicit task; `task` outlives the region's other tasks.
  void begin_implicit(Task& task);

  // --- creating ---
  // A new child of `parent`, which nobody knows yet: its fields about the program may be set. Then
  // exactly one of submit() and begin_now().
  [[nodiscard]] Task& create(Task& parent);
  // The task may run when its dependences allow. `thread` is the creator's number in the node.
  void submit(Task& task, unsigned thread, std::span<const Dependence> dependences = {});
  // The caller executes it at once.
  void begin_now(Task& task) { count(task); }
  // True if so much is ready that the creator should rather execute than add to it.
  [[nodiscard]] bool is_full() const;
  // A chunk of a taskloop that the caller executes at once.
  [[nodiscard]] Task& begin_chunk(Task& pattern, const TaskloopShape& shape, std::uint64_t chunk);
  // A taskloop: the pattern, a task made by create(), stands for all of it, and ends with it.
  void submit_loop(Task& pattern, unsigned thread, const TaskloopShape& shape);
  // The same, but a task for each chunk, all of which the caller is to submit.
  [[nodiscard]] std::vector<Task*> prepare_chunks(Task& pattern, const TaskloopShape& shape);

  // detach: the task is not complete before fulfil(). Returns the event's name.
  Number make_event(Task& task);
  void fulfil(Number event);
  // The task whose event of this node's is not fulfilled yet; null if there is none.
  [[nodiscard]] Task* task_of_event(Number event);
  // Events that other nodes have fulfilled, of tasks that a tool watches: the caller is to tell it,
  // and then to fulfil them.
  [[nodiscard]] std::vector<Number> take_fulfilled_elsewhere();

  // --- executing ---
  // A task that this thread may execute now, or null. `waiting` is the task that the thread has
  // suspended (the innermost), whose descendants alone it may take; null at a barrier.
  [[nodiscard]] Task* take(unsigned thread, const Task* waiting);
  // The thread has executed it.
  void end_body(Task& task, unsigned thread);
  // Whether what is left of it is to be skipped, because its group is cancelled.
  [[nodiscard]] static bool is_cancelled(const Task& task);
  [[nodiscard]] static bool is_group_cancelled(const Group* group);
  // Blocks of tasks that have ended, to be freed by the caller, outside of the lock.
  [[nodiscard]] std::vector<void*> take_garbage();
  [[nodiscard]] bool has_garbage() const { return !garbage_.empty(); }

  // --- waiting ---
  // taskwait with depend: wait until the node has no predecessors, then end_wait().
  [[nodiscard]] DependenceNodePointer wait_for(Task& parent,
                                               std::span<const Dependence> dependences);
  void end_wait(Task& parent, DependenceNode& node);
  // All its children are complete: what it knows of them may go.
  static void forget_children(Task& parent);
  // So many threads could execute any task at present.
  void begin_idle() { ++idle_; }
  void end_idle() { --idle_; }
  // A thread waits in whose suspended task nothing can be executed at present.
  void begin_waiting(const Task& suspended) { waiting_.push_back(&suspended); }
  void end_waiting(const Task& suspended);
  // A thread finds nothing; other nodes that have tasks for it are to give some, now or later.
  void ask(unsigned thread, const Task* waiting);
  // Nothing is left that descends from this node's own threads.
  [[nodiscard]] bool is_quiet() const { return own_root_.incomplete == 0; }

  // --- groups ---
  void begin_group(Task& task);
  [[nodiscard]] static bool group_ended(const Task& task) {
    return task.open_group->incomplete == 0;
  }
  void end_group(Task& task);
  // Cancels the innermost group of the task, on all nodes.
  void cancel_group(Task& task);

  // --- reductions: the private copies of a group's variables (reductions.hpp) ---
  // The thread's copy, or 0.
  [[nodiscard]] std::uintptr_t find_copy(Task& task, Number group, unsigned thread,
                                         std::uint32_t item);
  void add_copy(Task& task, Number group, unsigned thread, ReductionCopy copy);
  // All copies, at the end of this node's group.
  [[nodiscard]] std::vector<ReductionCopy> take_copies(Number group);

  // --- what arrives ---
  void on_message(NodeId from, ByteView message);

  [[nodiscard]] std::vector<Outgoing> take_outgoing();
  [[nodiscard]] bool has_outgoing() const { return !outgoing_.empty(); }
  // Grows with each change that a waiting thread may wait for.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  [[nodiscard]] std::size_t ready() const { return queue_.size(); }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  struct Hungry {
    NodeId node;
    Ask ask;
  };
  struct OwnedCopy {
    unsigned thread;  // kOtherNode: of another node's thread
    ReductionCopy copy;
  };
  struct Copies {
    std::uint64_t roots = 0;  // tasks of other nodes that have used them and have not ended
    std::vector<OwnedCopy> copies;
  };
  static constexpr unsigned kOtherNode = ~0U;

  Number next_number() { return number_base_ | ++last_number_; }
  void count(Task& task);
  void make_ready(Task& task, unsigned thread);
  void complete(Task& task, unsigned thread);
  void end_range(Task& pattern, unsigned thread);
  void settle(Task& task);
  void report(Root& root);
  void drop_reference(Task& task);
  void use_copies(Root& root, Number group);
  [[nodiscard]] Task& make_range(Task& pattern, const TaskloopShape& shape);
  [[nodiscard]] Task& split(Task& range, std::uint64_t count);
  // Other nodes (scheduler_exchange.cpp).
  void on_ask(NodeId from, const Ask& ask);
  void on_give(NodeId from, const Give& give);
  void on_ended(const Ended& ended);
  void on_cancel(Number group);
  void on_fulfil(Number event);
  void serve_hungry();
  [[nodiscard]] bool give_to(const Hungry& hungry);
  [[nodiscard]] GivenTask give_away(Task& task);
  void receive(const GivenTask& given);
  void ask_node(NodeId node, const Ask& ask);
  [[nodiscard]] std::vector<GroupCopies> take_copies_of(Root& root);
  void send(NodeId to, bool releases, Bytes bytes);

  const NodeId self_;
  const Number number_base_;
  Number last_number_ = 0;
  unsigned threads_ = 0, nodes_ = 1;
  std::uint64_t coming_barrier_ = 0;
  std::uint64_t idle_ = 0;
  std::vector<const Task*> waiting_;
  std::uint64_t changes_ = 0;
  Root own_root_;
  ReadyQueue queue_;
  std::uint64_t more_chunks_ = 0;  // of ranges in the queue, beside the first of each
  std::unordered_map<Number, Task*> away_, events_;
  std::unordered_map<Number, std::unique_ptr<Root>> guests_;  // by the task's number
  std::unordered_map<Number, Group*> groups_;                 // open ones of this node
  std::unordered_set<Number> cancelled_;                      // groups, before the coming barrier
  std::map<Number, Copies> copies_;                           // by the group's number
  std::vector<Hungry> hungry_;
  std::map<std::pair<NodeId, std::uint32_t>, Ask> asked_;  // by node and asker
  std::vector<Outgoing> outgoing_;
  std::vector<void*> garbage_;
  std::vector<Number> fulfilled_elsewhere_;
  Counters counters_;
};

}  // namespace weft::openmp::tasks

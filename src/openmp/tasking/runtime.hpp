// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of the spanning team on this node: the scheduler with its lock, the threads that execute,
// and the messages. The entry points are in entries*.cpp.
//
//   program thread ──┐                       ┌── outgoing: Node::post, Node::notify
//                    ├─ lock_ ─ Scheduler ───┤   (after the lock is given back)
//   handler ─────────┘          QuietPhase   └── changes_: threads that wait look again
//
// A handler runs under the node's lock and takes this one; so a thread that holds this one must not
// call the node, nor touch shared memory. Everything here runs on the runtime stack; what the
// program gave (bodies, destructors, copies) is called on the program stack.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/signal_safe_mutex.hpp"
#include "openmp/scheduling/quiet_phase.hpp"
#include "openmp/scheduling/scheduler.hpp"
#include "openmp/team/local_barrier.hpp"
#include "openmp/team/team.hpp"
#include "openmp/tools/tool.hpp"
#include "runtime/interface/node.hpp"

namespace weft::openmp::tasks {

class TaskRuntime {
 public:
  explicit TaskRuntime(Node& node);

  // --- regions and barriers (called by team.cpp and region.cpp) ---
  void begin_region(Team& team);
  void end_region();
  void begin_thread(Member& member);
  // What threads do that wait for the other threads of their node. `place` names the barrier in the
  // program.
  class BarrierWork {
   public:
    BarrierWork(TaskRuntime& runtime, Member& member, std::uintptr_t place)
        : runtime_(runtime),
          member_(member),
          place_(place),
          barrier_(runtime.quiet_phase_.coming_barrier()) {}
    ~BarrierWork();
    BarrierWork(const BarrierWork&) = delete;
    BarrierWork& operator=(const BarrierWork&) = delete;
    // Executes a task; false if there is none at present. None from behind the barrier: its maker
    // may wait for this very thread to leave.
    bool operator()();

   private:
    friend class TaskRuntime;
    TaskRuntime& runtime_;
    Member& member_;
    const std::uintptr_t place_;
    const std::uint64_t barrier_;  // the coming one: none passes before this thread arrives
    bool is_idle_ = false;
    std::optional<std::uint32_t> seen_;
  };
  // By one thread, when all threads of the node have arrived: returns when the node may enter the
  // job's barrier. Then, when that is behind, pass_barrier().
  void settle_before_barrier(BarrierWork& work);
  void pass_barrier();

  // --- for the entry points ---
  // Runs f(scheduler) under the lock; afterwards sends what it has for others, and lets those look
  // again that wait for a change.
  template <typename F>
  auto with_scheduler(F&& f);
  // Executes tasks, or waits, until done(scheduler) holds. The member's present task is suspended.
  template <typename Done>
  void work_until(Member& member, Done&& done);
  // Executes one task if there is one that the suspended task allows.
  bool work_once(Member& member);
  // Tells a tool that the member has executed the task, or skipped it.
  void tell_ended(Member& member, Task& task, bool is_skipped);
  // omp_fulfill_event, on any node.
  void fulfil(Number event);
  // Executes a task that take() gave, or begin_now() began, and ends it.
  void execute(Member& member, Task& task);
  // Frees the blocks of tasks that have ended.
  void collect_garbage();
  // There are deferred tasks before the coming barrier. Under the lock.
  void use() {
    quiet_phase_.use();
    is_used_.store(true, std::memory_order_relaxed);
  }

  [[nodiscard]] Node& node() { return node_; }

 private:
  void handle(NodeId from, ByteView message);
  // One thread at a time sends, in the order in which the scheduler had it; what others have to
  // send meanwhile it sends too.
  void send_outgoing();
  void send(std::vector<Scheduler::Outgoing> messages,
            const std::vector<QuietPhase::Outgoing>& notices);
  void tell_waiting();
  // True if it is skipped: its group is cancelled.
  bool run_body(Member& member, Task& task);
  void wait_for_change(std::uint32_t seen, bool for_long);
  // Before a deferred task is executed.
  void let_others_begin();
  void tell_fulfilled(Number event);
  // Fulfils what other nodes have, once a tool has heard of it.
  void fulfil_for_others();

  Node& node_;
  SignalSafeMutex lock_;
  bool is_sending_ = false;
  std::vector<QuietPhase::Outgoing> notices_;
  Scheduler scheduler_;
  QuietPhase quiet_phase_;
  LocalBarrier* barrier_ = nullptr;   // where threads of this node may sleep
  std::atomic<unsigned> unbegun_{0};  // threads of this node that have not come to the region yet

  std::atomic<std::uint32_t> changes_{0};  // something has changed that a thread may wait for
  std::atomic<std::uint32_t> waiting_{0};  // threads that may wait for a change
  // Tasks may come: else threads at a barrier need not look.
  std::atomic<bool> is_used_;
};

// The one of this node; null in one-node runs.
[[nodiscard]] TaskRuntime* task_runtime();
void start_tasks(Node& node);

// Whether the program, or a library of it, can make tasks.
[[nodiscard]] bool program_makes_tasks();

// --- implementation ---

template <typename F>
auto TaskRuntime::with_scheduler(F&& f) {
  bool has_changed = false, has_outgoing = false;
  const auto locked = [&] {
    const std::lock_guard guard(lock_);
    const std::uint64_t changes = scheduler_.changes();
    const bool could_pass = quiet_phase_.may_pass();
    const auto finish = [&] {
      has_changed = scheduler_.changes() != changes || quiet_phase_.may_pass() != could_pass;
      has_outgoing = scheduler_.has_outgoing() || !notices_.empty();
    };
    if constexpr (std::is_void_v<decltype(f(scheduler_))>) {
      f(scheduler_);
      finish();
    } else {
      auto result = f(scheduler_);
      finish();
      return result;
    }
  };
  const auto announce = [&] {
    if (has_outgoing) send_outgoing();
    if (has_changed) tell_waiting();
  };
  if constexpr (std::is_void_v<decltype(locked())>) {
    locked();
    announce();
  } else {
    auto result = locked();
    announce();
    return result;
  }
}

template <typename Done>
void TaskRuntime::work_until(Member& member, Done&& done) {
  const Task* const suspended = member.task;
  bool has_asked = false, is_waiting = false;
  struct Turn {
    bool is_done;
    Task* task;
  };
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    const std::uint32_t seen = changes_.load(std::memory_order_acquire);
    if (tools::watched()) fulfil_for_others();
    const Turn turn = with_scheduler([&](Scheduler& scheduler) {
      if (is_waiting) scheduler.end_waiting(*suspended);
      is_waiting = false;
      if (done(scheduler)) return Turn{true, nullptr};
      Task* const task = scheduler.take(member.local_number, suspended);
      is_waiting = task == nullptr;
      if (is_waiting) scheduler.begin_waiting(*suspended);
      return Turn{false, task};
    });
    if (turn.is_done) break;
    if (turn.task != nullptr) {
      let_others_begin();
      execute(member, *turn.task);
      has_asked = false;
      continue;
    }
    wait_for_change(seen, has_asked);
    // What came may have been the answer, and another thread of this node may have taken it.
    if (changes_.load(std::memory_order_acquire) != seen) {
      has_asked = false;
    } else if (!has_asked) {
      has_asked = true;
      with_scheduler([&](Scheduler& scheduler) {
        quiet_phase_.ask();
        scheduler.ask(member.local_number, suspended);
      });
    }
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  collect_garbage();
}

}  // namespace weft::openmp::tasks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tasking/runtime.hpp"

#include <sched.h>

#include <cstring>
#include <memory>
#include <utility>

#include "base/assert.hpp"
#include "base/compiler_abi.h"
#include "base/futex.hpp"
#include "openmp/tasks/task_block.hpp"
#include "openmp/team/implied_flush.hpp"
#include "openmp/tools/events.hpp"
#include "openmp/tools/task_events.hpp"
#include "runtime/board/board.hpp"
#include "runtime/output/output_order.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp::tasks {
namespace {

// Never destroyed: other nodes may still send while this process ends.
TaskRuntime* runtime = nullptr;

// A thread that waits for its task's children asks other nodes for work only after a while: often
// the children are just being finished.
constexpr std::int64_t kAskAfterNanoseconds = 20'000;

struct BodyCall {
  std::int32_t gtid;
  std::uintptr_t routine;
  TaskBlock* block;
  const TaskloopShape* shape;  // of a chunk: the block is to be made from the pattern
  std::uint64_t chunk;
  bool skip, has_destructors;
  bool* has_next_part;
  tools::ToolTask* tool;
};

void call_body(void* argument) {
  const BodyCall call = *static_cast<const BodyCall*>(argument);
  if (call.tool != nullptr) call.tool->frame->exit_frame.ptr = __builtin_frame_address(0);
  if (call.shape != nullptr) fill_chunk(*call.shape, call.chunk, call.block);
  // A task may have dependences and no code: a taskwait that does not wait.
  const bool is_empty = call.skip || call.routine == 0;
  do {
    if (!is_empty) reinterpret_cast<TaskEntry>(call.routine)(call.gtid, call.block);
  } while (std::exchange(*call.has_next_part, false));
  if (call.has_destructors) call.block->destructors(call.gtid, call.block);
}

}  // namespace

TaskRuntime* task_runtime() { return runtime; }

void start_tasks(Node& node) { runtime = new TaskRuntime(node); }

TaskRuntime::TaskRuntime(Node& node)
    : node_(node),
      scheduler_(node.self()),
      quiet_phase_(node.self(), program_makes_tasks(), notices_),
      is_used_(program_makes_tasks()) {
  node.serve(Service::kTasks, [this](NodeId from, ByteView message) {
    handle(from, message);
    return Bytes();
  });
}

// --- messages ---

void TaskRuntime::handle(NodeId from, ByteView message) {
  if (message.empty()) fail_unreadable("a message about tasks", 0);
  const auto kind = static_cast<MessageKind>(message[0]);
  is_used_.store(true, std::memory_order_relaxed);
  with_scheduler([&](Scheduler& scheduler) {
    if (kind < MessageKind::kUsed) return scheduler.on_message(from, message);
    const auto notice = value_of<SchedulerNotice>(message.subspan(1));
    if (kind == MessageKind::kUsed) quiet_phase_.on_used(notice.number);
    if (kind == MessageKind::kGo) quiet_phase_.on_go(notice.number, notice.flag);
    if (kind == MessageKind::kQuiet) {
      quiet_phase_.on_quiet(from, notice.number, notice.flag);
    }
  });
}

void TaskRuntime::send_outgoing() {
  std::unique_lock guard(lock_);
  if (is_sending_) return;
  is_sending_ = true;
  while (scheduler_.has_outgoing() || !notices_.empty()) {
    auto messages = scheduler_.take_outgoing();
    auto notices = std::exchange(notices_, {});
    guard.unlock();
    send(std::move(messages), notices);
    guard.lock();
  }
  is_sending_ = false;
}

void TaskRuntime::send(std::vector<Scheduler::Outgoing> messages,
                       const std::vector<QuietPhase::Outgoing>& notices) {
  for (Scheduler::Outgoing& message : messages) {
    if (message.releases) {
      node_.post(message.to, Service::kTasks, std::move(message.bytes));
    } else {
      node_.notify(message.to, Service::kTasks, std::move(message.bytes));
    }
  }
  for (const QuietPhase::Outgoing& out : notices) {
    node_.notify(out.to, Service::kTasks, to_bytes(out.kind, out.notice));
  }
}

// --- waiting ---

// Whoever waits counts itself first, then reads the number of changes, then looks under the lock:
// so it either sees what has changed, or is seen here.
void TaskRuntime::tell_waiting() {
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  changes_.fetch_add(1, std::memory_order_seq_cst);
  node_.wake(changes_);
  const std::lock_guard guard(lock_);
  if (barrier_ != nullptr) barrier_->wake();
}

void TaskRuntime::wait_for_change(std::uint32_t seen, bool for_long) {
  const board::Purpose purpose(board::WaitKind::kTaskwait, 0);
  std::optional<std::int64_t> until;
  if (!for_long) until = now_ns() + kAskAfterNanoseconds;
  node_.wait_while(changes_, seen, until);
}

// A region begins on the thread that is awake: the others are being woken, and where they are more
// than processors, wait for the one that it has. Short tasks would all be done before anybody else
// sees them.
void TaskRuntime::let_others_begin() {
  if (unbegun_.load(std::memory_order_relaxed) > 0) sched_yield();
}

// --- regions and barriers ---

void TaskRuntime::begin_region(Team& team) {
  const std::lock_guard guard(lock_);
  scheduler_.begin_region(team.local_size, team.nodes);
  quiet_phase_.begin_region(team.nodes, team.region << 32);
  scheduler_.set_coming_barrier(quiet_phase_.coming_barrier());
  barrier_ = &team.local_barrier;
  unbegun_.store(team.local_size, std::memory_order_relaxed);
}

void TaskRuntime::end_region() {
  const std::lock_guard guard(lock_);
  barrier_ = nullptr;
}

void TaskRuntime::begin_thread(Member& member) {
  const std::lock_guard guard(lock_);
  scheduler_.begin_implicit(member.implicit_task);
  unbegun_.fetch_sub(1, std::memory_order_relaxed);
}

TaskRuntime::BarrierWork::~BarrierWork() {
  if (!is_idle_) return;
  runtime_.waiting_.fetch_sub(1, std::memory_order_relaxed);
  const std::lock_guard guard(runtime_.lock_);
  runtime_.scheduler_.end_idle();
}

bool TaskRuntime::BarrierWork::operator()() {
  if (!runtime_.is_used_.load(std::memory_order_relaxed)) return false;
  if (!is_idle_) runtime_.waiting_.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t changes = runtime_.changes_.load(std::memory_order_acquire);
  if (is_idle_ && seen_ == changes) return false;
  seen_ = changes;
  if (tools::watched()) runtime_.fulfil_for_others();
  Task* const task = runtime_.with_scheduler([&](Scheduler& scheduler) -> Task* {
    if (runtime_.quiet_phase_.coming_barrier() != barrier_) return nullptr;
    Task* const found = scheduler.take(member_.local_number, nullptr);
    if (found != nullptr) {
      if (is_idle_) scheduler.end_idle();
      is_idle_ = false;
    } else {
      if (!is_idle_) scheduler.begin_idle();
      is_idle_ = true;
      QuietPhase& phase = runtime_.quiet_phase_;
      if (phase.may_ask() && phase.expects_tasks(place_)) {
        phase.ask();
        scheduler.ask(member_.local_number, nullptr);
      }
    }
    return found;
  });
  if (task == nullptr) return false;
  runtime_.waiting_.fetch_sub(1, std::memory_order_relaxed);
  runtime_.let_others_begin();
  runtime_.execute(member_, *task);
  runtime_.collect_garbage();
  return true;
}

void TaskRuntime::settle_before_barrier(BarrierWork& work) {
  bool must_wait = with_scheduler([&](Scheduler&) { return quiet_phase_.arrive(work.place_); });
  if (!must_wait) return;
  bool is_quiet = false;
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  while (must_wait) {
    const std::uint32_t seen = changes_.load(std::memory_order_acquire);
    if (work()) continue;
    must_wait = with_scheduler([&](Scheduler& scheduler) {
      if (!is_quiet && scheduler.is_quiet()) {
        is_quiet = true;
        quiet_phase_.quiet();
      }
      return !quiet_phase_.may_pass();
    });
    if (must_wait) wait_for_change(seen, true);
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void TaskRuntime::pass_barrier() {
  with_scheduler([&](Scheduler& scheduler) {
    quiet_phase_.pass();
    scheduler.set_coming_barrier(quiet_phase_.coming_barrier());
  });
}

// --- executing ---

bool TaskRuntime::work_once(Member& member) {
  Task* const task = with_scheduler(
      [&](Scheduler& scheduler) { return scheduler.take(member.local_number, member.task); });
  if (task == nullptr) return false;
  execute(member, *task);
  collect_garbage();
  return true;
}

void TaskRuntime::execute(Member& member, Task& task) {
  Task* const suspended = member.task;
  tools::tell_begun(member, task);
  member.task = &task;
  const bool is_skipped = run_body(member, task);
  imply_flush();
  if (tools::watched()) tell_ended(member, task, is_skipped);
  member.task = suspended;
  order_output();
  with_scheduler([&](Scheduler& scheduler) { scheduler.end_body(task, member.local_number); });
}

bool TaskRuntime::run_body(Member& member, Task& task) {
  BodyCall call{.gtid = member.gtid,
                .routine = task.routine,
                .block = static_cast<TaskBlock*>(task.block),
                .shape = nullptr,
                .chunk = 0,
                .skip = false,
                .has_destructors = task.has_destructors,
                .has_next_part = &task.has_next_part,
                .tool = task.tool.get()};
  std::shared_ptr<const TaskloopShape> shape;
  {
    const std::lock_guard guard(lock_);
    call.skip = Scheduler::is_cancelled(task);
    if (task.range != nullptr) shape = task.range->shape;
  }
  if (shape != nullptr) {
    // A chunk that is skipped has no block, and nothing to destroy.
    if (call.skip) return true;
    call.shape = shape.get();
    call.chunk = task.range->first;
    call.block = allocate_block(node_, shape->block_bytes);
    task.block = call.block;
  }
  if (call.tool != nullptr && call.shape != nullptr) {
    const TaskloopChunk chunk = chunk_of(*call.shape, call.chunk);
    tools::tell_chunk(member, ompt_dispatch_taskloop_chunk, chunk.lower,
                      count_iterations(chunk.lower, chunk.upper, call.shape->step));
  }
  const board::Working working;
  call_on_program_stack(call_body, &call);
  return call.skip;
}

void TaskRuntime::tell_ended(Member& member, Task& task, bool is_skipped) {
  if (task.tool == nullptr) return;
  if (is_skipped) tools::tell_discarded(member);
  bool is_detached = false, is_cancelled = false;
  {
    const std::lock_guard guard(lock_);
    is_detached = task.is_detached = task.event_pending && !task.event_is_told;
    is_cancelled = Scheduler::is_cancelled(task);
  }
  const ompt_task_status_t status = is_cancelled  ? ompt_task_cancel
                                    : is_detached ? ompt_task_detach
                                                  : ompt_task_complete;
  tools::tell_ended(member, task, status);
}

void TaskRuntime::fulfil(Number event) {
  if (tools::watched()) tell_fulfilled(event);
  order_output();
  with_scheduler([&](Scheduler& scheduler) { scheduler.fulfil(event); });
}

// The task is there for as long as its event is not fulfilled.
void TaskRuntime::tell_fulfilled(Number event) {
  Task* task = nullptr;
  {
    const std::lock_guard guard(lock_);
    task = scheduler_.task_of_event(event);
    if (task == nullptr || std::exchange(task->event_is_told, true)) return;
  }
  tools::tell_fulfilled(*task);
}

void TaskRuntime::fulfil_for_others() {
  std::vector<Number> events;
  {
    const std::lock_guard guard(lock_);
    events = scheduler_.take_fulfilled_elsewhere();
  }
  for (const Number event : events) fulfil(event);
}

void TaskRuntime::collect_garbage() {
  std::vector<void*> blocks;
  {
    const std::lock_guard guard(lock_);
    if (!scheduler_.has_garbage()) return;
    blocks = scheduler_.take_garbage();
  }
  for (void* block : blocks) free_block(static_cast<TaskBlock*>(block));
}

}  // namespace weft::openmp::tasks

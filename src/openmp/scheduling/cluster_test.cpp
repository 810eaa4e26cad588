// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of tasks on simulated nodes: schedulers and quiet phases, joined by a network
// that delays what it likes, with threads that are played step by step. Every task must run once,
// after what it depends on, with its parent's waits ending when they should; nobody may wait for
// ever; and no node may enter a barrier while one of its own tasks is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/numbers/random.hpp"
#include "openmp/scheduling/quiet_phase.hpp"
#include "openmp/scheduling/scheduler.hpp"
#include "openmp/testing/random_program.hpp"

namespace weft::openmp::tasks {
namespace {

class Cluster {
 public:
  Cluster(std::uint64_t seed, unsigned nodes, unsigned threads) : random_(seed), threads_(threads) {
    // Nodes usually guess alike whether tasks are expected, but need not.
    const bool alike = random_.below(2) == 0, expect = random_.below(2) == 0;
    for (NodeId n; n.value() < nodes; ++n) {
      nodes_.push_back(std::make_unique<Node>(n, alike ? expect : random_.below(2) == 0));
    }
  }

  void run(unsigned barriers) {
    for (unsigned n = 0; n < nodes_.size(); ++n) {
      Node& node = *nodes_[n];
      node.scheduler.begin_region(threads_, static_cast<unsigned>(nodes_.size()));
      node.phase.begin_region(static_cast<unsigned>(nodes_.size()), kFirstBarrier);
      node.scheduler.set_coming_barrier(kFirstBarrier);
      node.threads.resize(threads_);
      for (Thread& thread : node.threads) node.scheduler.begin_implicit(thread.implicit);
    }
    for (unsigned b = 0; b < barriers && !testing::Test::HasFailure(); ++b) run_to_barrier(b);
  }

  std::uint64_t given = 0;

 private:
  static constexpr std::uint64_t kFirstBarrier = std::uint64_t{1} << 32;
  struct Frame {
    Task* task;
    Script* script;  // null in a chunk of a loop
    std::size_t step = 0;
    DependenceNodePointer wait = nullptr;
    std::vector<Script*> group = {};  // bottom of stack of begun groups: children since
  };
  struct Thread {
    Task implicit;
    std::vector<Frame> stack;
    bool arrived = false, idle = false;
  };
  struct Node {
    Node(NodeId self, bool expect) : scheduler(self), phase(self, expect, notices) {}
    std::vector<QuietPhase::Outgoing> notices;
    Scheduler scheduler;
    QuietPhase phase;
    std::vector<Thread> threads;
    bool decided = false, has_phase = false, told_quiet = false, entered = false;
  };
  struct Channel {
    std::deque<Bytes> messages;
  };

  void run_to_barrier(unsigned number) {
    Program program(random_, static_cast<unsigned>(nodes_.size()) * threads_);
    for (unsigned n = 0; n < nodes_.size(); ++n) {
      Node& node = *nodes_[n];
      node.decided = node.told_quiet = node.entered = false;
      for (unsigned t = 0; t < threads_; ++t) {
        Thread& thread = node.threads[t];
        thread.arrived = thread.idle = false;
        Script& script = program.implicit(n * threads_ + t);
        script.starts = 1;
        thread.stack.assign(1, Frame{.task = &thread.implicit, .script = &script});
      }
    }
    place_ = number % 3 + 1;
    std::uint64_t stuck = 0;
    while (!all_entered()) {
      stuck = act() ? 0 : stuck + 1;
      ASSERT_LT(stuck, 20'000U) << "nobody can go on";
      if (testing::Test::HasFatalFailure()) return;
    }
    for (Script& script : program.scripts) {
      ASSERT_EQ(script.starts, 1) << "a task ran " << script.starts << " times";
      ASSERT_EQ(script.subtree, 0U);
    }
    for (auto& node : nodes_) {
      ASSERT_TRUE(node->scheduler.is_quiet());
      node->phase.pass();
      node->scheduler.set_coming_barrier(node->phase.coming_barrier());
    }
  }

  [[nodiscard]] bool all_entered() const {
    return std::ranges::all_of(nodes_, [](const auto& node) { return node->entered; });
  }

  // One random step of somebody. False if there was none to make.
  bool act() {
    if (random_.below(3) == 0) return deliver();
    Node& node = *nodes_[random_.below(nodes_.size())];
    const auto t = static_cast<unsigned>(random_.below(threads_));
    const bool done = step(node, node.threads[t], t);
    flush(node);
    return done;
  }

  bool deliver() {
    if (channels_.empty()) return false;
    auto chosen = channels_.begin();
    std::advance(chosen, random_.below(channels_.size()));
    const auto [from, to, posts] = chosen->first;
    const Bytes message = std::move(chosen->second.messages.front());
    chosen->second.messages.pop_front();
    if (chosen->second.messages.empty()) channels_.erase(chosen);
    Node& node = *nodes_[to.value()];
    const auto kind = static_cast<MessageKind>(message[0]);
    if (kind < MessageKind::kUsed) {
      node.scheduler.on_message(from, message);
    } else {
      const auto notice = value_of<SchedulerNotice>(ByteView(message).subspan(1));
      if (kind == MessageKind::kUsed) node.phase.on_used(notice.number);
      if (kind == MessageKind::kQuiet) node.phase.on_quiet(from, notice.number, notice.flag);
      if (kind == MessageKind::kGo) node.phase.on_go(notice.number, notice.flag);
    }
    flush(node);
    return true;
  }

  void flush(Node& node) {
    const NodeId self(static_cast<NodeId::representation>(index_of(node)));
    for (auto& out : node.scheduler.take_outgoing()) {
      if (out.bytes[0] == std::byte{static_cast<std::uint8_t>(MessageKind::kGive)}) ++given;
      channels_[{self, out.to, out.releases}].messages.push_back(std::move(out.bytes));
    }
    for (auto& out : node.notices) {
      channels_[{self, out.to, false}].messages.push_back(to_bytes(out.kind, out.notice));
    }
    node.notices.clear();
    (void)node.scheduler.take_garbage();
  }

  [[nodiscard]] unsigned index_of(const Node& node) const {
    for (unsigned n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].get() == &node) return n;
    }
    return 0;
  }

  bool step(Node& node, Thread& thread, unsigned number) {
    if (node.entered) return false;
    if (thread.stack.size() == 1 && at_end(thread.stack.back()))
      return wait_at_barrier(node, thread, number);
    Frame& frame = thread.stack.back();
    if (at_end(frame)) {
      end_frame(node, thread, number);
      return true;
    }
    const Step& next = frame.script->steps[frame.step];
    if (next.kind == StepKind::kWaitFor && frame.wait == nullptr) {
      frame.wait = node.scheduler.wait_for(*frame.task, next.dependences);
    }
    if (!may_go_on(frame, next)) return work(node, thread, number, frame.task);
    ++frame.step;
    execute(node, thread, number, frame, next);
    return true;
  }

  static bool at_end(const Frame& frame) {
    return frame.script == nullptr || frame.step == frame.script->steps.size();
  }

  // Waits end when the scheduler says so; and then all that was waited for must have ended.
  static bool may_go_on(Frame& frame, const Step& next) {
    switch (next.kind) {
      case StepKind::kWait: {
        if (frame.task->incomplete_children > 0) return false;
        Scheduler::forget_children(*frame.task);
        for (std::size_t i = 0; i < frame.step; ++i) {
          const Script* child = frame.script->steps[i].child;
          if (child != nullptr && child != frame.script) EXPECT_TRUE(child->ended);
        }
        return true;
      }
      case StepKind::kEndGroup: {
        if (!Scheduler::group_ended(*frame.task)) return false;
        unsigned depth = 1;
        for (std::size_t i = frame.step; i-- > 0 && depth > 0;) {
          const Step& step = frame.script->steps[i];
          if (step.kind == StepKind::kEndGroup) ++depth;
          if (step.kind == StepKind::kBeginGroup) --depth;
          const bool is_child = step.kind == StepKind::kCreate || step.kind == StepKind::kIncluded;
          if (is_child && depth > 0) EXPECT_EQ(step.child->subtree, 0U);
        }
        return true;
      }
      case StepKind::kWaitFor: {
        if (frame.wait->predecessors > 0) return false;
        for (std::size_t i = 0; i < frame.step; ++i) {
          const Step& step = frame.script->steps[i];
          const bool is_named = step.kind == StepKind::kCreate && !step.dependences.empty() &&
                                step.dependences[0].address == next.dependences[0].address;
          if (is_named) EXPECT_TRUE(step.child->ended);
        }
        return true;
      }
      default:
        return true;
    }
  }

  void execute(Node& node, Thread& thread, unsigned number, Frame& frame, const Step& next) {
    Scheduler& scheduler = node.scheduler;
    node.phase.use();
    switch (next.kind) {
      case StepKind::kCreate:
      case StepKind::kIncluded: {
        Task& task = scheduler.create(*frame.task);
        task.block = next.child;
        task.tied = next.child->tied;
        task.priority = next.child->priority;
        count_subtree(*next.child);
        if (next.child->detached) next.child->event = scheduler.make_event(task);
        if (next.kind == StepKind::kIncluded) {
          scheduler.begin_now(task);
          push(thread, task);
        } else {
          scheduler.submit(task, number, next.dependences);
        }
        break;
      }
      case StepKind::kLoop: {
        Task& pattern = scheduler.create(*frame.task);
        pattern.has_destructors = next.chunks % 2 == 0;
        TaskloopShape shape;
        shape.pattern = reinterpret_cast<std::uintptr_t>(frame.script);
        shape.lower = frame.step;
        shape.chunks = next.chunks;
        frame.script->subtree += next.chunks;
        for (Script* s = frame.script->parent; s != nullptr; s = s->parent)
          s->subtree += next.chunks;
        scheduler.submit_loop(pattern, number, shape);
        break;
      }
      case StepKind::kBeginGroup:
        scheduler.begin_group(*frame.task);
        break;
      case StepKind::kEndGroup:
        scheduler.end_group(*frame.task);
        break;
      case StepKind::kFulfil:
        scheduler.fulfil(next.child->event);
        break;
      case StepKind::kWait:
        break;
      case StepKind::kWaitFor:
        scheduler.end_wait(*frame.task, *frame.wait);
        frame.wait = nullptr;
        break;
    }
  }

  static void count_subtree(Script& child) {
    for (Script* s = child.parent; s != nullptr; s = s->parent) ++s->subtree;
  }
  static void uncount_subtree(Script* script) {
    for (Script* s = script; s != nullptr; s = s->parent) --s->subtree;
  }

  void push(Thread& thread, Task& task) {
    auto* script = static_cast<Script*>(task.block);
    ++script->starts;
    ++script->running;
    for (const Script* other : script->before) EXPECT_TRUE(other->ended) << "too early";
    for (const Script* other : script->exclusive) EXPECT_EQ(other->running, 0) << "not alone";
    thread.stack.push_back(Frame{.task = &task, .script = script});
  }

  void end_frame(Node& node, Thread& thread, unsigned number) {
    const Frame frame = std::move(thread.stack.back());
    thread.stack.pop_back();
    if (frame.script != nullptr) {
      frame.script->ended = true;
      --frame.script->running;
      uncount_subtree(frame.script);
      frame.task->block = nullptr;
    }
    node.scheduler.end_body(*frame.task, number);
  }

  bool work(Node& node, Thread& thread, unsigned number, Task* waiting) {
    Task* task = node.scheduler.take(number, waiting);
    if (task == nullptr) {
      if (random_.below(4) == 0) {
        node.scheduler.ask(number, waiting);
        node.phase.ask();
      }
      return false;
    }
    if (thread.idle) {
      thread.idle = false;
      node.scheduler.end_idle();
    }
    if (task->range == nullptr && task->cancelled) {  // a pattern's end
      node.scheduler.end_body(*task, number);
    } else if (task->range != nullptr) {
      auto* script = reinterpret_cast<Script*>(task->range->shape->pattern);
      const std::uint64_t chunk = task->range->shape->lower * 1000 + task->range->first;
      EXPECT_EQ(task->range->count, 1U);
      EXPECT_EQ(++script->chunks[chunk], 1) << "a chunk ran twice";
      uncount_subtree(script);
      thread.stack.push_back(Frame{.task = task, .script = nullptr});
    } else {
      push(thread, *task);
    }
    return true;
  }

  bool wait_at_barrier(Node& node, Thread& thread, unsigned number) {
    if (!thread.arrived) {
      thread.arrived = true;
      Script* script = thread.stack.back().script;
      script->ended = true;
      uncount_subtree(script);
      return true;
    }
    const bool all = std::ranges::all_of(node.threads, [](const Thread& t) { return t.arrived; });
    if (!node.decided && !all && !node.phase.expects_tasks(place()))
      return work_without_asking(node, thread, number);
    if (!all) return idle_work(node, thread, number);
    if (!node.decided) {
      node.decided = true;
      node.has_phase = node.phase.arrive(place());
      return true;
    }
    if (node.phase.may_pass()) {
      EXPECT_TRUE(node.scheduler.is_quiet()) << "in a barrier with tasks left";
      for (Thread& t : node.threads) {
        EXPECT_EQ(t.stack.size(), 1U) << "in a barrier while a task runs";
        if (t.idle) node.scheduler.end_idle();
        t.idle = false;
      }
      node.entered = true;
      return true;
    }
    if (!node.told_quiet && node.scheduler.is_quiet()) {
      node.told_quiet = true;
      node.phase.quiet();
      return true;
    }
    return idle_work(node, thread, number);
  }

  bool idle_work(Node& node, Thread& thread, unsigned number) {
    if (!thread.idle) {
      thread.idle = true;
      node.scheduler.begin_idle();
    }
    return work(node, thread, number, nullptr);
  }
  bool work_without_asking(Node& node, Thread& thread, unsigned number) {
    if (node.scheduler.ready() == 0) return false;
    return work(node, thread, number, nullptr);
  }

  [[nodiscard]] std::uintptr_t place() const { return place_; }

  Random random_;
  const unsigned threads_;
  std::uintptr_t place_ = 1;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::tuple<NodeId, NodeId, bool>, Channel> channels_;
};

TEST(TasksOnACluster, RandomProgramsEndAndRunEveryTaskOnce) {
  std::uint64_t given = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const auto nodes = static_cast<unsigned>(2 + seed % 5),
               threads = static_cast<unsigned>(1 + seed / 5 % 3);
    Cluster cluster(seed, nodes, threads);
    cluster.run(5);
    given += cluster.given;
    if (HasFailure()) return;
  }
  EXPECT_GT(given, 1000U);
}

}  // namespace
}  // namespace weft::openmp::tasks

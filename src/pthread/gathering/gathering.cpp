// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/gathering/gathering.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>

#include "base/signal_safe_mutex.hpp"
#include "libc/interposition/hooks.hpp"
#include "pthread/gathering/gathering_choice.hpp"
#include "pthread/gathering/gathering_messages.hpp"
#include "pthread/gathering/own_time.hpp"
#include "pthread/load/presence.hpp"
#include "pthread/load/stay.hpp"
#include "pthread/moving/moving.hpp"
#include "pthread/moving/occasion.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/placing.hpp"
#include "pthread/threads/processors.hpp"
#include "pthread/waiting/parking.hpp"
#include "runtime/interface/job_processors.hpp"
#include "runtime/interface/move_counts.hpp"
#include "runtime/interface/move_points.hpp"
#include "runtime/interface/rest_order.hpp"
#include "runtime/interface/spreading.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

using Time = GatheringChoice::Time;

constexpr NodeId kChooser = NodeId(0);
// Between looks at the time that a thread has spent, and between what a node says of it.
constexpr Time kBetweenLooks = 10'000'000, kBetweenComplaints = 20'000'000;
constexpr Time kBetweenRandomLooks = 200'000;
constexpr unsigned kPointsBetweenTrials = 64;  // whether the data fit, and the like

// What the threads of a node have done since it was asked last.
class Account {
 public:
  explicit Account(unsigned processors) : processors_(processors) {}

  void add(const TimeSpent& spent, bool is_first) {
    const std::lock_guard guard(lock_);
    sum_.computed += spent.computed;
    sum_.lost += spent.lost;
    if (is_first) ++reporters_;
  }
  // `length`: since then. Threads that run and have not come to a point compute, when it is their
  // turn.
  [[nodiscard]] TimeSpent close(Time length) {
    const std::lock_guard guard(lock_);
    const unsigned running = running_threads();
    if (running > reporters_) {
      sum_.computed += (running - reporters_) * length * std::min(running, processors_) / running;
    }
    sum_.computed = std::min(sum_.computed, processors_ * length);
    reporters_ = 0;
    return std::exchange(sum_, {});
  }

 private:
  const unsigned processors_;
  SignalSafeMutex lock_;
  TimeSpent sum_;
  unsigned reporters_ = 0;
};

// Of node 0. Nothing blocks under the lock, and nothing is sent.
struct Chooser {
  explicit Chooser(const GatheringChoice::Surroundings& surroundings) : choice(surroundings) {}

  SignalSafeMutex lock;
  GatheringChoice choice;
  unsigned awaited = 0;  // answers
  std::uint64_t decisions = 0;
  GatheringChoice::Sums sums;
};

unsigned count_of(const cpu_set_t& processors) {
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&processors)));
}

struct Gathering {
  explicit Gathering(Node& own_node) : node(own_node), account(count_of(processors_of(0))) {}

  Node& node;
  Account account;
  std::atomic<std::uint32_t> round{1};  // changes when the node has been asked
  std::atomic<Time> asked_ns{0}, complained_ns{0};
  SignalSafeMutex lock;
  std::uint64_t decision = 0;             // the last that has come, under the lock
  std::atomic<bool> are_together{false};  // since then
  std::optional<Chooser> chooser;         // on node 0
};
Gathering* gathering = nullptr;  // never destroyed: threads live as long as the process

// Of the thread that is here.
struct Own {
  OwnTime time;
  std::uint32_t round = 0;  // in which it has reported last
  unsigned points_to_trial = 0;
  bool is_gathered = false;  // on node 0: it is here while threads are together
};
constinit thread_local Own own;

bool is_random() { return spread_policy == SpreadPolicy::kRandom; }
bool is_chooser() { return gathering->node.self() == kChooser; }

void tell_all(const GatheringMessage& message);

// Sent to all nodes, if there is something.
using News = std::optional<GatheringMessage>;

News on_loss(Time now) {
  Chooser& chooser = *gathering->chooser;
  const std::lock_guard guard(chooser.lock);
  if (chooser.awaited > 0 || !chooser.choice.is_round_over(now)) return std::nullopt;
  chooser.sums = {.length = chooser.choice.begin_round(now)};
  chooser.awaited = gathering->node.node_count();
  return GatheringMessage{.what = GatheringMessage::kAsks};
}

News on_answer(const GatheringMessage& answer, Time now) {
  Chooser& chooser = *gathering->chooser;
  const std::lock_guard guard(chooser.lock);
  chooser.sums.computed += answer.computed;
  chooser.sums.lost += answer.lost;
  if (--chooser.awaited > 0 || !chooser.choice.judge(chooser.sums, now)) return std::nullopt;
  return GatheringMessage{.what = GatheringMessage::kTogether, .decision = ++chooser.decisions};
}

GatheringMessage tell_of_round() {
  const Time now = now_ns();
  const Time length = now - gathering->asked_ns.exchange(now);
  const TimeSpent spent = gathering->account.close(length);
  gathering->round.fetch_add(1);
  return {.what = GatheringMessage::kTells, .computed = spent.computed, .lost = spent.lost};
}

void tell_chooser(const GatheringMessage& message) {
  if (!is_chooser()) {
    return gathering->node.notify(kChooser, Service::kGathering, to_bytes(message));
  }
  const Time now = now_ns();
  const News news =
      message.what == GatheringMessage::kLoses ? on_loss(now) : on_answer(message, now);
  if (news) tell_all(*news);
}

void follow(const GatheringMessage& message) {
  const std::lock_guard guard(gathering->lock);
  if (message.decision <= gathering->decision) return;
  gathering->decision = message.decision;
  const bool together = message.what == GatheringMessage::kTogether;
  if (is_chooser()) gather_new_threads(together);
  gathering->are_together.store(together);
}

// By a handler, under the node's lock, or by who has told all.
void on_message(const GatheringMessage& message) {
  switch (message.what) {
    case GatheringMessage::kLoses:
    case GatheringMessage::kTells:
      return tell_chooser(message);
    case GatheringMessage::kAsks:
      return tell_chooser(tell_of_round());
    case GatheringMessage::kTogether:
    case GatheringMessage::kApart:
      return follow(message);
  }
}

void tell_all(const GatheringMessage& message) {
  for (NodeId node(0); node.value() < gathering->node.node_count(); ++node) {
    if (node != kChooser) gathering->node.notify(node, Service::kGathering, to_bytes(message));
  }
  on_message(message);
}

void complain() {
  const Time now = now_ns();
  Time last = gathering->complained_ns.load();
  if (now - last < kBetweenComplaints && !is_random()) return;
  if (!gathering->complained_ns.compare_exchange_strong(last, now)) return;
  on_runtime_stack([] { tell_chooser({.what = GatheringMessage::kLoses}); });
}

bool is_alone() {
  if (!gathering->node.enter_alone()) return false;
  gathering->node.leave_alone();
  return true;
}

// Until the others may have threads again, node 0 is alone.
void bring_others_to_rest() {
  const Publishing publishing(Publishing::How::kTry);
  if (!publishing) return;
  const bool as_before = do_others_rest();
  if (!begin_rest()) return;
  order_rest(gathering->node, {as_before ? RestOrder::kNoneAsBefore : RestOrder::kNoneAnyMore});
  if (!is_alone()) gathering->node.await_alone();
}

// By who is Publishing.
void let_others_have_threads() {
  if (!do_others_rest()) return;
  order_rest(gathering->node, {RestOrder::kMayComeAgain});
  end_rest();
}

News choose_to_part() {
  Chooser& chooser = *gathering->chooser;
  const std::lock_guard guard(chooser.lock);
  const Time now = now_ns();
  if (!chooser.choice.may_part(now) || !chooser.choice.part(now, threads_with_work())) {
    return std::nullopt;
  }
  return GatheringMessage{.what = GatheringMessage::kApart, .decision = ++chooser.decisions};
}

// A thread goes there from here: to end, which runs the program, or as threads part. From before it
// leaves until after it has arrived it is expected there, so that no order to rest overtakes it.
bool let_node_have_a_thread(NodeId node) {
  if (!is_chooser()) return false;
  const Publishing publishing(Publishing::How::kWait);
  expect_thread(node);
  let_others_have_threads();
  return true;
}

// By a worker: a thread that sleeps at another node is to be woken.
void wake_node() {
  const Publishing publishing(Publishing::How::kWait);
  if (do_others_rest()) ++move_counts.rests_ended;
  let_others_have_threads();
}

constexpr SleeperCount kSleepers = {
    .falls_asleep = count_asleep, .may_wake = may_wake, .end_rest = wake_node};

void part() {
  const Publishing publishing(Publishing::How::kTry);
  if (!publishing) return;
  const News news = choose_to_part();
  if (!news) return;
  let_others_have_threads();
  tell_all(*news);
}

// On node 0, now and then while threads are together.
void look_after_gathered_threads() {
  on_runtime_stack([] {
    if (!is_alone()) bring_others_to_rest();
    part();
  });
}

void account_for_time() {
  const std::optional<TimeSpent> spent =
      own.time.pass_point(is_random() ? kBetweenRandomLooks : kBetweenLooks);
  if (!spent) return;
  const std::uint32_t round = gathering->round.load();
  gathering->account.add(*spent, std::exchange(own.round, round) != round);
  if (gathering->are_together) {
    if (is_chooser()) look_after_gathered_threads();
    return;
  }
  if (spent->has_lost_a_tenth() || is_random()) complain();
}

// On node 0 the processors of this host's other nodes are idle.
void use_all_processors() {
  if (!std::exchange(own.is_gathered, true)) use_processors_of_job();
}

// A thread may hold a lock at most of its points. Each at which it holds none is looked at.
bool may_move_now() {
  if (!may_be_moved_now() || own_stay.is_for_good) return false;
  if (own.points_to_trial > 0) return --own.points_to_trial, false;
  own.points_to_trial = is_random() ? 0 : kPointsBetweenTrials;
  return !is_bound_by_program() &&
         on_runtime_stack([] { return gathering->node.could_hold_everything(); });
}

void go_to(NodeId node, NodeId gathered_from) {
  const NodeId before = std::exchange(own_stay.gathered_from, gathered_from);
  if (!move_to(node)) {
    own_stay.gathered_from = before;
    return;
  }
  own = {};
  ++move_counts.gathered;
}

// Back to where it was; one that has begun here goes where there are fewest.
void part_from_others() {
  NodeId node = own_stay.gathered_from;
  if (node == kNoNode) node = on_runtime_stack([] { return emptier_node(); });
  if (node == kNoNode) own.is_gathered = false;
  if (node != kNoNode && may_move_now()) go_to(node, kNoNode);
}

void move_if_needed() {
  const bool together = gathering->are_together.load(std::memory_order_relaxed);
  if (is_chooser()) {
    if (together) return use_all_processors();
    if (own.is_gathered || own_stay.gathered_from != kNoNode) part_from_others();
  } else if (together && may_move_now()) {
    go_to(kChooser, gathering->node.self());
  }
}

void act() {
  if (!is_on_own_program_stack() || libc::in_forked_child || is_in_signal_handler()) return;
  const int error = errno;
  account_for_time();
  if (own_carrier() != nullptr) move_if_needed();
  errno = error;
}

GatheringChoice::Surroundings surroundings(const Node& node) {
  const bool has_all = node.is_on_one_host() && node.memory_limit() == 0;
  return {.processors = count_of(has_all ? processors_of_job_here() : processors_of(0)),
          .has_all_processors = has_all,
          .random = is_random() ? std::optional(RandomSpread(node.node_count())) : std::nullopt};
}

}  // namespace

void start_gathering(Node& node) {
  if (!threads_are_gathered) return;
  gathering = new Gathering(node);
  if (is_chooser()) gathering->chooser.emplace(surroundings(node));
  board::measure_time();
  start_presence();
  if (is_chooser()) note_presence();
  node.serve(Service::kGathering, [](NodeId, ByteView message) {
    on_message(value_of<GatheringMessage>(message));
    return Bytes();
  });
  at_move_point = act;
  before_leaving = let_node_have_a_thread;
  if (sleep_ends_by_wakes) counted_sleepers = &kSleepers;
}

}  // namespace weft::pthread

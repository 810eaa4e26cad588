// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/watch/deadlock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/locks/lock_ids.hpp"
#include "weft/watch/deadlock_watch.hpp"

namespace weft {
namespace {

using board::ThreadSnapshot;
using board::WaitKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::uint64_t lock_number(LockKind kind, std::uint64_t address) {
  return address << kLockKindBits | static_cast<std::uint64_t>(kind);
}

ThreadSnapshot waiting(std::int64_t number, WaitKind kind, std::uint64_t object = 0,
                       std::uint64_t place = 0) {
  ThreadSnapshot thread;
  thread.thread = 100 + static_cast<std::uint32_t>(number);
  thread.number = number;
  thread.is_waiting = true;
  thread.kind = kind;
  thread.object = object;
  thread.place = place;
  return thread;
}

NodeView still(unsigned node, std::vector<ThreadSnapshot> threads) {
  NodeView view;
  view.node = node;
  view.shown.emplace();
  view.shown->node = node;
  view.shown->counters.resize(board::kCounterCount);
  view.shown->threads = std::move(threads);
  view.standstill.emplace();
  view.standstill->fingerprint = 10 + node;
  return view;
}

std::vector<NodeView> two_that_stand() {
  return {still(0, {waiting(0, WaitKind::kBarrier)}), still(1, {waiting(1, WaitKind::kBarrier)})};
}

// --- whether ---

TEST(DeadlockFinder, ThreeEqualLooksAreNeeded) {
  DeadlockFinder finder;
  EXPECT_FALSE(finder.on_look(two_that_stand()));
  EXPECT_FALSE(finder.on_look(two_that_stand()));
  EXPECT_TRUE(finder.on_look(two_that_stand()));
  EXPECT_TRUE(finder.is_stuck());
  EXPECT_FALSE(finder.on_look(two_that_stand())) << "it was said already";
  EXPECT_FALSE(finder.take_movement());
}

TEST(DeadlockFinder, AThreadThatWentOnBeginsTheRowAnew) {
  DeadlockFinder finder;
  auto nodes = two_that_stand();
  for (int look = 0; look < 20; ++look) {
    if (look % 2 == 0) ++nodes[1].standstill->fingerprint;
    EXPECT_FALSE(finder.on_look(nodes)) << look;
  }
  EXPECT_FALSE(finder.take_movement()) << "nothing was said that would have to be taken back";
}

TEST(DeadlockFinder, TellsOnceThatAStuckJobGoesOn) {
  DeadlockFinder finder;
  for (int look = 0; look < 3; ++look) (void)finder.on_look(two_that_stand());
  auto nodes = two_that_stand();
  nodes[0].standstill.reset();
  EXPECT_FALSE(finder.on_look(nodes));
  EXPECT_TRUE(finder.take_movement());
  EXPECT_FALSE(finder.take_movement());
}

TEST(DeadlockFinder, AnAnswerThatDoesNotComeIsNoMovement) {
  DeadlockFinder finder;
  for (int look = 0; look < 3; ++look) (void)finder.on_look(two_that_stand());
  EXPECT_FALSE(finder.on_look({}));
  EXPECT_FALSE(finder.take_movement());
  EXPECT_FALSE(finder.is_stuck());
}

void expect_never_stuck(const std::vector<NodeView>& nodes) {
  DeadlockFinder finder;
  for (int look = 0; look < 10; ++look) EXPECT_FALSE(finder.on_look(nodes));
}

TEST(DeadlockFinder, ANodeThatMovesOrIsNotThereIsEnough) {
  auto nodes = two_that_stand();
  nodes[1].standstill.reset();
  expect_never_stuck(nodes);
  nodes = two_that_stand();
  nodes[0].shown.reset();
  expect_never_stuck(nodes);
  expect_never_stuck({});
}

TEST(DeadlockFinder, AMessageUnderWayIsEnough) {
  auto nodes = two_that_stand();
  nodes[0].shown->messages_sent = 8;
  nodes[1].shown->messages_received = 7;
  expect_never_stuck(nodes);
  nodes[1].shown->messages_received = 8;
  EXPECT_TRUE(all_stand_still(nodes));
}

TEST(DeadlockFinder, AHandlerMayPostASemaphoreButNotGiveUpALock) {
  auto nodes = two_that_stand();
  nodes[1].standstill->handles_signals = true;
  EXPECT_TRUE(all_stand_still(nodes));
  for (const WaitKind kind : {WaitKind::kSemaphore, WaitKind::kFutex}) {
    nodes[0].shown->threads[0].kind = kind;
    expect_never_stuck(nodes);
  }
  nodes[1].standstill->handles_signals = false;
  EXPECT_TRUE(all_stand_still(nodes));
}

// --- the report ---

const std::vector<std::string> kNoHosts(2);

TEST(DeadlockReport, NamesHoldersAndTheCircle) {
  const std::uint64_t x = lock_number(LockKind::kLock, 0x1000);
  const std::uint64_t y = lock_number(LockKind::kMutex, 0x2000);
  auto nodes = std::vector{still(0, {waiting(0, WaitKind::kLock, y, 0x10)}),
                           still(1, {waiting(3, WaitKind::kLock, x, 0x20)})};
  nodes[0].shown->threads[0].held = {{x, 0x11, 0}};
  nodes[1].shown->threads[0].held = {{y, 0x21, 0}};
  nodes[0].texts = {{0x10, "heat.c:31"}, {0x11, "heat.c:30"}, {0x2000, "y"}};
  nodes[1].texts = {{0x20, "heat.c:41"}, {0x21, "heat.c:40"}};
  EXPECT_THAT(
      deadlock_report(nodes, kNoHosts),
      ElementsAre("thread 0 of node 0 waits for the mutex `y` at heat.c:31; held by thread 3 of "
                  "node 1, which took it at heat.c:40",
                  "thread 3 of node 1 waits for the lock 0x1000 at heat.c:41; held by thread 0 of "
                  "node 0, which took it at heat.c:30",
                  "in a circle: thread 0 of node 0 waits for thread 3 of node 1, which waits for "
                  "thread 0 of node 0"));
}

TEST(DeadlockReport, SaysWhereAThreadWaitsForItself) {
  const std::uint64_t lock = lock_number(LockKind::kMutex, 0x1000);
  auto nodes = std::vector{still(0, {waiting(-1, WaitKind::kLock, lock)})};
  nodes[0].shown->threads[0].thread = 4711;
  nodes[0].shown->threads[0].address = 0x9abc;
  nodes[0].shown->threads[0].held = {{lock, 0, 0x8}};
  nodes[0].texts = {{0x8, "a.c:5"}};
  EXPECT_THAT(deadlock_report(nodes, {"b"}),
              ElementsAre("thread (tid 4711) of node 0 (b) waits for the mutex 0x1000 at 0x9abc; "
                          "it holds that already, taken at a.c:5"));
}

TEST(DeadlockReport, PutsEqualWaitsOfANodeIntoOneLine) {
  auto nodes = std::vector{
      still(0, {waiting(0, WaitKind::kBarrier, 0, 0x10), waiting(1, WaitKind::kBarrier, 0, 0x10),
                waiting(2, WaitKind::kTaskwait, 0, 0x20)})};
  nodes[0].texts = {{0x10, "a.c:7"}};
  EXPECT_THAT(deadlock_report(nodes, {""}),
              ElementsAre("thread 0, thread 1 of node 0 wait for a barrier at a.c:7",
                          "thread 2 of node 0 waits for tasks"));
}

TEST(DeadlockReport, NamesCriticalRegions) {
  const std::uint64_t named = lock_number(LockKind::kCritical, 0x1000);
  const std::uint64_t unnamed = lock_number(LockKind::kCritical, 0x2000);
  auto nodes = std::vector{
      still(0, {waiting(0, WaitKind::kLock, named), waiting(1, WaitKind::kLock, unnamed)})};
  nodes[0].texts = {{0x1000, ".gomp_critical_user_sum.var"}, {0x2000, ".gomp_critical_user_.var"}};
  EXPECT_THAT(deadlock_report(nodes, {""}),
              ElementsAre(HasSubstr("for the critical region `sum`;"),
                          HasSubstr("for the critical region without a name;")));
}

TEST(DeadlockReport, CountsThreadsThatSleepOutsideOfWeft) {
  auto nodes = std::vector{still(0, {waiting(0, WaitKind::kBarrier), waiting(1, WaitKind::kNone)})};
  nodes[0].shown->threads[1].is_waiting = false;
  nodes[0].standstill->others = {101, 999};
  EXPECT_THAT(deadlock_report(nodes, {""}),
              ElementsAre("thread 0 of node 0 waits for a barrier",
                          "a thread of node 0 sleeps outside of Weft, until another thread wakes "
                          "it"));
}

// --- the looks ---

// Two hosts with a node each.
struct Hosts {
  std::vector<ViewQuestion> asked;
  DeadlockWatch watch{2, [this](const ViewQuestion& question) { asked.push_back(question); }};

  void answer(unsigned node, std::uint64_t number) {
    watch.on_views(
        {.asker = ViewAsker::kDeadlock, .number = number, .nodes = {two_that_stand()[node]}});
  }
  void look_and_answer() {
    watch.look();
    for (const unsigned node : {1, 0}) answer(node, asked.back().number);
  }
};

TEST(DeadlockWatch, AsksForWordsOnceTheJobIsStuck) {
  Hosts hosts;
  for (unsigned look = 0; look < DeadlockFinder::kLooks; ++look) {
    EXPECT_FALSE(hosts.watch.take_finding().has_value());
    hosts.look_and_answer();
    EXPECT_FALSE(hosts.asked[look].texts);
  }
  ASSERT_EQ(hosts.asked.size(), DeadlockFinder::kLooks + 1);
  EXPECT_TRUE(hosts.asked.back().texts);
  for (const unsigned node : {0, 1}) hosts.answer(node, hosts.asked.back().number);
  const auto finding = hosts.watch.take_finding();
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->at(1).node, 1U);
  hosts.look_and_answer();
  EXPECT_FALSE(hosts.watch.take_finding().has_value());
}

TEST(DeadlockWatch, AHostThatDoesNotAnswerKeepsTheJobFromCountingAsStuck) {
  Hosts hosts;
  for (unsigned look = 0; look < 10; ++look) {
    hosts.watch.look();
    hosts.answer(0, hosts.asked.back().number);
    if (look > 0) hosts.answer(1, hosts.asked.back().number - 1);  // too late
  }
  EXPECT_EQ(hosts.asked.size(), 10U);
}

TEST(WaitReport, NamesPlacesAndHoldersButConcludesNothing) {
  const std::uint64_t x = lock_number(LockKind::kMutex, 0x10),
                      y = lock_number(LockKind::kMutex, 0x20);
  auto nodes = std::vector{still(0, {waiting(0, WaitKind::kLock, x, 0x1000)}),
                           still(1, {waiting(1, WaitKind::kLock, y, 0x2000)})};
  nodes[0].texts = {{0x1000, "heat.c:41"}, {0x10, "x"}};
  nodes[1].shown->threads[0].held = {{.lock = x, .place = 0x3000, .address = 0}};
  nodes[1].texts = {{0x3000, "heat.c:12"}};
  for (NodeView& each : nodes) each.standstill.reset();
  EXPECT_THAT(
      wait_report(nodes, {"", ""}),
      ElementsAre("thread 0 of node 0 waits for the mutex `x` at heat.c:41; held by thread 1 of "
                  "node 1, which took it at heat.c:12",
                  "thread 1 of node 1 waits for the mutex 0x20"));
  nodes[0].shown->threads[0].held = {{.lock = y, .place = 0, .address = 0}};
  EXPECT_EQ(wait_report(nodes, {"", ""}).size(), 2U)
      << "a circle is only seen in what stands still";
}

}  // namespace
}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/board/board.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "runtime/board/board_file.hpp"
#include "runtime/board/snapshot.hpp"

namespace weft::board {
namespace {

constexpr unsigned kNode = 3;

class BoardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<BoardFile> made = BoardFile::create();
    ASSERT_TRUE(made.ok()) << made.error();
    file_ = std::move(made.value());
    take(dup(file_.descriptor()), kNode);
  }
  void TearDown() override { leave(); }

  [[nodiscard]] NodeSnapshot now() const {
    const std::optional<NodeSnapshot> snapshot = read_board(*file_.board());
    EXPECT_TRUE(snapshot.has_value());
    return snapshot.value_or(NodeSnapshot());
  }
  // The calling thread, which is the only one that has a slot.
  [[nodiscard]] ThreadSnapshot mine() const {
    const NodeSnapshot all = now();
    EXPECT_EQ(all.threads.size(), 1);
    return all.threads.empty() ? ThreadSnapshot() : all.threads.front();
  }

  BoardFile file_;
};

TEST_F(BoardTest, ShowsWhatAThreadWaitsForWhileItWaits) {
  EXPECT_TRUE(now().threads.empty());
  std::uint64_t progress = 0;
  {
    const Waiting waiting(WaitKind::kPageFault, 17);
    const ThreadSnapshot thread = mine();
    EXPECT_EQ(thread.thread, static_cast<std::uint32_t>(gettid()));
    EXPECT_TRUE(thread.is_waiting);
    EXPECT_EQ(thread.kind, WaitKind::kPageFault);
    EXPECT_EQ(thread.object, 17U);
    EXPECT_FALSE(thread.ends_by_itself);
    EXPECT_EQ(thread.asleep_ns, 0);
    note_sleep();
    EXPECT_GT(mine().asleep_ns, 0);
    progress = thread.progress;
  }
  EXPECT_FALSE(mine().is_waiting);
  EXPECT_EQ(mine().kind, WaitKind::kNone);
  EXPECT_NE(mine().progress, progress);
}

TEST_F(BoardTest, APurposeCountsMoreThanThePlaceThatWaits) {
  static const char place[] = ";a.c;main;7;3;;";
  {
    const Purpose purpose(WaitKind::kLock, 5, place, &place);
    EXPECT_FALSE(mine().is_waiting);
    const Waiting waiting(WaitKind::kOther, 1, /*ends_by_itself=*/true);
    const ThreadSnapshot thread = mine();
    EXPECT_EQ(thread.kind, WaitKind::kLock);
    EXPECT_EQ(thread.object, 5U);
    EXPECT_EQ(thread.place, reinterpret_cast<std::uintptr_t>(place));
    EXPECT_EQ(thread.address, reinterpret_cast<std::uintptr_t>(&place));
    EXPECT_TRUE(thread.ends_by_itself);
  }
  const Waiting waiting(WaitKind::kBarrier);
  EXPECT_EQ(mine().kind, WaitKind::kBarrier);
  EXPECT_EQ(mine().place, 0U);
}

TEST_F(BoardTest, AnInnerPurposeKeepsThePlaceOfTheOuter) {
  const Purpose outer(WaitKind::kBarrier, 0, "place", "address");
  const ThreadSlot& slot = this_thread();
  const std::uint64_t place = slot.place;
  {
    const Purpose inner(WaitKind::kTaskwait, 0);
    EXPECT_EQ(slot.kind, static_cast<std::uint32_t>(WaitKind::kTaskwait));
    EXPECT_EQ(slot.place, place);
  }
  EXPECT_EQ(slot.kind, static_cast<std::uint32_t>(WaitKind::kBarrier));
}

TEST_F(BoardTest, AWaitInsideAnotherSaysNothing) {
  const Waiting outer(WaitKind::kBarrier);
  const ThreadSnapshot before = mine();
  {
    const Waiting inner(WaitKind::kPageFault, 4);
    EXPECT_EQ(mine().kind, WaitKind::kBarrier);
  }
  EXPECT_TRUE(mine().is_waiting);
  EXPECT_EQ(mine().progress, before.progress);
}

TEST_F(BoardTest, AThreadThatWorksMeanwhileDoesNotWait) {
  const Waiting outer(WaitKind::kBarrier, 9);
  const std::uint64_t before = mine().progress;
  {
    const Working working;
    EXPECT_FALSE(mine().is_waiting);
    const Waiting inner(WaitKind::kLock, 2);
    EXPECT_EQ(mine().kind, WaitKind::kLock);
  }
  EXPECT_TRUE(mine().is_waiting);
  EXPECT_EQ(mine().kind, WaitKind::kBarrier);
  EXPECT_EQ(mine().object, 9U);
  EXPECT_NE(mine().progress, before);
}

std::vector<std::uint64_t> locks_of(const ThreadSnapshot& thread) {
  std::vector<std::uint64_t> locks;
  for (const HeldLock& each : thread.held) locks.push_back(each.lock);
  return locks;
}

TEST_F(BoardTest, NamesTheLocksThatAThreadHolds) {
  for (const std::uint64_t lock : {10, 11, 12}) note_taken(lock);
  note_given_up(11);
  note_given_up(99);  // another thread's
  EXPECT_EQ(locks_of(mine()), (std::vector<std::uint64_t>{10, 12}));
  note_given_up(12);
  note_given_up(10);
  EXPECT_TRUE(mine().held.empty());
}

TEST_F(BoardTest, NamesTheFirstOfManyLocks) {
  for (std::uint64_t lock = 0; lock < kMostHeld + 5; ++lock) note_taken(lock);
  EXPECT_EQ(mine().held.size(), kMostHeld);
  for (std::uint64_t lock = kMostHeld + 5; lock-- > 1;) note_given_up(lock);
  EXPECT_EQ(locks_of(mine()), std::vector<std::uint64_t>{0});
}

TEST_F(BoardTest, ShowsTheNode) {
  EngineCounters counters;
  counters.faults = 41;
  counters.message_bytes = 42;
  show(counters, 7, 4096);
  set_state(NodeState::kComputing);
  set_number(12);
  note_sent(100);
  note_sent(20);
  note_received();
  const NodeSnapshot all = now();
  EXPECT_EQ(all.node, kNode);
  EXPECT_EQ(all.process, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(all.state, NodeState::kComputing);
  EXPECT_EQ(all.epoch, 7U);
  EXPECT_EQ(all.memory_bytes, 4096U);
  EXPECT_EQ(all.messages_sent, 2U);
  EXPECT_EQ(all.bytes_sent, 120U);
  EXPECT_EQ(all.messages_received, 1U);
  EXPECT_EQ(all.threads.at(0).number, 12);
  for (std::size_t each = 0; each < kCounterCount; ++each) {
    EXPECT_EQ(all.counters[each], counters.*engine_counters()[each].value);
  }
}

TEST_F(BoardTest, TellsWeftsOwnThreadsFromTheOthers) {
  std::atomic<bool> over{false};
  std::thread own([&] { over.wait(false); });
  set_number(0);
  note_own_threads();
  unsigned own_threads = 0;
  for (const ThreadSnapshot& each : now().threads) {
    if (!each.is_wefts_own) EXPECT_EQ(each.thread, static_cast<std::uint32_t>(gettid()));
    own_threads += each.is_wefts_own ? 1 : 0;
  }
  EXPECT_EQ(own_threads, 1U);
  over = true;
  over.notify_one();
  own.join();
}

TEST_F(BoardTest, ASnapshotSurvivesItsWay) {
  const Waiting waiting(WaitKind::kLock, 77);
  note_taken(78);
  const NodeSnapshot all = now();
  const auto arrived = from_bytes<NodeSnapshot>(to_bytes(all));
  ASSERT_TRUE(arrived.has_value());
  EXPECT_TRUE(makes_sense(*arrived));
  EXPECT_EQ(to_bytes(*arrived), to_bytes(all));
}

// Each wait's object follows from its kind: a reader that mixed two waits would see it.
TEST_F(BoardTest, WhatIsReadTogetherBelongsTogether) {
  constexpr int kReads = 20'000;
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (std::uint32_t turn = 0; !over; ++turn) {
      const std::uint32_t kind = 1 + turn % (kWaitKindCount - 1);
      const Waiting waiting(static_cast<WaitKind>(kind), 1000 + kind);
    }
    leave_thread();
  });
  int waits = 0;
  for (int read = 0; read < kReads || waits == 0; ++read) {
    for (const ThreadSnapshot& thread : now().threads) {
      if (!thread.is_waiting) continue;
      ++waits;
      ASSERT_EQ(thread.object, 1000 + static_cast<std::uint64_t>(thread.kind));
    }
  }
  over = true;
  writer.join();
  EXPECT_TRUE(now().threads.empty());
}

TEST_F(BoardTest, SlotsOfThreadsThatHaveEndedAreUsedAgain) {
  for (std::size_t each = 0; each < kMostThreads + 10; ++each) {
    std::thread([] { set_number(1); }).join();
  }
  EXPECT_EQ(now().threads_left_out, 0U);
  EXPECT_LE(now().threads.size(), kMostThreads);
}

TEST_F(BoardTest, ThreadsWithoutASlotAreCounted) {
  this_board().header.slots_used = kMostThreads;
  for (ThreadSlot& slot : this_board().threads) slot.thread = static_cast<std::uint32_t>(getpid());
  std::thread([] { const Waiting waiting(WaitKind::kBarrier); }).join();
  EXPECT_EQ(now().threads_left_out, 1U);
}

TEST_F(BoardTest, AForkedChildWritesElsewhere) {
  set_number(5);
  leave();
  set_number(6);
  EXPECT_EQ(now().threads.at(0).number, 5);
}

// Whatever the program has scribbled there.
TEST(BoardReader, BelievesNothing) {
  const auto scribbled = std::make_unique<Board>();
  const std::span bytes(reinterpret_cast<std::uint32_t*>(scribbled.get()),
                        sizeof(Board) / sizeof(std::uint32_t));
  std::mt19937 random(1);
  int read = 0;
  for (int round = 0; round < 300; ++round) {
    for (std::uint32_t& word : bytes) word = random() % 2 == 0 ? random() % 4 : random();
    BoardHeader& header = scribbled->header;
    if (round % 2 == 0) {
      header.magic = kMagic;
      header.version = kVersion;
      header.bytes = sizeof(Board);
      header.counter_count = kCounterCount;
    }
    const std::optional<NodeSnapshot> snapshot = read_board(*scribbled);
    if (!snapshot) continue;
    ++read;
    EXPECT_TRUE(makes_sense(*snapshot));
  }
  EXPECT_GT(read, 0);
}

TEST(BoardReader, ReadsNothingOfAnEmptyFile) {
  Result<BoardFile> file = BoardFile::create();
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(read_board(*file.value().board()).has_value());
}

// A reader of a shorter file would be killed.
TEST(BoardFile, CannotBeMadeShorter) {
  Result<BoardFile> file = BoardFile::create();
  ASSERT_TRUE(file.ok());
  EXPECT_NE(ftruncate(file.value().descriptor(), 0), 0);
}

TEST(WaitKinds, AllHaveANameOfTheirOwn) {
  for (std::size_t one = 0; one < kWaitKindCount; ++one) {
    EXPECT_FALSE(name_of(static_cast<WaitKind>(one)).empty());
    for (std::size_t other = 0; other < one; ++other) {
      EXPECT_NE(name_of(static_cast<WaitKind>(one)), name_of(static_cast<WaitKind>(other)));
    }
  }
}

}  // namespace
}  // namespace weft::board

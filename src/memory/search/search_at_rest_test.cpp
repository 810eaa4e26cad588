// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was written is found while no thread of the program runs, whatever was expected; and what is
// expected spares the search of the rest.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/numbers/random.hpp"
#include "memory/pages/memory_test_node.hpp"
#include "memory/search/search_need.hpp"
#include "memory/search/write_places.hpp"

namespace weft {
namespace {

constexpr PageRange kAll{PageIndex(0), 64};
constexpr PageRange kStretches[] = {{PageIndex(0), 20}, {PageIndex(24), 40}};
constexpr PhaseKey kLoop(7), kOtherLoop(8);
// This process may have a few elsewhere at any time.
constexpr std::uint64_t kStrayFaults = 3;

PageRange pages(std::uint64_t first, std::uint64_t count) { return {PageIndex(first), count}; }

class EveryBackEndAtRest : public testing::TestWithParam<NamedBackEnd> {
 protected:
  void SetUp() override {
    const std::lock_guard guard(node.lock);
    for (const PageRange& stretch : kStretches) node.memory().map_tracked(stretch, Twin::kNone);
  }
  void write(PageRange range) {
    for (PageIndex page = range.first; page < range.end(); ++page) node.write(page, 9, ++value);
  }
  PageSet collect(PhaseKey phase = kLoop) {
    const std::lock_guard guard(node.lock);
    PageSet written;
    node.memory().collect_at_rest(kStretches, phase, written);
    return written;
  }
  [[nodiscard]] std::uint64_t searched() {
    const std::lock_guard guard(node.lock);
    return node.memory().counters().pages_searched;
  }
  // Until the next searches are not of everything, for a while.
  void pass_a_search_of_all() {
    for (unsigned i = 0; i < SearchNeed::kSearchesOfAll; ++i) {
      const std::uint64_t before = searched();
      EXPECT_TRUE(collect().empty());
      if (searched() - before >= 60) return;
    }
  }
  [[nodiscard]] bool searches() { return !node.memory().watcher().traits().traps_writes; }

  TestNode node{GetParam().back_end, kAll.count};
  std::uint8_t value = 0;
};

TEST_P(EveryBackEndAtRest, WhatWasWrittenIsFoundWhateverWasExpected) {
  Random random(17);
  for (int round = 0; round < 2000; ++round) {
    PageSet expected;
    const auto touch = [&](PageRange range) {
      write(range);
      expected.insert(range);
    };
    if (round % 3 == 0) touch(pages(4, 3));  // what comes in each turn of three
    if (round % 3 == 1) touch(pages(30, 8));
    if (random.below(8) == 0) touch(pages(random.below(20), 1));
    if (random.below(8) == 0) touch(pages(24 + random.below(40), 1));
    {
      const std::lock_guard guard(node.lock);
      const PageRange range = pages(24 + random.below(38), 1 + random.below(3));
      switch (random.below(16)) {
        case 0:  // found by somebody else
          node.memory().collect_written(range, expected);
          for (PageIndex page = range.first; page < range.end(); ++page) expected.erase(page);
          break;
        case 1:  // what was written before is not found any more
          node.memory().map_untracked(range);
          node.memory().start_tracking(range, Twin::kPresent);
          expected.erase(range);
          break;
        case 2:  // faults that nobody asks for
          ASSERT_NE(mmap(nullptr, kPageBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                         -1, 0),
                    MAP_FAILED);
          break;
        default:
          break;
      }
    }
    ASSERT_EQ(collect(round % 3 == 2 ? kOtherLoop : kLoop), expected) << "round " << round;
  }
}

TEST_P(EveryBackEndAtRest, WhatThreadsWroteIsFound) {
  for (int round = 0; round < 200; ++round) {
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([this, thread, round] {
        node.write(PageIndex(2 * thread), 0, static_cast<std::uint8_t>(round));
        node.write(PageIndex(30 + 3 * thread + round / 100), 0, static_cast<std::uint8_t>(round));
      });
    }
    for (std::thread& thread : threads) thread.join();
    PageSet expected;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
      expected.insert(PageIndex(2 * thread));
      expected.insert(PageIndex(30 + 3 * thread + round / 100));
    }
    ASSERT_EQ(collect(), expected) << "round " << round;
  }
}

TEST_P(EveryBackEndAtRest, NothingIsSearchedIfNothingWasWritten) {
  if (!searches()) GTEST_SKIP() << "nothing ever is";
  pass_a_search_of_all();
  const std::uint64_t before = searched();
  for (unsigned i = 0; i < SearchNeed::kSearchesOfAll / 2; ++i) EXPECT_TRUE(collect().empty());
  EXPECT_LE(searched() - before, kStrayFaults * 60);
}

TEST_P(EveryBackEndAtRest, OnlyWhatIsExpectedIsSearchedIfAllIsThere) {
  if (!searches()) GTEST_SKIP() << "nothing ever is";
  pass_a_search_of_all();
  const auto turn = [this] {
    write(pages(5, 2));
    EXPECT_EQ(collect(), PageSet{pages(5, 2)});
    write(pages(40, 6));
    EXPECT_EQ(collect(), PageSet{pages(40, 6)});
  };
  for (int learning = 0; learning < 4; ++learning) turn();
  const std::uint64_t before = searched();
  for (int i = 0; i < 5; ++i) turn();
  EXPECT_LE(searched() - before, 5U * (2 + 6) + kStrayFaults * 60);
}

// A table that was read page by page, where no other tracked page is near.
TEST_P(EveryBackEndAtRest, AfterTwoSearchesOfAllWhatIsQuietIsNotSearched) {
  constexpr std::uint64_t kStretch = SealedPages::kStretchPages;
  constexpr PageRange kTable{PageIndex(0), 16 * kStretch};
  TestNode reader(GetParam().back_end, kTable.count);
  const std::lock_guard guard(reader.lock);
  WatchedMemory& memory = reader.memory();
  for (std::uint64_t page = 0; page < kTable.count; page += 64) {
    memory.map_tracked({PageIndex(page), 1}, Twin::kPresent);
  }
  PageSet written;
  const auto searched_by = [&](unsigned searches) {
    const std::uint64_t before = memory.counters().pages_searched;
    for (unsigned i = 0; i < searches; ++i) {
      memory.collect_at_rest(std::array{kTable}, kLoop, written);
    }
    return memory.counters().pages_searched - before;
  };
  (void)searched_by(2 * SearchNeed::kSearchesOfAll);
  EXPECT_TRUE(written.empty());
  // What comes behind the last page that is tracked is no whole stretch.
  const std::uint64_t left = memory.watcher().traits().seals ? kStretch : kTable.count;
  EXPECT_LE(searched_by(2 * SearchNeed::kSearchesOfAll), (2 + kStrayFaults) * left / 64);
}

// A debugger, say. Its faults are its own.
TEST_P(EveryBackEndAtRest, WhatAnotherProcessWritesIsFoundInTheEnd) {
  if (!searches()) GTEST_SKIP() << "where writes trap, another process cannot write";
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    char byte = 5;
    const iovec from{&byte, 1};
    const iovec to{node.program(PageIndex(33)), 1};
    if (read(go[0], &byte, 1) != 1) _exit(2);
    _exit(process_vm_writev(getppid(), &from, 1, &to, 1, 0) == 1 ? 0 : 1);
  }
  int status = 0;
  pass_a_search_of_all();  // and the faults that come of the fork
  ASSERT_EQ(::write(go[1], "x", 1), 1);
  ASSERT_EQ(waitpid(writer, &status, 0), writer);
  close(go[0]);
  close(go[1]);
  if (status != 0) GTEST_SKIP() << "this process may not write another's memory";
  PageSet found;
  for (unsigned i = 0; i < SearchNeed::kSearchesOfAll; ++i) found.insert(collect());
  EXPECT_EQ(found, PageSet{pages(33, 1)});
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndAtRest, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

TEST(SearchNeed, IsAtMostTheFaultsSinceTheLastSearchButForSomeThatAreOfAll) {
  SearchNeed need;
  EXPECT_EQ(need.begin(), SearchNeed::kEverything) << "nobody knows what was before";
  unsigned of_all = 0;
  for (unsigned i = 0; i < 10 * SearchNeed::kSearchesOfAll; ++i) {
    of_all += need.begin() == SearchNeed::kEverything ? 1 : 0;
  }
  EXPECT_EQ(of_all, 10U);
  constexpr std::uint64_t kPages = 5;
  auto* const memory = static_cast<volatile char*>(mmap(
      nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (std::uint64_t page = 0; page < kPages; ++page) memory[page * kPageBytes] = 1;
  EXPECT_GE(need.begin(), kPages);
  need.forget();
  EXPECT_EQ(need.begin(), SearchNeed::kEverything);
  EXPECT_NE(need.begin(), SearchNeed::kEverything);
}

TEST(WritePlaces, AreToldApartByWhatCameBefore) {
  // Twice down and up a grid: the same phase writes at each level.
  const std::vector<std::uint64_t> levels = {1, 2, 3, 2, 1};
  WritePlaces places;
  for (int turn = 0; turn < 4; ++turn) {
    for (const std::uint64_t level : levels) {
      const PageSet written{pages(10 * level, level)};
      if (turn > 1) EXPECT_EQ(places.expected(kLoop), written) << "turn " << turn;
      EXPECT_EQ(places.expected(kOtherLoop), PageSet());
      places.note(kLoop, written);
    }
  }
}

TEST(WritePlaces, AreForgottenBeforeTheyAreTooMany) {
  WritePlaces places;
  const PageSet first{pages(1, 1)};
  const auto begin = [&] {
    for (int i = 0; i < 5; ++i) places.note(kLoop, first);
  };
  begin();
  EXPECT_EQ(places.expected(kLoop), first);
  for (std::uint64_t i = 0; i < WritePlaces::kMostSituations; ++i) {
    places.note(kOtherLoop, {pages(2 + i, 1)});
  }
  EXPECT_EQ(places.expected(kLoop), PageSet());
  begin();
  EXPECT_EQ(places.expected(kLoop), first);
}

}  // namespace
}  // namespace weft

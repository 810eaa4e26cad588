// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page watching, on every back end that this host allows: what one thread can show. Threads that
// race are in watched_memory_stress_test.cpp.
#include "memory/pages/watched_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "memory/diffs/diff.hpp"
#include "memory/pages/memory_test_node.hpp"
#include "memory/watching/mprotect_watcher.hpp"

namespace weft {
namespace {

constexpr PageIndex page_number(std::uint64_t number) { return PageIndex(number); }

PageRange range(std::uint64_t first, std::uint64_t count) { return {PageIndex(first), count}; }

Bytes page_of(std::uint8_t value) { return Bytes(kPageBytes, static_cast<std::byte>(value)); }

class EveryBackEnd : public testing::TestWithParam<NamedBackEnd> {
 protected:
  PageSet collect(PageRange pages) {
    const std::lock_guard guard(node.lock);
    PageSet written;
    node.memory().collect_written(pages, written);
    return written;
  }
  Bytes diff(std::uint64_t page) { return node.diff(PageIndex(page)); }

  TestNode node{GetParam().back_end, 64};
};

TEST_P(EveryBackEnd, AbsentPageIsBroughtWithItsContents) {
  node.bring_page = [this](PageIndex page) {
    node.memory().install(page, page_of(42));
    node.memory().map_tracked({page, 1}, Twin::kPresent);
  };
  EXPECT_EQ(node.read(page_number(3), 100), 42);
  EXPECT_EQ(node.read(page_number(3), 4095), 42);
  EXPECT_EQ(node.absent_faults, 1);
}

TEST_P(EveryBackEnd, AttachedPagesAreAbsentAndWatched) {
  void* const memory =
      mmap(nullptr, 3 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* const bytes = static_cast<volatile std::uint8_t*>(memory);
  bytes[kPageBytes] = 5;
  {
    const std::lock_guard guard(node.lock);
    const Status attached = node.memory().attach({.name = "late",
                                                  .address = ProgramAddress::of(memory),
                                                  .bytes = 3 * kPageBytes,
                                                  .contents = SegmentSpec::Contents::kTakeOver});
    ASSERT_TRUE(attached) << attached.error();
  }
  EXPECT_EQ(node.absent_faults, 0);
  EXPECT_EQ(bytes[kPageBytes], 5);
  EXPECT_EQ(node.absent_faults, 1);
  bytes[kPageBytes + 1] = 6;
  const PageIndex first = node.region().segments().back().offset.page();
  const PageIndex written(first.value() + 1);
  EXPECT_TRUE(collect({first, 3}).contains(written));
  const Bytes made = diff(written.value());
  EXPECT_FALSE(made.empty());
}

TEST_P(EveryBackEnd, TheTwinIsWhatTheNextDiffIsMadeAgainst) {
  const auto twin = [this](std::size_t at) {
    const std::lock_guard guard(node.lock);
    return static_cast<int>(node.memory().twin(page_number(3))[at]);
  };
  {
    const std::lock_guard guard(node.lock);
    node.memory().install(page_number(3), page_of(7));
    node.memory().map_tracked(range(3, 1), Twin::kPresent);
  }
  EXPECT_EQ(twin(100), 7);
  node.write(page_number(3), 100, 8);
  EXPECT_EQ(twin(100), 7);
  EXPECT_FALSE(diff(3).empty());
  EXPECT_EQ(twin(100), 8);
  node.write(page_number(3), 100, 9);
  EXPECT_EQ(twin(100), 8);
}

TEST_P(EveryBackEnd, WhoWaitedForAPageIsReadyWithoutMappingItAgain) {
  const std::lock_guard guard(node.lock);
  WatchedMemory& memory = node.memory();
  EXPECT_FALSE(memory.is_ready(page_number(3), true));
  memory.map_tracked(range(3, 1), Twin::kPresent);
  EXPECT_TRUE(memory.is_ready(page_number(3), false));
  EXPECT_TRUE(memory.is_ready(page_number(3), true));
  EXPECT_TRUE(memory.is_ready(page_number(3), true));
  EXPECT_EQ(memory.counters().refaults, 0U);
  // Where writes trap, the one that waited is let in at once: it need not fault again.
  EXPECT_EQ(memory.counters().write_faults, memory.watcher().traits().traps_writes ? 1U : 0U);
}

TEST_P(EveryBackEnd, NeverWrittenPageReadsZero) {
  EXPECT_EQ(node.read(page_number(63), 17), 0);
  EXPECT_EQ(node.absent_faults, 1);
}

TEST_P(EveryBackEnd, FaultByWriteIsBroughtAndNoticed) {
  node.write(page_number(5), 7, 9);
  EXPECT_EQ(node.absent_faults, 1);
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(5, 1)}));
}

TEST_P(EveryBackEnd, WritesAreFoundExactlyOnce) {
  {
    const std::lock_guard guard(node.lock);
    node.memory().map_tracked(range(28, 8), Twin::kPresent);  // spans the segments
  }
  EXPECT_EQ(node.read(page_number(29), 0), 0);
  EXPECT_TRUE(collect(range(0, 64)).empty());
  node.write(page_number(30), 1, 1);
  node.write(page_number(33), 1, 1);
  node.write(page_number(33), 2, 1);
  EXPECT_EQ(collect(range(0, 32)), PageSet({range(30, 1)}));
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(33, 1)}));
  EXPECT_TRUE(collect(range(0, 64)).empty());
  node.write(page_number(33), 3, 1);
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(33, 1)}));
  EXPECT_EQ(node.absent_faults, 0);
}

// Where the kernel notes writes by itself, the first write to a run traps all the same, and the
// twins are copied then.
TEST_P(EveryBackEnd, RunsThatAreOnlyReadTakeNoTwins) {
  const WatcherTraits& traits = node.memory().watcher().traits();
  const auto bring_run = [&](std::uint8_t value) {
    const std::lock_guard guard(node.lock);
    for (std::uint64_t page = 4; page < 12; ++page) {
      node.memory().install(page_number(page), page_of(value));
    }
    node.memory().map_tracked(range(4, 8), Twin::kPresent);
    return node.memory().counters().twins_held;
  };
  EXPECT_EQ(bring_run(3), traits.traps_writes || traits.seals ? 0U : 8U);
  EXPECT_EQ(node.read(page_number(7), 9), 3);
  EXPECT_TRUE(collect(range(0, 64)).empty());
  node.write(page_number(7), 9, 5);
  node.write(page_number(8), 1, 6);
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(7, 2)}));
  for (const std::uint64_t page : {7, 8}) EXPECT_EQ(changed_bytes(diff(page)), 1U);
  EXPECT_EQ(node.read(page_number(7), 9), 5);
  {
    const std::lock_guard guard(node.lock);
    node.memory().unmap(range(4, 8));
    node.memory().drop(range(4, 8));
  }
  // Once written, they are expected to be written again, and their first write does not trap.
  EXPECT_EQ(bring_run(4), traits.traps_writes ? 0U : 8U);
  node.write(page_number(4), 0, 7);
  EXPECT_EQ(changed_bytes(diff(4)), 1U);
  EXPECT_EQ(node.absent_faults, 0);
}

TEST_P(EveryBackEnd, RunsAreMappedAcrossTheEndOfWhatIsSealed) {
  TestNode large(GetParam().back_end, 1024);
  const std::lock_guard guard(large.lock);
  large.memory().map_tracked(range(200, 8), Twin::kPresent);
  large.memory().map_tracked(range(250, 12), Twin::kInitial);
  large.memory().map_untracked(range(125, 10));
  EXPECT_EQ(large.memory().counters().tracked_pages, 20U);
}

TEST_P(EveryBackEnd, UntrackedWritesAreNotFoundUntilTrackingStarts) {
  node.bring_page = [this](PageIndex page) { node.memory().map_untracked({page, 1}); };
  node.write(page_number(1), 0, 1);
  EXPECT_EQ(node.faults, 1);
  EXPECT_TRUE(collect(range(0, 64)).empty());
  {
    const std::lock_guard guard(node.lock);
    node.memory().start_tracking(range(1, 1), Twin::kPresent);
  }
  EXPECT_TRUE(collect(range(0, 64)).empty());
  node.write(page_number(1), 5, 2);
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(1, 1)}));
  const Bytes made = diff(1);
  EXPECT_EQ(changed_bytes(made), 1U);
}

TEST_P(EveryBackEnd, TrackingStopsWhenMappedUntracked) {
  node.write(page_number(1), 0, 1);
  {
    const std::lock_guard guard(node.lock);
    node.memory().map_untracked(range(0, 4));
  }
  node.write(page_number(1), 1, 1);
  node.write(page_number(2), 1, 1);
  EXPECT_TRUE(collect(range(0, 64)).empty());
  EXPECT_EQ(node.absent_faults, 1);
  EXPECT_EQ(node.memory().counters().untracked_pages, 4U);
  EXPECT_EQ(node.memory().counters().twins_held, 0U);
}

TEST_P(EveryBackEnd, DiffHasExactlyTheBytesWrittenSinceTheLast) {
  node.bring_page = [this](PageIndex page) {
    node.memory().install(page, page_of(1));
    node.memory().map_tracked({page, 1}, Twin::kPresent);
  };
  node.write(page_number(8), 100, 2);
  node.write(page_number(8), 101, 1);  // no difference
  node.write(page_number(8), 102, 3);
  (void)collect(range(0, 64));
  Bytes copy = page_of(0);
  ASSERT_TRUE(apply_diff(diff(8), copy.data()));
  Bytes expected = page_of(0);
  expected[100] = std::byte{2};
  expected[102] = std::byte{3};
  EXPECT_EQ(copy, expected);
  EXPECT_TRUE(diff(8).empty());
  node.write(page_number(8), 0, 7);
  (void)collect(range(0, 64));
  EXPECT_EQ(changed_bytes(diff(8)), 1U);
}

TEST_P(EveryBackEnd, DiffWithoutCollectingFirst) {
  for (int round = 1; round <= 3; ++round) {
    node.write(page_number(8), 10, static_cast<std::uint8_t>(round));
    EXPECT_EQ(changed_bytes(diff(8)), 1U) << round;
    EXPECT_TRUE(diff(8).empty()) << round;
  }
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(8, 1)}));
}

TEST_P(EveryBackEnd, InitialTwinFindsWritesFromBeforeTrackingBegan) {
  node.bring_page = [this](PageIndex page) { node.memory().map_untracked({page, 1}); };
  node.write(page_number(2), 4, 4);
  {
    const std::lock_guard guard(node.lock);
    node.memory().start_tracking(range(2, 1), Twin::kInitial);
  }
  EXPECT_EQ(changed_bytes(diff(2)), 1U);
  node.write(page_number(2), 5, 5);
  EXPECT_EQ(changed_bytes(diff(2)), 1U);
}

TEST_P(EveryBackEnd, UnmappedPageKeepsTwinAndRecord) {
  node.write(page_number(6), 1, 1);
  EXPECT_EQ(node.read(page_number(7), 1), 0);
  {
    const std::lock_guard guard(node.lock);
    node.memory().unmap(range(0, 64));
  }
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(6, 1)}));
  EXPECT_EQ(changed_bytes(diff(6)), 1U);
  EXPECT_TRUE(diff(7).empty());
  const std::lock_guard guard(node.lock);
  node.memory().drop(range(0, 64));
  EXPECT_EQ(node.memory().counters().twins_held, 0U);
}

TEST_P(EveryBackEnd, OnlyPagesThatWereWrittenAreCompared) {
  {
    const std::lock_guard guard(node.lock);
    node.memory().map_tracked(range(0, 8), Twin::kPresent);
  }
  node.write(page_number(2), 1, 1);
  EXPECT_EQ(collect(range(0, 8)), PageSet({range(2, 1)}));
  node.write(page_number(5), 1, 1);
  const std::lock_guard guard(node.lock);
  node.memory().unmap(range(0, 8));
  for (std::uint64_t page = 0; page < 8; ++page) {
    const std::size_t changed = page == 2 || page == 5 ? 1U : 0U;
    EXPECT_EQ(changed_bytes(node.memory().make_diff(PageIndex(page))), changed) << page;
    EXPECT_TRUE(node.memory().make_diff(PageIndex(page)).empty()) << page;
  }
  EXPECT_EQ(node.memory().counters().pages_compared, 2U);
}

TEST_P(EveryBackEnd, PageComesAndGoesManyTimes) {
  for (int round = 1; round <= 20; ++round) {
    node.bring_page = [&](PageIndex page) {
      node.memory().install(page, page_of(static_cast<std::uint8_t>(round)));
      node.memory().map_tracked({page, 1}, round % 2 == 0 ? Twin::kPresent : Twin::kNone);
    };
    EXPECT_EQ(node.read(page_number(9), 0), round);
    EXPECT_TRUE(collect(range(0, 64)).empty());
    node.write(page_number(9), 0, 99);
    const std::lock_guard guard(node.lock);
    node.memory().unmap(range(9, 1));
    PageSet written;
    node.memory().collect_written(range(0, 64), written);
    EXPECT_EQ(written, PageSet({range(9, 1)}));
    node.memory().drop(range(9, 1));
  }
  EXPECT_EQ(node.absent_faults, 20);
}

// What reclaim does under memory pressure, done by hand: the entry goes from the program's page
// table, and the next touch is reported although the page should be mapped.
TEST_P(EveryBackEnd, ReclaimedPageComesBackAndItsWriteIsNotForgotten) {
  if (GetParam().back_end.kind == BackEnd::Kind::kMprotect) GTEST_SKIP() << "sees no such thing";
  node.write(page_number(11), 3, 3);
  EXPECT_EQ(node.read(page_number(12), 3), 0);
  ASSERT_EQ(madvise(node.program(page_number(11)), 2 * kPageBytes, MADV_DONTNEED), 0);
  EXPECT_EQ(node.read(page_number(11), 3), 3);
  EXPECT_EQ(node.read(page_number(12), 3), 0);
  EXPECT_EQ(node.absent_faults, 2);
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(11, 1)}));
  node.write(page_number(12), 3, 4);
  ASSERT_EQ(madvise(node.program(page_number(12)), kPageBytes, MADV_DONTNEED), 0);
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(12, 1)}));
  EXPECT_EQ(node.read(page_number(12), 3), 4);
  EXPECT_TRUE(collect(range(0, 64)).empty());
  ASSERT_EQ(madvise(node.program(page_number(11)), 2 * kPageBytes, MADV_DONTNEED), 0);
  node.write(page_number(11), 3, 5);
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(11, 1)}));
  EXPECT_EQ(changed_bytes(diff(11)), 1U);
}

TEST_P(EveryBackEnd, StaleFaultsDoNoHarm) {
  node.write(page_number(1), 0, 1);
  {
    const std::lock_guard guard(node.lock);
    EXPECT_TRUE(node.memory().on_fault(PageIndex(1), true));
    EXPECT_TRUE(node.memory().on_fault(PageIndex(1), false));
    EXPECT_FALSE(node.memory().on_fault(PageIndex(2), true));
  }
  EXPECT_EQ(node.read(page_number(1), 0), 1);
  EXPECT_EQ(collect(range(0, 64)), PageSet({range(1, 1)}));
}

TEST_P(EveryBackEnd, SystemCallsMeetAbsentPages) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const char text[] = "through the kernel";
  ASSERT_EQ(write(ends[1], text, sizeof text), static_cast<ssize_t>(sizeof text));
  const ssize_t got = read(ends[0], node.program(page_number(20)), sizeof text);
  if (node.memory().watcher().traits().serves_system_calls) {
    ASSERT_EQ(got, static_cast<ssize_t>(sizeof text));
    EXPECT_STREQ(reinterpret_cast<const char*>(node.program(page_number(20))), text);
    EXPECT_EQ(collect(range(0, 64)), PageSet({range(20, 1)}));
    EXPECT_EQ(write(ends[1], node.program(page_number(21)), 8), 8);
  } else {
    EXPECT_EQ(got, -1);
    EXPECT_EQ(errno, EFAULT);
    EXPECT_EQ(node.read(page_number(20), 0), 0);  // touched first, it works
    node.write(page_number(20), 0, 0);
    EXPECT_GE(read(ends[0], node.program(page_number(20)), sizeof text), 0);
  }
  close(ends[0]);
  close(ends[1]);
}

// Reading ahead may come to the pages of a segment that is not there yet.
TEST(Mprotect, PagesThatWereMappedBeforeTheirSegmentWasThereComeAtATouch) {
  const auto region = Region::create(
      {{.name = "a", .address = {}, .bytes = kPageBytes},
       {.name = "b", .address = ProgramAddress(0x510000000000), .bytes = kPageBytes, .stage = 1}});
  ASSERT_TRUE(region.ok()) << region.error();
  auto watcher = MprotectWatcher::create(*region.value());
  ASSERT_TRUE(watcher.ok()) << watcher.error();
  const auto memory = WatchedMemory::create(*region.value(), std::move(watcher.value()), {});
  ASSERT_TRUE(memory.ok()) << memory.error();
  const PageIndex page(1);
  memory.value()->map_tracked({page, 1}, Twin::kNone);
  ASSERT_TRUE(memory.value()->open_stage(1));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto can_be_read = [&] {
    const GlobalOffset offset(page.value() * kPageBytes);
    const std::uintptr_t address = region.value()->program_address(offset).value();
    return write(ends[1], reinterpret_cast<const void*>(address), 8) == 8;
  };
  EXPECT_FALSE(can_be_read());
  EXPECT_TRUE(memory.value()->on_fault(page, false));
  EXPECT_TRUE(can_be_read());
  close(ends[0]);
  close(ends[1]);
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEnd, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/exposed/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

namespace weft {
namespace {

constexpr NodeId kHome(0), kReader(1), kThird(2);
constexpr std::uint64_t kPages = 100;

// Three nodes of one process: files are found by its number all the same.
class HostMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<HostMemoryPlace> places;
    for (std::uint16_t node = 0; node < 3; ++node) {
      regions_[node] = memfd_create("region", MFD_CLOEXEC);
      ASSERT_EQ(ftruncate(regions_[node], kPages * kPageBytes), 0);
      auto made = HostMemory::create(NodeId(node), 3, kPages, regions_[node]);
      ASSERT_TRUE(made) << made.error();
      nodes_[node] = std::move(made.value());
      places.push_back(nodes_[node]->place());
    }
    change(places);
    for (const auto& node : nodes_) node->meet(places);
  }
  void TearDown() override {
    for (const int each : regions_) close(each);
  }
  virtual void change(std::vector<HostMemoryPlace>& /*places*/) {}

  HostMemory& home() { return *nodes_[0]; }
  HostMemory& reader() { return *nodes_[1]; }

  std::array<int, 3> regions_{};
  std::array<std::unique_ptr<HostMemory>, 3> nodes_;
};

TEST_F(HostMemoryTest, TheEpochIsShownAndWhetherItHasEnded) {
  EXPECT_TRUE(reader().reaches(kHome));
  EXPECT_FALSE(reader().reaches(kReader)) << "nobody reads at itself";
  EXPECT_EQ(reader().epoch_of(kHome), std::nullopt);
  home().begin_epoch(Epoch(0));
  EXPECT_EQ(reader().epoch_of(kHome), ShownEpoch{Epoch(0)});
  home().end_epoch();
  EXPECT_EQ(reader().epoch_of(kHome), (ShownEpoch{Epoch(0), true}));
  home().begin_epoch(Epoch(7));
  EXPECT_EQ(reader().epoch_of(kHome), ShownEpoch{Epoch(7)});
  EXPECT_EQ(reader().epoch_of(kThird), std::nullopt);
}

TEST_F(HostMemoryTest, AllNodesMeetInOneWord) {
  for (const unsigned node : {2U, 0U}) {
    ASSERT_NE(nodes_[node]->meeting(), nullptr);
    EXPECT_EQ(nodes_[node]->meeting()->come(1, 3), Met::kNotYet);
  }
  EXPECT_EQ(reader().meeting()->come(1, 3), Met::kAll);
  EXPECT_EQ(home().meeting()->look(1, 3), Met::kAll);
  EXPECT_EQ(reader().epoch_of(kHome), std::nullopt) << "it lies apart from what homes show";
}

TEST_F(HostMemoryTest, UpdatesAreShownForEachWriter) {
  home().note_applied(kThird, UpdateSequence(5));
  EXPECT_EQ(reader().applied_at(kHome, kThird), UpdateSequence(5));
  EXPECT_EQ(reader().applied_at(kHome, kReader), UpdateSequence(0));
  EXPECT_EQ(reader().applied_at(kThird, kThird), UpdateSequence(0));
}

TEST_F(HostMemoryTest, PagesAreExposedAndWithdrawn) {
  home().expose({PageIndex(60), 10});
  home().withdraw({PageIndex(64), 1});
  for (std::uint64_t page = 0; page < kPages; ++page) {
    const bool expected = page >= 60 && page < 70 && page != 64;
    EXPECT_EQ(reader().is_exposed(kHome, PageIndex(page)), expected) << page;
    EXPECT_FALSE(reader().is_exposed(kThird, PageIndex(page))) << page;
  }
}

TEST_F(HostMemoryTest, APageIsCopiedFromTheRegionOfItsHome) {
  const std::byte written{42};
  ASSERT_EQ(pwrite(regions_[0], &written, 1, 99 * kPageBytes + 4095), 1);
  std::array<std::byte, kPageBytes> contents{};
  ASSERT_TRUE(reader().copy(kHome, PageIndex(99), contents));
  EXPECT_EQ(contents[4094], std::byte{0});
  EXPECT_EQ(contents[4095], written);
  ASSERT_TRUE(reader().copy(kThird, PageIndex(99), contents));
  EXPECT_EQ(contents[4095], std::byte{0});
  EXPECT_FALSE(reader().copy(kHome, PageIndex(kPages), contents)) << "the region has no such page";
}

AtomicRequest add_to(GlobalOffset where, std::uint32_t value) {
  AtomicRequest request{.where = where, .size = sizeof value, .operation = AtomicOperation::kAdd};
  std::memcpy(request.operand, &value, sizeof value);
  return request;
}

std::uint32_t number_at(int region, GlobalOffset where) {
  std::uint32_t number = 0;
  EXPECT_EQ(pread(region, &number, sizeof number, static_cast<off_t>(where.bytes())), 4);
  return number;
}

constexpr GlobalOffset kWhere(99 * kPageBytes + 8);
const std::function<bool()> kAlways = [] { return true; };

ShownWord word_at(GlobalOffset where, std::uint64_t value, std::uint8_t size = 8) {
  ShownWord word{.where = where, .size = size};
  std::memcpy(word.value.data(), &value, sizeof value);
  return word;
}

void write_number(int region, GlobalOffset where, std::uint64_t number) {
  ASSERT_EQ(pwrite(region, &number, sizeof number, static_cast<off_t>(where.bytes())), 8);
}

TEST_F(HostMemoryTest, AWordIsLoadedWhileItIsShownAsItIs) {
  write_number(regions_[0], kWhere, 7);
  EXPECT_FALSE(reader().load_word(kHome, kWhere, 8)) << "not shown yet";
  home().show_word(word_at(kWhere, 7));
  EXPECT_EQ(reader().load_word(kHome, kWhere, 8), word_at(kWhere, 7));
  EXPECT_FALSE(reader().load_word(kHome, kWhere, 4)) << "of another size";
  EXPECT_FALSE(reader().load_word(kThird, kWhere, 8));
  EXPECT_EQ(home().loads_of(kWhere), 1U);
  write_number(regions_[0], kWhere, 8);
  EXPECT_FALSE(reader().load_word(kHome, kWhere, 8)) << "a plain store has changed it";
  write_number(regions_[0], kWhere, 7);
  home().hide_word(kWhere);
  EXPECT_FALSE(reader().load_word(kHome, kWhere, 8));
}

TEST_F(HostMemoryTest, AWordTakesThePlaceOfAnother) {
  constexpr GlobalOffset kSamePlace(kWhere.bytes() + 64 * 4);
  home().show_word(word_at(kWhere, 0));
  home().show_word(word_at(kSamePlace, 0));
  EXPECT_FALSE(reader().load_word(kHome, kWhere, 8));
  EXPECT_TRUE(reader().load_word(kHome, kSamePlace, 8));
  home().hide_word(kWhere);
  EXPECT_TRUE(reader().load_word(kHome, kSamePlace, 8)) << "the other one was hidden";
}

TEST_F(HostMemoryTest, NoWordIsShownBeyondAnEpoch) {
  home().begin_epoch(Epoch(3));
  home().show_word(word_at(kWhere, 0));
  home().end_epoch();
  home().begin_epoch(Epoch(4));
  EXPECT_FALSE(reader().load_word(kHome, kWhere, 8));
}

TEST_F(HostMemoryTest, RecordsAreShownByTheirNumbers) {
  const std::array<IntervalNumber, 2> clock{IntervalNumber(0), IntervalNumber(2)};
  EXPECT_TRUE(reader().knows_no_more(kHome, {}));
  home().note_known(kReader, IntervalNumber(2));
  EXPECT_FALSE(reader().knows_no_more(kHome, {}));
  EXPECT_TRUE(reader().knows_no_more(kHome, clock));
  home().note_known(kThird, IntervalNumber(1));
  EXPECT_FALSE(reader().knows_no_more(kHome, clock));
  home().forget_known();
  EXPECT_TRUE(reader().knows_no_more(kHome, {}));
}

// As a home does it: hides, stores, tells its record, shows. Values come again.
TEST_F(HostMemoryTest, WhoLoadsAWordFindsTheRecordsThatItWasStoredBehind) {
  constexpr std::uint64_t kStores = 200'000;
  std::jthread storing([this] {
    for (std::uint64_t i = 1; i <= kStores; ++i) {
      home().hide_word(kWhere);
      write_number(regions_[0], kWhere, i % 8);
      home().note_known(kHome, IntervalNumber(i));
      home().show_word(word_at(kWhere, i % 8));
    }
  });
  std::uint64_t clock = 0;
  while (clock < kStores) {
    const std::array<IntervalNumber, 1> mine{IntervalNumber(clock)};
    const auto word = reader().load_word(kHome, kWhere, 8);
    if (!word) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, word->value.data(), sizeof value);
    // Who knows no less than the home has the record of that very value.
    if (reader().knows_no_more(kHome, mine)) {
      ASSERT_EQ(value, clock % 8) << "behind store " << clock;
    } else {
      while (!reader().knows_no_more(kHome, std::array{IntervalNumber(clock)})) ++clock;
    }
  }
  storing.join();
  EXPECT_EQ(reader().load_word(kHome, kWhere, 8), word_at(kWhere, kStores % 8));
}

TEST_F(HostMemoryTest, PagesAreOpenedAndClosed) {
  home().open(PageIndex(64));
  home().open(PageIndex(65));
  home().close({PageIndex(60), 5});
  EXPECT_FALSE(reader().is_open(kHome, PageIndex(64)));
  EXPECT_TRUE(reader().is_open(kHome, PageIndex(65)));
  EXPECT_FALSE(reader().is_open(kThird, PageIndex(65)));
  EXPECT_FALSE(reader().is_exposed(kHome, PageIndex(65)));
}

TEST_F(HostMemoryTest, AnOperationIsDoneInTheRegionOfTheHome) {
  home().open(kWhere.page());
  EXPECT_FALSE(home().take_operated());
  ASSERT_TRUE(reader().operate(kHome, add_to(kWhere, 5), kAlways));
  const auto second = reader().operate(kHome, add_to(kWhere, 2), kAlways);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->before[0], std::byte{5});
  EXPECT_EQ(second->after[0], std::byte{7});
  EXPECT_EQ(number_at(regions_[0], kWhere), 7U);
  EXPECT_TRUE(home().take_operated());
  EXPECT_FALSE(home().take_operated()) << "none since";
}

TEST_F(HostMemoryTest, AnOperationThatMayNotBeIsNotDone) {
  home().open(kWhere.page());
  EXPECT_FALSE(reader().operate(kHome, add_to(kWhere, 5), [] { return false; }));
  EXPECT_EQ(number_at(regions_[0], kWhere), 0U);
}

// The operation ends only after the home has begun to close the page.
TEST_F(HostMemoryTest, WhatEndsAtTheHomeWaitsForOperations) {
  const auto close = [this] { home().close({kWhere.page(), 1}); };
  const auto end = [this] { home().end_epoch(); };
  for (const std::function<void()>& change : {std::function<void()>(close), {end}}) {
    home().begin_epoch(Epoch(3));
    home().open(kWhere.page());
    const std::uint32_t before = number_at(regions_[0], kWhere);
    std::atomic<bool> has_begun = false;
    std::thread other([&] {
      (void)reader().operate(kHome, add_to(kWhere, 1), [&] {
        has_begun = true;
        while (reader().is_open(kHome, kWhere.page()) &&
               reader().epoch_of(kHome) == ShownEpoch{Epoch(3)}) {
          std::this_thread::yield();
        }
        return true;
      });
    });
    while (!has_begun) std::this_thread::yield();
    change();
    EXPECT_EQ(number_at(regions_[0], kWhere), before + 1);
    other.join();
  }
}

class FarMemoryTest : public HostMemoryTest {
  void change(std::vector<HostMemoryPlace>& places) override { places[0].host = "another"; }
};
TEST_F(FarMemoryTest, NodesOfAnotherHostAreNotReached) {
  EXPECT_FALSE(reader().reaches(kHome));
  EXPECT_TRUE(reader().reaches(kThird));
  EXPECT_EQ(reader().meeting(), nullptr) << "not all of them can be";
}

// As in a namespace of its own, where the number is another process's.
class OtherFileTest : public HostMemoryTest {
  void change(std::vector<HostMemoryPlace>& places) override {
    places[0].region = places[2].region;
    places[2].facts = places[0].facts;
  }
};
TEST_F(OtherFileTest, AnotherFileIsKnownByItsNumber) {
  EXPECT_FALSE(reader().reaches(kHome));
  EXPECT_FALSE(reader().reaches(kThird));
}

class GoneTest : public HostMemoryTest {
  void change(std::vector<HostMemoryPlace>& places) override { places[0].region = 1'000'000; }
};
TEST_F(GoneTest, AFileThatIsNotThereIsNotReached) { EXPECT_FALSE(reader().reaches(kHome)); }

}  // namespace
}  // namespace weft

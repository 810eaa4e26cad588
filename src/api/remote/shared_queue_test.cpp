// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/shared_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "api/remote/records.hpp"

namespace weft::remote {
namespace {

using testing::ElementsAre;

constexpr std::size_t kNumbers = 8;  // each on a page of its own, and of another home

// Pages that come when the test says so.
class FakePages final : public SharedPages {
 public:
  std::vector<PageRange> ask(std::byte* there, const Operation& /*operation*/) override {
    const PageRange page{PageIndex(static_cast<std::uint64_t>(index_of(there))), 1};
    happened_.push_back("ask " + std::to_string(index_of(there)));
    if (!here_.contains(page.first)) coming_.insert(page);
    return {page};
  }
  bool are_under_way(const std::vector<PageRange>& pages) override {
    for (const PageRange& range : pages) {
      if (!coming_.intersection(range).empty()) return true;
    }
    return false;
  }
  void fetch(const std::vector<PageRange>& pages) override {
    std::uint64_t count = 0;
    for (const PageRange& range : pages) {
      count += range.count;
      bring(range);
    }
    happened_.push_back("wait for " + std::to_string(count));
  }
  std::uint64_t losses() override { return losses_; }
  void perform(std::byte* there, const Operation& own) override {
    const bool puts = own.kind == Kind::kPut;
    happened_.push_back((puts ? "put " : "get ") + std::to_string(index_of(there)));
    std::memcpy(puts ? there : own.near, puts ? own.near : there, own.bytes);
  }
  void end(Record& record) override { ended_.push_back(&record); }

  void bring(PageRange range) {
    coming_.erase(range);
    here_.insert(range);
  }
  void bring(std::uint64_t page) { bring({PageIndex(page), 1}); }
  void lose(std::uint64_t page) {
    coming_.erase(PageIndex(page));
    here_.erase(PageIndex(page));
    ++losses_;
  }
  std::byte* place(std::size_t index) { return reinterpret_cast<std::byte*>(&numbers[index]); }
  std::vector<std::string> happened() { return std::exchange(happened_, {}); }
  std::vector<const Record*> ended() { return std::exchange(ended_, {}); }

  std::array<std::uint64_t, kNumbers> numbers{10, 11, 12, 13, 14, 15, 16, 17};

 private:
  std::ptrdiff_t index_of(std::byte* there) {
    return reinterpret_cast<std::uint64_t*>(there) - numbers.data();
  }

  PageSet coming_, here_;
  std::uint64_t losses_ = 0;
  std::vector<std::string> happened_;
  std::vector<const Record*> ended_;
};

class SharedQueueTest : public testing::Test {
 protected:
  bool get(std::size_t index) { return begin(Kind::kGet, index, into_[index]); }
  bool put(std::size_t index, std::uint64_t& value) { return begin(Kind::kPut, index, value); }
  bool begin(Kind kind, std::size_t index, std::uint64_t& near) {
    Operation operation{.kind = kind};
    operation.bytes = sizeof near;
    operation.near = reinterpret_cast<std::byte*>(&near);
    return queue_.begin(pages_, pages_.place(index), operation,
                        [&]() -> Record& { return records_[index]; });
  }

  FakePages pages_;
  SharedQueue queue_;
  std::array<Record, kNumbers> records_;
  std::array<std::uint64_t, kNumbers> into_{};
};

TEST_F(SharedQueueTest, WhatIsHereIsOverAtOnce) {
  pages_.bring(2);
  EXPECT_TRUE(get(2));
  EXPECT_EQ(into_[2], 12);
  EXPECT_THAT(pages_.happened(), ElementsAre("ask 2", "get 2"));
  EXPECT_THAT(pages_.ended(), ElementsAre());
}

TEST_F(SharedQueueTest, ManyAreUnderWayAtOnceAndCostOneWait) {
  for (std::size_t i = 0; i < kNumbers; ++i) EXPECT_FALSE(get(i));
  EXPECT_THAT(pages_.happened(),
              ElementsAre("ask 0", "ask 1", "ask 2", "ask 3", "ask 4", "ask 5", "ask 6", "ask 7"));
  queue_.finish(pages_, queue_.count_until(records_[kNumbers - 1]));
  EXPECT_THAT(pages_.happened(), ElementsAre("wait for 8", "get 0", "get 1", "get 2", "get 3",
                                             "get 4", "get 5", "get 6", "get 7"));
  for (std::size_t i = 0; i < kNumbers; ++i) EXPECT_EQ(into_[i], 10 + i);
}

TEST_F(SharedQueueTest, GoesOnInOrderAsPagesCome) {
  EXPECT_FALSE(get(0));
  EXPECT_FALSE(get(1));
  pages_.bring(1);
  queue_.advance(pages_);
  EXPECT_THAT(pages_.ended(), ElementsAre());
  pages_.bring(0);
  queue_.advance(pages_);
  EXPECT_THAT(pages_.ended(), ElementsAre(&records_[0], &records_[1]));
  EXPECT_TRUE(queue_.empty());
}

// Its page is here, but a put to it waits behind another one.
TEST_F(SharedQueueTest, AGetSeesThePutBeforeIt) {
  std::uint64_t value = 99;
  pages_.bring(1);
  EXPECT_FALSE(get(0));
  EXPECT_FALSE(put(1, value));
  value = 0;  // it has been read
  EXPECT_FALSE(get(1));
  EXPECT_EQ(pages_.numbers[1], 11);
  queue_.finish_all(pages_);
  EXPECT_EQ(pages_.numbers[1], 99);
  EXPECT_EQ(into_[1], 99);
}

TEST_F(SharedQueueTest, WaitsForTheOldestAlone) {
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(get(i));
  queue_.finish(pages_, queue_.count_until(records_[1]));
  EXPECT_THAT(pages_.ended(), ElementsAre(&records_[0], &records_[1]));
  queue_.finish(pages_, queue_.count_of_oldest(1));
  EXPECT_THAT(pages_.ended(), ElementsAre(&records_[2]));
  EXPECT_EQ(queue_.count_until(records_[0]), 0);
  EXPECT_EQ(queue_.count_of_oldest(5), 1);
}

TEST_F(SharedQueueTest, AsksOnceMoreForPagesThatWereTakenAway) {
  EXPECT_FALSE(get(3));
  pages_.lose(3);
  queue_.advance(pages_);
  EXPECT_THAT(pages_.happened(), ElementsAre("ask 3", "ask 3"));
  pages_.lose(3);  // and then gets on all the same
  queue_.advance(pages_);
  EXPECT_THAT(pages_.happened(), ElementsAre("get 3"));
  EXPECT_EQ(into_[3], 13);
}

TEST_F(SharedQueueTest, WaitsBeforeTooMuchIsUnderWay) {
  std::vector<std::uint64_t> many(SharedQueue::kMostBytes / sizeof(std::uint64_t) / 2 + 1);
  const auto begin_large = [&](std::size_t index) {
    Operation operation{.kind = Kind::kGet};
    operation.bytes = sizeof many[0];
    operation.stride = 0;
    operation.count = many.size();
    operation.near = reinterpret_cast<std::byte*>(many.data());
    return queue_.begin(pages_, pages_.place(index), operation,
                        [&]() -> Record& { return records_[index]; });
  };
  EXPECT_FALSE(begin_large(0));
  EXPECT_FALSE(begin_large(1));
  EXPECT_THAT(pages_.happened(), ElementsAre("ask 0", "ask 1", "wait for 1", "get 0"));
  EXPECT_THAT(pages_.ended(), ElementsAre(&records_[0]));
}

}  // namespace
}  // namespace weft::remote

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/copy_queue.hpp"

#include <gtest/gtest.h>

#include "protocol/context/test_surroundings.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kKept = 10;

PageSet set_of(std::uint64_t first, std::uint64_t count) {
  PageSet pages;
  pages.insert(PageRange{PageIndex(first), count});
  return pages;
}

// Node 1 of two, and copies of pages homed on node 0.
class CopyQueueTest : public testing::Test {
 protected:
  static EngineConfig config() { return config_with_one_home(NodeId(1), 2, 1000, NodeId(0)); }

  void arrive(std::uint64_t first, std::uint64_t count) {
    ++request_;
    for_each_page(PageRange{PageIndex(first), count}, [&](PageIndex page) {
      Page& entry = table_.at(page);
      entry.state = Machine<PageStates>(PageState::kValid);
      entry.fetched = request_;
      entry.mapped = true;
    });
    queue_.add(PageRange{PageIndex(first), count}, request_);
  }

  // As the engine does with what is taken, and with what gets its second chance.
  void lose(const PageSet& pages) {
    for (const PageRange& range : pages.ranges()) {
      for_each_page(range, [&](PageIndex page) {
        table_.at(page).state = Machine<PageStates>(PageState::kInvalid);
      });
    }
  }
  void unmap(const PageSet& pages) {
    for (const PageRange& range : pages.ranges()) {
      for_each_page(range, [&](PageIndex page) { table_.at(page).mapped = false; });
    }
  }

  const EngineConfig config_ = config();
  PageTable table_{config_};
  CopyQueue queue_{table_};
  std::uint32_t request_ = 0;
};

TEST_F(CopyQueueTest, TakesTheOldestAndKeepsTheNewest) {
  arrive(0, 20);
  arrive(100, 15);
  EXPECT_EQ(queue_.take(5, kKept, {}), set_of(0, 5));
  PageSet rest = set_of(5, 15);
  rest.insert(set_of(100, 5));
  EXPECT_EQ(queue_.take(100, kKept, {}), rest);
  EXPECT_TRUE(queue_.take(100, kKept, {}).empty());
}

TEST_F(CopyQueueTest, SparedPagesKeepTheirPlace) {
  arrive(0, 30);
  EXPECT_EQ(queue_.take(3, kKept, set_of(0, 2)), set_of(2, 3));
  EXPECT_EQ(queue_.take(3, kKept, {}), [] {
    PageSet pages = set_of(0, 2);
    pages.insert(PageIndex(5));
    return pages;
  }());
}

TEST_F(CopyQueueTest, PagesThatWentOtherwiseAreNotTaken) {
  arrive(0, 30);
  lose(set_of(0, 4));
  arrive(2, 1);
  EXPECT_EQ(queue_.take(2, kKept, {}), set_of(4, 2));
}

TEST_F(CopyQueueTest, ASecondChanceSavesWhatIsTouched) {
  arrive(0, 90);
  const PageSet tested = queue_.test(kKept, {});
  EXPECT_EQ(tested, set_of(0, 30)) << "half as many as stay mapped";
  unmap(tested);
  arrive(7, 1);  // touched
  PageSet untouched = set_of(0, 30);
  untouched.erase(PageIndex(7));
  EXPECT_EQ(queue_.take(29, kKept, {}), untouched);
  EXPECT_EQ(queue_.take(1, kKept, {}), set_of(30, 1));
}

TEST_F(CopyQueueTest, NoSecondChanceForInitialContentsNorForSparedPages) {
  for_each_page(PageRange{PageIndex(0), 10},
                [&](PageIndex page) { table_.at(page).mapped = true; });
  queue_.add(PageRange{PageIndex(0), 10}, 0);
  arrive(10, 20);
  const PageSet tested = queue_.test(kKept, set_of(10, 5));
  EXPECT_TRUE(tested.contains(PageIndex(15)));
  EXPECT_TRUE(tested.ranges().front().first == PageIndex(15))
      << tested.ranges().front().first.value();
}

// A set of pages that is read all the time stays, however many others come and go.
TEST_F(CopyQueueTest, AWorkingSetOutlivesAStream) {
  arrive(0, 20);
  for (std::uint64_t next = 100; next < 1000; next += 10) {
    arrive(next, 10);
    lose(queue_.take(next < 200 ? 0 : 10, kKept, {}));
    unmap(queue_.test(kKept, {}));
    for (std::uint64_t page = 0; page < 20; ++page) {
      const Page& entry = table_.at(PageIndex(page));
      ASSERT_EQ(entry.state, PageState::kValid) << "page " << page << ", when " << next << " came";
      if (!entry.mapped) arrive(page, 1);
    }
  }
}

}  // namespace
}  // namespace weft

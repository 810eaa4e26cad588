// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interface/call_sites.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace weft {
namespace {

std::uint64_t count_of(const CallSites::Site& site, SiteCount what) {
  return site.counts[static_cast<std::size_t>(what)];
}

SiteCounts counts_at(const CallSites& sites, std::uintptr_t address) {
  const std::vector<CallSites::Site> all = sites.all();
  const auto found = std::ranges::find(all, address, &CallSites::Site::address);
  return found == all.end() ? SiteCounts{} : found->counts;
}

TEST(CallSites, CountEachPlaceByItself) {
  CallSites sites;
  EXPECT_TRUE(sites.all().empty());
  sites.at(0x401000).add(SiteCount::kCalls);
  sites.at(0x401000).add(SiteCount::kPagesPrefetched, 12);
  sites.at(0x401001).add(SiteCount::kCalls);
  sites.at(0x401001).add(SiteCount::kMisses, 3);
  sites.at(0x401001).add(SiteCount::kLate);
  ASSERT_EQ(sites.all().size(), 2U);
  EXPECT_EQ(counts_at(sites, 0x401000), (SiteCounts{1, 0, 0, 0, 12, 0, 0, 0}));
  EXPECT_EQ(counts_at(sites, 0x401001), (SiteCounts{1, 0, 0, 0, 0, 0, 3, 1}));
}

TEST(CallSites, ThoseWithoutRoomAreCountedAsOne) {
  CallSites sites;
  constexpr std::size_t kMore = 100;
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t each = 1; each <= CallSites::kMost + kMore; ++each) {
      sites.at(16 * each).add(SiteCount::kCalls);
    }
  }
  const std::vector<CallSites::Site> all = sites.all();
  ASSERT_EQ(all.size(), CallSites::kMost + 1);
  for (const CallSites::Site& site : all) {
    EXPECT_EQ(count_of(site, SiteCount::kCalls), site.address == 0 ? 2 * kMore : 2) << site.address;
    EXPECT_LE(site.address, 16 * CallSites::kMost);
  }
}

TEST(CallSites, CountForThreadsThatComeAtOnce) {
  CallSites sites;
  constexpr std::size_t kPlaces = 1000, kThreads = 4;
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (std::size_t each = 1; each <= kPlaces; ++each) sites.at(each).add(SiteCount::kCalls);
      });
    }
  }
  const std::vector<CallSites::Site> all = sites.all();
  ASSERT_EQ(all.size(), kPlaces);
  for (const CallSites::Site& site : all) EXPECT_EQ(count_of(site, SiteCount::kCalls), kThreads);
}

// Counting begins once in a process, so this is one test.
TEST(CountedSites, AreChargedWithTheirThreadsMisses) {
  EXPECT_EQ(count_call(0x10), nullptr);
  count_absent_page(/*is_under_way=*/false);  // of nobody
  leave_said_loop();
  begin_counting_sites();
  const CallSites& sites = *counted_sites();
  count_absent_page(false);  // before any call
  EXPECT_TRUE(sites.all().empty());

  EXPECT_NE(count_call(0x10), nullptr);
  count_absent_page(false);
  count_absent_page(true);
  count_at(count_call(0x20), SiteCount::kNotHeard);
  count_absent_page(false);
  count_absent_page(false);
  std::jthread([] { count_absent_page(false); }).join();  // has made no call
  leave_said_loop();
  count_absent_page(false);
  EXPECT_EQ(counts_at(sites, 0x10), (SiteCounts{1, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(counts_at(sites, 0x20), (SiteCounts{1, 1, 0, 0, 0, 0, 2, 0}));
}

}  // namespace
}  // namespace weft

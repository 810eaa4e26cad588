// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/homes/writers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

constexpr NodeId kA(3), kB(1), kC(2);

PageRange pages(std::uint64_t first, std::uint64_t count) { return {PageIndex(first), count}; }

TEST(Writers, CutsPagesWhereTheWritersChange) {
  const std::vector<Notice> notices = {{kA, PageSet{pages(0, 10), pages(20, 1)}},
                                       {kB, PageSet{pages(5, 10)}}};
  const std::vector<WrittenRun> expected = {
      {pages(0, 5), {kA}}, {pages(5, 5), {kB, kA}}, {pages(10, 5), {kB}}, {pages(20, 1), {kA}}};
  EXPECT_EQ(written_runs(notices, {}), expected);
  EXPECT_TRUE(written_runs({}, {}).empty());
}

TEST(Writers, CutsPagesWhereTheyBeginToBeReplaced) {
  const std::vector<Notice> notices = {{kA, PageSet{pages(0, 10), pages(20, 4)}}};
  const std::vector<WrittenRun> expected = {{pages(0, 2), {kA}},
                                            {pages(2, 3), {kA}, true},
                                            {pages(5, 4), {kA}},
                                            {pages(9, 1), {kA}, true},
                                            {pages(20, 4), {kA}, true}};
  EXPECT_EQ(written_runs(notices, PageSet{pages(2, 3), pages(9, 30)}), expected);
}

TEST(Writers, AgreesWithACountPageByPage) {
  Random random(5);
  for (int repetition = 0; repetition < 300; ++repetition) {
    std::vector<Notice> notices;
    std::map<std::uint64_t, std::set<NodeId>> expected;
    for (const NodeId writer : {kA, kB, kC}) {
      Notice notice{writer, {}};
      for (std::uint64_t left = random.below(4); left > 0; --left) {
        notice.pages.insert(pages(random.below(30), random.below(8)));
      }
      for (std::uint64_t page = 0; page < 40; ++page) {
        if (notice.pages.contains(PageIndex(page))) expected[page].insert(writer);
      }
      notices.push_back(notice);
    }
    std::map<std::uint64_t, std::set<NodeId>> found;
    for (const WrittenRun& run : written_runs(notices, {})) {
      for (std::uint64_t page = run.pages.first.value(); page < run.pages.end().value(); ++page) {
        EXPECT_TRUE(
            found.emplace(page, std::set<NodeId>(run.writers.begin(), run.writers.end())).second);
      }
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace weft

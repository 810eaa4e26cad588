// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host allows, to whom, and what happens when it runs out.
#include "memory/watching/back_end.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

constexpr uid_t kNobody = 65534;

// Runs `body` in a child process that has no privileges; it returns an exit status.
int run_as_nobody(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(98);
    prctl(PR_SET_DUMPABLE, 1);  // as after an exec: /proc/self belongs to the user again
    _exit(body());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "the child died of signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
}

// Faults, finds writes and makes a diff. 0 if all went well.
int exercise(const BackEnd& back_end) {
  TestNode node(back_end, 16);
  node.write(PageIndex(3), 5, 1);
  if (node.read(PageIndex(4), 0) != 0 || node.absent_faults != 2) return 1;
  const std::lock_guard guard(node.lock);
  PageSet written;
  node.memory().collect_written({PageIndex(0), 16}, written);
  if (written != PageSet{{PageIndex(3), 1}}) return 2;
  if (node.memory().make_diff(PageIndex(3)).empty()) return 3;
  node.memory().unmap({PageIndex(0), 16});
  return 0;
}

TEST(BackEnds, UnprivilegedUserGetsUserModeUserfaultfd) {
  const auto here = choose_back_end({.name = "uffd-async"});
  if (!here.ok()) GTEST_SKIP() << here.error();
  const int status = run_as_nobody([] {
    const auto chosen = choose_back_end({});
    if (!chosen.ok() || chosen.value().name() != "uffd-async") return 90;
    return exercise(chosen.value());
  });
  EXPECT_EQ(status, 0);
}

class AsNobody : public testing::TestWithParam<NamedBackEnd> {};

TEST_P(AsNobody, Works) {
  BackEnd back_end = GetParam().back_end;
  back_end.uffd.user_mode_only = true;
  EXPECT_EQ(run_as_nobody([&] { return exercise(back_end); }), 0);
}

INSTANTIATE_TEST_SUITE_P(Memory, AsNobody, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

TEST(BackEnds, AreForcedByName) {
  for (const BackEndReport& report : report_back_ends()) {
    const auto chosen = choose_back_end({.name = report.name});
    EXPECT_EQ(chosen.ok(), report.works) << report.remark;
    if (chosen.ok()) EXPECT_EQ(chosen.value().name(), report.name);
  }
  const auto best = choose_back_end({});
  ASSERT_TRUE(best.ok()) << best.error();
  const auto unknown = choose_back_end({.name = "magic"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().find("magic"), std::string::npos);
}

TEST(BackEnds, HostIsDescribed) {
  const std::string text = describe_host();
  EXPECT_NE(text.find("mprotect     works"), std::string::npos) << text;
  EXPECT_NE(text.find("max_map_count"), std::string::npos) << text;
}

TEST(BackEnds, MprotectSaysThatMappingsRanOut) {
  unsigned long limit = 0;
  std::FILE* file = std::fopen("/proc/sys/vm/max_map_count", "re");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fscanf(file, "%lu", &limit), 1);
  std::fclose(file);
  if (limit > 200000) GTEST_SKIP() << "it would take too long here";
  auto region =
      Region::create({{.name = "a", .address = {}, .bytes = (2 * limit + 100) * kPageBytes}});
  ASSERT_TRUE(region.ok()) << region.error();
  auto watcher = make_watcher(BackEnd{}, *region.value());
  ASSERT_TRUE(watcher.ok()) << watcher.error();
  Status status;
  for (std::uint64_t page = 0; page < region.value()->page_count() && status; page += 2) {
    status = watcher.value()->stop_tracking({PageIndex(page), 1});
  }
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().find("vm.max_map_count"), std::string::npos) << status.error();
}

TEST(MemoryLimit, DroppedPagesGiveTheirMemoryBack) {
  constexpr std::uint64_t kPages = 64;
  TestNode node(BackEnd{}, kPages, {.limit_bytes = 20 * kPageBytes, .fail = {}});
  for (std::uint64_t page = 0; page < kPages; ++page) {
    node.write(PageIndex(page), 0, 1);
    const std::lock_guard guard(node.lock);
    node.memory().unmap({PageIndex(page), 1});
    node.memory().drop({PageIndex(page), 1});
    EXPECT_LE(node.memory().counters().resident_bytes, 20 * kPageBytes);
  }
  EXPECT_GT(node.memory().counters().pages_given_back, 40U);
}

TEST(MemoryLimit, ExhaustionEndsInASentence) {
  const auto exhaust = [] {
    const auto fail = [](const std::string& sentence) {
      std::fprintf(stderr, "%s\n", sentence.c_str());
      _exit(3);
    };
    TestNode node(BackEnd{}, 64, {.limit_bytes = 20 * kPageBytes, .fail = fail});
    for (std::uint64_t page = 0; page < 64; ++page) node.write(PageIndex(page), 0, 1);
  };
  EXPECT_EXIT(exhaust(), testing::ExitedWithCode(3), "shared memory is exhausted");
}

TEST(MemoryLimit, AsksForPagesInTime) {
  TestNode node(BackEnd{}, 64, {.limit_bytes = 32 * kPageBytes, .fail = {}});
  const auto touch = [&](std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t page = first; page < first + count; ++page) {
      *reinterpret_cast<volatile std::byte*>(node.program(PageIndex(page)));
    }
  };
  const auto resident = [&] { return node.memory().counters().resident_bytes / kPageBytes; };
  touch(0, 22);
  const std::lock_guard guard(node.lock);
  const std::uint64_t taken = resident();
  ASSERT_LE(taken, 24U);
  EXPECT_EQ(node.memory().shortage().pages, 0U);
  for (std::uint64_t page = 22; resident() <= 24; ++page) {
    node.memory().install(PageIndex(page), node.memory().contents(PageIndex(page)));
  }
  const std::uint64_t wanted = node.memory().shortage().pages;
  EXPECT_GE(wanted, resident() - 20);
  // Once they are dropped, they take no memory any more.
  node.memory().unmap({PageIndex(0), wanted});
  node.memory().drop({PageIndex(0), wanted});
  EXPECT_EQ(node.memory().shortage().pages, 0U);
  EXPECT_LE(resident(), 24U);
}

}  // namespace
}  // namespace weft

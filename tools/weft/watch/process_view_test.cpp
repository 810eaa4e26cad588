// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes of the test's own, as /proc shows them.
#include "weft/watch/process_view.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <functional>

namespace weft {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

// A child that does something, says so, and waits to be killed.
class Child {
 public:
  explicit Child(const std::function<void()>& work) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      work();
      if (write(ready[1], "", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // And until that is so.
  void send(int signal, int options) const {
    kill(pid_, signal);
    siginfo_t info = {};
    EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid_), &info, options | WNOWAIT), 0);
  }

 private:
  pid_t pid_ = 0;
};

TEST(ProcessView, TellsRunningStoppedAndEndedApart) {
  const Child child([] {});
  EXPECT_EQ(look_at_process(child.pid()).phase, ProcessPhase::kRunning);
  EXPECT_FALSE(is_stopped(child.pid()));
  child.send(SIGSTOP, WSTOPPED);
  EXPECT_EQ(look_at_process(child.pid()).phase, ProcessPhase::kStopped);
  EXPECT_TRUE(is_stopped(child.pid()));
  child.send(SIGCONT, WCONTINUED);
  EXPECT_EQ(look_at_process(child.pid()).phase, ProcessPhase::kRunning);
  child.send(SIGKILL, WEXITED);
  EXPECT_EQ(look_at_process(child.pid()).phase, ProcessPhase::kEnded);
}

TEST(ProcessView, KnowsNothingOfAProcessThatIsNot) {
  constexpr pid_t kNobody = 1 << 30;  // above every limit of process numbers
  const ProcessView view = look_at_process(kNobody);
  EXPECT_EQ(view.phase, ProcessPhase::kUnknown);
  EXPECT_EQ(view.memory_bytes, 0U);
  EXPECT_FALSE(is_stopped(kNobody));
}

TEST(ProcessView, ReadsOnWhateverTheProcessIsCalled) {
  const Child child([] { prctl(PR_SET_NAME, ") Z 1 (x)"); });
  EXPECT_EQ(look_at_process(child.pid()).phase, ProcessPhase::kRunning);
}

// Private pages count once, and those of the region's file once, though they are mapped twice.
TEST(ProcessView, CountsPrivateMemoryAndTheRegion) {
  const Child empty([] {});
  const Child full([] {
    void* const mine =
        mmap(nullptr, 16 * kMebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(mine, 1, 16 * kMebibyte);
    const int region = memfd_create("weft", 0);
    if (ftruncate(region, 32 * kMebibyte) != 0) _exit(1);
    for (int view = 0; view < 2; ++view) {
      void* const shared =
          mmap(nullptr, 32 * kMebibyte, PROT_READ | PROT_WRITE, MAP_SHARED, region, 0);
      std::memset(shared, 1, 32 * kMebibyte);
    }
  });
  const std::uint64_t more =
      look_at_process(full.pid()).memory_bytes - look_at_process(empty.pid()).memory_bytes;
  EXPECT_GE(more, 48 * kMebibyte);
  EXPECT_LT(more, 50 * kMebibyte);
}

// It works until the kernel has counted as much, however long that takes.
TEST(ProcessView, CountsProcessorTime) {
  constexpr std::clock_t kWork = CLOCKS_PER_SEC / 10;
  const Child busy([] {
    while (std::clock() < kWork) {
    }
  });
  EXPECT_GE(look_at_process(busy.pid()).processor_ms, 80U);  // in ticks of 10 ms, or smaller ones
}

}  // namespace
}  // namespace weft

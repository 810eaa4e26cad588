// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real processes: one that waits for itself stands still, one that waits for anything else does
// not.
#include "weft/watch/kernel_view.hpp"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <new>
#include <string>

#include "base/testing/thread_state.hpp"

namespace weft {
namespace {

// What child and test share.
struct Shared {
  std::atomic<std::uint32_t> word{0};
};

class KernelViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ = new (memory) Shared;
  }
  void TearDown() override {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    munmap(shared_, sizeof(Shared));
  }

  // Returns once the child sleeps in what it does, which is the given system call.
  void start(long call, const std::function<void()>& sleep_for_ever) {
    child_ = fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      for (;;) sleep_for_ever();
    }
    const std::string file = "/proc/" + std::to_string(child_) + "/syscall";
    while (true) {
      FILE* const in = std::fopen(file.c_str(), "r");
      ASSERT_NE(in, nullptr);
      char line[256] = {};
      (void)!std::fgets(line, sizeof line, in);
      (void)std::fclose(in);
      const auto now = parse_system_call(line);
      if (now && now->number == call) return;
      sched_yield();
    }
  }

  // The thread says that it waits in Weft, or nothing.
  [[nodiscard]] std::optional<Standstill> look(bool waits_in_weft,
                                               bool ends_by_itself = false) const {
    board::NodeSnapshot shown;
    shown.state = board::NodeState::kComputing;
    if (waits_in_weft) {
      board::ThreadSnapshot thread;
      thread.thread = static_cast<std::uint32_t>(child_);
      thread.is_waiting = true;
      thread.kind = board::WaitKind::kBarrier;
      thread.ends_by_itself = ends_by_itself;
      shown.threads = {thread};
    }
    return standstill_of(child_, shown);
  }

  void wait_on_futex(int operation, const timespec* time) const {
    syscall(SYS_futex, &shared_->word, operation, 0, time, nullptr, 0);
  }

  Shared* shared_ = nullptr;
  pid_t child_ = -1;
};

constexpr timespec kLong = {1000, 0};

TEST_F(KernelViewTest, AThreadThatOnlyAThreadOfItsProcessCanWakeStandsStill) {
  start(SYS_futex, [&] { wait_on_futex(FUTEX_WAIT_PRIVATE, nullptr); });
  const auto first = look(false);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->others, std::vector{static_cast<std::uint32_t>(child_)});
  const auto second = look(false);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->fingerprint, first->fingerprint);
  EXPECT_TRUE(look(true).has_value());
}

TEST_F(KernelViewTest, ATimeCountsUnlessTheThreadWaitsInWeft) {
  start(SYS_futex, [&] { wait_on_futex(FUTEX_WAIT_PRIVATE, &kLong); });
  EXPECT_FALSE(look(false).has_value());
  EXPECT_TRUE(look(true).has_value());  // Weft looks again now and then
  EXPECT_FALSE(look(true, /*ends_by_itself=*/true).has_value());
}

TEST_F(KernelViewTest, AnotherProcessMayWakeAFutexThatIsShared) {
  start(SYS_futex, [&] { wait_on_futex(FUTEX_WAIT, nullptr); });
  EXPECT_FALSE(look(false).has_value());
}

TEST_F(KernelViewTest, AnyOtherSystemCallIsNoStandstillWhateverTheBoardSays) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  start(SYS_read, [&] {
    char byte;
    (void)!read(ends[0], &byte, 1);
  });
  EXPECT_FALSE(look(false).has_value());
  EXPECT_FALSE(look(true).has_value());
  close(ends[0]);
  close(ends[1]);
}

TEST_F(KernelViewTest, SleepingIsNoStandstill) {
  start(SYS_clock_nanosleep, [] { nanosleep(&kLong, nullptr); });
  EXPECT_FALSE(look(true).has_value());
}

TEST_F(KernelViewTest, ComputingIsNoStandstillWhateverTheBoardSays) {
  start(SYS_futex, [&] {
    wait_on_futex(FUTEX_WAIT, nullptr);
    while (shared_->word.load() != 0) {
    }
  });
  shared_->word = 1;
  syscall(SYS_futex, &shared_->word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  // It has been woken: from here on it runs, or is about to.
  for (int each = 0; each < 100; ++each) EXPECT_FALSE(look(true).has_value());
}

TEST_F(KernelViewTest, AStoppedProcessIsNoStandstill) {
  start(SYS_futex, [&] { wait_on_futex(FUTEX_WAIT_PRIVATE, nullptr); });
  kill(child_, SIGSTOP);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child_), &info, WSTOPPED), 0);
  EXPECT_FALSE(look(true).has_value());
}

TEST_F(KernelViewTest, SeesWhetherTheProgramHandlesSignals) {
  start(SYS_futex, [&] { wait_on_futex(FUTEX_WAIT_PRIVATE, nullptr); });
  EXPECT_FALSE(look(true)->handles_signals);
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  start(SYS_futex, [&] {
    signal(SIGUSR1, [](int) {});
    wait_on_futex(FUTEX_WAIT_PRIVATE, nullptr);
  });
  EXPECT_TRUE(look(true)->handles_signals);
}

TEST_F(KernelViewTest, ANodeThatStartsOrHasThreadsWithoutASlotDoesNotStandStill) {
  start(SYS_futex, [&] { wait_on_futex(FUTEX_WAIT_PRIVATE, nullptr); });
  board::NodeSnapshot shown;
  EXPECT_FALSE(standstill_of(child_, shown).has_value());
  shown.state = board::NodeState::kComputing;
  EXPECT_TRUE(standstill_of(child_, shown).has_value());
  shown.threads_left_out = 1;
  EXPECT_FALSE(standstill_of(child_, shown).has_value());
}

TEST(SystemCallLine, IsRead) {
  EXPECT_FALSE(parse_system_call("running\n").has_value());
  EXPECT_FALSE(parse_system_call("").has_value());
  EXPECT_FALSE(parse_system_call("202 0x1 0x2\n").has_value());
  EXPECT_EQ(parse_system_call("-1 0x7ff 0x55\n")->number, -1);
  const auto call = parse_system_call("202 0x10 0x80 0x1 0x0 0x0 0xff 0x7ff 0x55\n");
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->number, 202);
  EXPECT_EQ(call->arguments[1], 0x80U);
  EXPECT_EQ(call->arguments[5], 0xffU);
}

}  // namespace
}  // namespace weft

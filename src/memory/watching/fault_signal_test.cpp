// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults that are the program's own must end as if Weft were not there.
#include "memory/watching/fault_signal.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csetjmp>

#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

volatile char* wild_pointer() {
  return static_cast<volatile char*>(
      mmap(nullptr, kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

class FaultSignals : public testing::TestWithParam<NamedBackEnd> {};

TEST_P(FaultSignals, WildPointerIsTheOrdinaryCrash) {
  const auto crash = [] {
    TestNode node(GetParam().back_end, 4);
    node.write(PageIndex(1), 0, 1);
    *wild_pointer() = 1;
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGSEGV), "");
}

TEST_P(FaultSignals, NullPointerReachesTheProgramsHandlerWithItsAddress) {
  const auto crash = [] {
    TestNode node(GetParam().back_end, 4);
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      _exit(info->si_addr == reinterpret_cast<void*>(0x18) ? 7 : 8);
    };
    set_program_action(SIGSEGV, action);
    node.write(PageIndex(1), 0, 1);
    volatile std::uintptr_t null_field = 0x18;
    *reinterpret_cast<volatile char*>(null_field) = 1;
  };
  EXPECT_EXIT(crash(), testing::ExitedWithCode(7), "");
}

// Mapping what surrounds a guard, in one go or by a fault, must not open it.
TEST_P(FaultSignals, GuardStaysClosed) {
  const auto crash = [](bool first_by_fault) {
    auto region = Region::create({{.name = "stack", .address = {}, .bytes = 8 * kPageBytes}});
    WEFT_ASSERT(region.ok() && region.value()->guard({PageIndex(3), 2}).ok());
    auto watcher = make_watcher(GetParam().back_end, *region.value());
    WEFT_ASSERT(watcher.ok(), "{}", watcher.error());
    auto memory = WatchedMemory::create(*region.value(), std::move(watcher.value()));
    WEFT_ASSERT(memory.ok());
    memory.value()->map_tracked({PageIndex(0), 8}, Twin::kPresent);
    memory.value()->unmap({PageIndex(0), 8});
    memory.value()->map_untracked({PageIndex(0), 8});
    auto* begin =
        reinterpret_cast<volatile char*>(region.value()->program_address(GlobalOffset(0)).value());
    for (const int page : {0, 2, 5, 7}) begin[page * kPageBytes] = 1;
    begin[(first_by_fault ? 3 : 4) * kPageBytes] = 1;
  };
  EXPECT_EXIT(crash(true), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(crash(false), testing::KilledBySignal(SIGSEGV), "");
}

TEST_P(FaultSignals, ProgramsHandlerMayJumpOutAndFaultAgain) {
  const auto crash = [] {
    static sigjmp_buf back;
    TestNode node(GetParam().back_end, 4);
    struct sigaction action = {};
    action.sa_handler = [](int) { siglongjmp(back, 1); };
    set_program_action(SIGSEGV, action);
    volatile int jumps = 0;
    if (sigsetjmp(back, 1) != 0) jumps = jumps + 1;
    if (jumps < 3) *wild_pointer() = 1;
    node.write(PageIndex(jumps), 0, 1);  // and Weft's own faults go on
    _exit(node.read(PageIndex(3), 0) == 1 ? 7 : 8);
  };
  EXPECT_EXIT(crash(), testing::ExitedWithCode(7), "");
}

TEST_P(FaultSignals, SentSignalKillsToo) {
  const auto crash = [] {
    const TestNode node(GetParam().back_end, 4);
    kill(getpid(), SIGSEGV);
    pause();
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGSEGV), "");
}

TEST_P(FaultSignals, OldHandlersComeBack) {
  struct sigaction before = {};
  sigaction(SIGSEGV, nullptr, &before);
  {
    const TestNode node(GetParam().back_end, 4);
  }
  struct sigaction after = {};
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
}

INSTANTIATE_TEST_SUITE_P(Memory, FaultSignals, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft

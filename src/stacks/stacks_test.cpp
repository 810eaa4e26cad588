// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/stacks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/ids.hpp"

namespace weft {
namespace {

struct Dive {
  int depth;
  std::vector<bool> seen;  // is_on_program_stack() at each level
};

// Alternates between the stacks, each level with a buffer that the deeper ones must not touch.
void dive(void* argument) {
  auto* dive_state = static_cast<Dive*>(argument);
  volatile char buffer[700];
  for (int i = 0; i < 700; ++i) buffer[i] = static_cast<char>(dive_state->depth);
  const int depth = dive_state->depth;
  dive_state->seen.push_back(is_on_program_stack());
  if (--dive_state->depth > 0) {
    if (is_on_program_stack())
      call_on_runtime_stack(dive, dive_state);
    else
      call_on_program_stack(dive, dive_state);
  }
  for (int i = 0; i < 700; ++i) ASSERT_EQ(buffer[i], static_cast<char>(depth));
}

TEST(Stacks, NestWithoutTouchingEachOther) {
  constexpr std::size_t kBytes = 1 << 20;
  auto memory = std::make_unique<std::byte[]>(kBytes);
  std::thread([&] {
    set_program_stack(memory.get(), memory.get() + kBytes);
    Dive state{40, {}};
    call_on_program_stack(dive, &state);
    ASSERT_EQ(state.seen.size(), 40U);
    for (std::size_t i = 0; i < state.seen.size(); ++i) EXPECT_EQ(state.seen[i], i % 2 == 0);
    EXPECT_FALSE(is_on_program_stack());
  }).join();
}

// What is called after leave_page_of_program_stack() has its variables on other pages.
TEST(Stacks, LeavesThePageOfTheCallersVariables) {
  constexpr std::size_t kBytes = 1 << 18;
  auto memory = std::make_unique<std::byte[]>(kBytes);
  const auto page_of = [](const volatile void* address) {
    return reinterpret_cast<std::uintptr_t>(address) / kPageBytes;
  };
  std::thread([&] {
    set_program_stack(memory.get(), memory.get() + kBytes);
    std::uintptr_t outer = 0;
    const auto check = [&] {
      const auto inner = [&] {
        volatile char variable = 0;
        EXPECT_LT(page_of(&variable), outer);
        variable = 1;
      };
      volatile char shared = 0;
      outer = page_of(&shared);
      on_runtime_stack([&] {
        leave_page_of_program_stack();
        call_on_program_stack([](void* f) { (*static_cast<decltype(inner)*>(f))(); },
                              const_cast<void*>(static_cast<const void*>(&inner)));
      });
      shared = 1;
    };
    call_on_program_stack([](void* f) { (*static_cast<decltype(check)*>(f))(); },
                          const_cast<void*>(static_cast<const void*>(&check)));
    EXPECT_NE(outer, 0U);
  }).join();
}

TEST(Stacks, CallableReturnsItsResult) {
  constexpr std::size_t kBytes = 1 << 18;
  auto memory = std::make_unique<std::byte[]>(kBytes);
  std::thread([&] {
    set_program_stack(memory.get(), memory.get() + kBytes);
    bool ran = false;
    call_on_program_stack(
        [](void* flag) {
          const int answer = on_runtime_stack([] { return is_on_program_stack() ? 1 : 42; });
          *static_cast<bool*>(flag) = answer == 42 && is_on_program_stack();
        },
        &ran);
    EXPECT_TRUE(ran);
  }).join();
}

TEST(Stacks, ThreadWithoutProgramStackJustCalls) {
  EXPECT_EQ(on_runtime_stack([] { return 7; }), 7);
  bool ran = false;
  call_on_program_stack([](void* flag) { *static_cast<bool*>(flag) = true; }, &ran);
  EXPECT_TRUE(ran);
}

// A part goes on where it was, with its registers and local variables, on a thread with another
// runtime stack; there its function returns.
TEST(Stacks, APartGoesOnAtAnotherThread) {
  constexpr std::size_t kBytes = 1 << 18;
  auto memory = std::make_unique<std::byte[]>(kBytes);
  struct Seen {
    std::thread::id before, between, behind;
    int sum = 0;
    bool could_leave = false, could_leave_from_inside = true;
  } seen;
  const auto function = [](void* argument) -> void* {
    auto* const to = static_cast<Seen*>(argument);
    to->before = std::this_thread::get_id();
    to->could_leave = can_leave_program_part();
    on_runtime_stack([&] {
      call_on_program_stack(
          [](void* inner) {
            static_cast<Seen*>(inner)->could_leave_from_inside = can_leave_program_part();
          },
          to);
    });
    volatile int local = 40;
    leave_program_part();
    to->between = on_runtime_stack([] { return std::this_thread::get_id(); });
    leave_program_part();
    to->behind = std::this_thread::get_id();
    to->sum = local + 2;
    return &to->sum;
  };
  const auto here = [&] { set_program_stack(memory.get(), memory.get() + kBytes); };
  ProgramPart part;
  std::thread::id first, second;
  void* result = nullptr;
  std::thread([&] {
    here();
    first = std::this_thread::get_id();
    EXPECT_EQ(begin_program_part(function, &seen).has_left, 1U);
    part = left_program_part();
    std::thread([&] {
      here();
      second = std::this_thread::get_id();
      EXPECT_EQ(continue_program_part(part).has_left, 1U);
      part = left_program_part();
    }).join();
    const PartEnd end = continue_program_part(part);
    EXPECT_EQ(end.has_left, 0U);
    result = end.result;
  }).join();
  EXPECT_EQ(result, &seen.sum);
  EXPECT_EQ(seen.sum, 42);
  EXPECT_TRUE(seen.could_leave);
  EXPECT_FALSE(seen.could_leave_from_inside);
  EXPECT_EQ(seen.before, first);
  EXPECT_EQ(seen.between, second);
  EXPECT_EQ(seen.behind, first);
}

}  // namespace
}  // namespace weft

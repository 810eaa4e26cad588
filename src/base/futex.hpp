// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What waiting is made of: the clock, and sleeping until a word changes.
#pragma once

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace weft {

inline std::int64_t now_ns() {
  // Not the program's, which minds where the time is written to.
  static const auto real =
      reinterpret_cast<decltype(&clock_gettime)>(dlsym(RTLD_NEXT, "clock_gettime"));
  timespec time = {};
  real(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

// Nobody sleeps longer without looking again. Jobs have been seen asleep for ever (once in some
// thousand, Linux 6.18) that went on when a debugger interrupted their waits.
inline constexpr int kLongestSleepSeconds = 1;

// Returns when woken, at once if the word is not `expected`, and now and then for no reason.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  const timespec at_most = {kLongestSleepSeconds, 0};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &at_most, nullptr, 0);
}

// The same without looking again: whoever looks for deadlocks sees a thread that waits for its
// process, and no time after which it goes on.
inline void futex_wait_for_ever(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

// As futex_wait, also when the time (of now_ns) has come.
inline void futex_wait_until(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                             std::int64_t time_ns) {
  const timespec time = {time_ns / 1'000'000'000, time_ns % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, &time, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

// How many the calling thread has woken, of all time. They want a processor now.
inline constinit thread_local std::uint32_t threads_woken_here = 0;

inline void futex_wake(std::atomic<std::uint32_t>& word, int operation, int at_most) {
  const long woken = syscall(SYS_futex, &word, operation, at_most, nullptr, nullptr, 0);
  if (woken > 0) threads_woken_here += static_cast<std::uint32_t>(woken);
}

inline void futex_wake_one(std::atomic<std::uint32_t>& word) {
  futex_wake(word, FUTEX_WAKE_PRIVATE, 1);
}

inline void futex_wake_all(std::atomic<std::uint32_t>& word) {
  futex_wake(word, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}

// The same for a word of memory that processes share. Who waits by one pair is not woken by the
// other.
inline void futex_wait_shared(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  const timespec at_most = {kLongestSleepSeconds, 0};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &at_most, nullptr, 0);
}

inline void futex_wake_all_shared(std::atomic<std::uint32_t>& word) {
  futex_wake(word, FUTEX_WAKE, 0x7fffffff);
}

}  // namespace weft

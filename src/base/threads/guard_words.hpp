// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two words behind the thread pointer that compiled code and the C library use: the canary, which a
// function finds in its frame when it returns, and the pointer guard, with which the C library
// hides addresses, as in a jmp_buf. Both are random numbers of the process, and a new thread has
// its maker's. (glibc, tcbhead_t.)
#pragma once

#include <cstdint>

#if !defined(__x86_64__)
#error "the words are known for x86-64; add this architecture's"
#endif

namespace weft {

struct GuardWords {
  std::uint64_t canary = 0, pointer_guard = 0;
};

inline GuardWords present_guard_words() {
  GuardWords words;
  asm volatile("movq %%fs:0x28, %0" : "=r"(words.canary));
  asm volatile("movq %%fs:0x30, %0" : "=r"(words.pointer_guard));
  return words;
}

inline void set_pointer_guard(std::uint64_t guard) {
  asm volatile("movq %0, %%fs:0x30" : : "r"(guard) : "memory");
}

// The process's own; 0: nobody has noted them, and all threads have them.
inline constinit GuardWords process_guard_words = {};

// The calling thread has these for as long as it lives, for a thread that is made meanwhile. The
// function that has it must have no canary.
class WithGuardWords {
 public:
  explicit WithGuardWords(const GuardWords& words) : before_(present_guard_words()) { set(words); }
  ~WithGuardWords() { set(before_); }
  WithGuardWords(const WithGuardWords&) = delete;
  WithGuardWords& operator=(const WithGuardWords&) = delete;

 private:
  static void set(const GuardWords& words) {
    asm volatile("movq %0, %%fs:0x28" : : "r"(words.canary) : "memory");
    set_pointer_guard(words.pointer_guard);
  }
  const GuardWords before_;
};

// The calling thread hides addresses as the process does, in what other threads will read.
class WithProcessPointerGuard {
 public:
  WithProcessPointerGuard() : before_(present_guard_words().pointer_guard) {
    if (process_guard_words.pointer_guard != 0) {
      set_pointer_guard(process_guard_words.pointer_guard);
    }
  }
  ~WithProcessPointerGuard() { set_pointer_guard(before_); }
  WithProcessPointerGuard(const WithProcessPointerGuard&) = delete;
  WithProcessPointerGuard& operator=(const WithProcessPointerGuard&) = delete;

 private:
  const std::uint64_t before_;
};

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support: memory whose pages go missing when told to, and come back when code in user mode
// touches them (SIGSEGV). The kernel gets EFAULT for a missing one, as with Weft's own back ends.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

class TestRegion {
 public:
  static constexpr std::size_t kBytes = std::size_t{32} << 20;

  TestRegion()
      : begin_(static_cast<std::byte*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    the_region = this;
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    static char signal_stack[65536];
    const stack_t stack{signal_stack, 0, sizeof signal_stack};
    syscall(SYS_sigaltstack, &stack, nullptr);  // what is tested takes over sigaltstack
    sigaction(SIGSEGV, &action, nullptr);
  }

  [[nodiscard]] void* begin() const { return begin_; }
  // The last part is room for a stack.
  static constexpr std::size_t kStackBytes = std::size_t{1} << 20;
  [[nodiscard]] std::byte* stack() const { return begin_ + kBytes - kStackBytes; }

  // Room for an object, far from all others, so that each is on pages of its own; straddling a page
  // boundary if it is larger than a few bytes.
  [[nodiscard]] void* room(std::size_t bytes) {
    std::byte* const place = begin_ + used_ + 4096 - (bytes >= 16 ? 8 : 64);
    used_ += (bytes + 3 * 4096) / 4096 * 4096;
    if (used_ > kBytes - kStackBytes) abort();
    return place;
  }
  template <typename T>
  T* put(const T& value) {
    return new (room(sizeof(T))) T(value);
  }
  char* put_text(const std::string& text) {
    return static_cast<char*>(memcpy(room(text.size() + 1), text.c_str(), text.size() + 1));
  }

  // All pages go missing.
  void hide() { mprotect(begin_, kBytes, PROT_NONE); }
  // All are back, and all room is free again.
  void reset() {
    mprotect(begin_, kBytes, PROT_READ | PROT_WRITE);
    used_ = 0;
  }

 private:
  static void on_fault(int, siginfo_t* info, void*) {
    auto* const byte = static_cast<std::byte*>(info->si_addr);
    TestRegion& region = *the_region;
    if (byte < region.begin_ || byte >= region.begin_ + kBytes) {
      signal(SIGSEGV, SIG_DFL);
      return;
    }
    auto* const page =
        reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(byte) & ~4095UL);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
  }

  static inline TestRegion* the_region;
  std::byte* begin_;
  std::size_t used_ = 0;
};

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support: runs a function on a stack in the region, as a program does, and takes what wrapped
// calls ask for back to the ordinary stack.
#pragma once

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <utility>

#include "libc/testing/io_test_region.hpp"
#include "libc/testing/test_node.hpp"

class ProgramStack {
 public:
  explicit ProgramStack(TestRegion& region) : region_(region) {
    current = this;
    test_node_set_stacks(is_on_program_stack, call_on_runtime_stack);
  }
  ~ProgramStack() { test_node_set_stacks(nullptr, nullptr); }

  // Returns what `run` returns. It must not throw.
  bool call(bool (*run)(TestRegion&)) {
    run_ = run;
    getcontext(&program_);
    program_.uc_stack.ss_sp = region_.stack();
    program_.uc_stack.ss_size = TestRegion::kStackBytes;
    program_.uc_link = &runtime_;
    makecontext(&program_, [] { current->result_ = current->run_(current->region_); }, 0);
    for (;;) {
      switch_to(program_, runtime_);
      if (request_ == nullptr) return result_;
      std::exchange(request_, nullptr)(argument_);
    }
  }

 private:
  static bool is_on_program_stack() {
    auto* const here = static_cast<std::byte*>(__builtin_frame_address(0));
    std::byte* const stack = current->region_.stack();
    return stack <= here && here < stack + TestRegion::kStackBytes;
  }
  static void call_on_runtime_stack(void (*f)(void*), void* argument) {
    current->request_ = f;
    current->argument_ = argument;
    switch_to(current->runtime_, current->program_);
  }

  // The signal mask is the thread's: it does not change with the stack.
  static void switch_to(ucontext_t& to, ucontext_t& from) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &to.uc_sigmask, 8);
    swapcontext(&from, &to);
  }

  static inline ProgramStack* current;
  TestRegion& region_;
  ucontext_t runtime_, program_;
  bool (*run_)(TestRegion&) = nullptr;
  bool result_ = false;
  void (*request_)(void*) = nullptr;
  void* argument_ = nullptr;
};

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support: runs a function on a stack in the region, as a program does. What wrapped calls ask
// for goes back to the ordinary stack.
#pragma once

#include "libc/testing/io_test_region.hpp"
#include "libc/testing/test_node.hpp"

class ProgramStack {
 public:
  explicit ProgramStack(TestRegion& region) : region_(region) {
    test_node_set_program_stack(region.stack(), region.stack() + TestRegion::kStackBytes);
  }
  ~ProgramStack() { test_node_set_program_stack(nullptr, nullptr); }

  // Returns what `run` returns. It must not throw.
  bool call(bool (*run)(TestRegion&)) {
    run_ = run;
    test_node_call_on_program_stack(
        [](void* argument) {
          auto* const self = static_cast<ProgramStack*>(argument);
          self->result_ = self->run_(self->region_);
        },
        this);
    return result_;
  }

 private:
  TestRegion& region_;
  bool (*run_)(TestRegion&) = nullptr;
  bool result_ = false;
};

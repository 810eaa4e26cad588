// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has been admitted is so for the rest of a process: one test, step by step.
#include "libc/signals/handler_admission.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace weft::libc {
namespace {

bool is_at_rest = false;
int admissions = 0, told = 0;

Hooks node() {
  Hooks hooks;
  hooks.count_handlers = [](int change) { told += change; };
  hooks.admit_handlers = [] {
    if (is_at_rest) return false;
    ++admissions, ++told;
    return true;
  };
  return hooks;
}

TEST(HandlerAdmission, OthersAreToldBeforeTheFirstHandlerRuns) {
  const Hooks hooks = node();

  // The node is in a barrier, and has said that nothing of the program runs here.
  is_at_rest = true;
  EXPECT_FALSE(may_handle(hooks, SIGUSR1));
  EXPECT_TRUE(may_handle(hooks, SIGFPE)) << "a thread that does this computes";
  EXPECT_EQ(told, 0);

  // A handler that is set here is told at once, each signal's once, and counts for all signals.
  count_handler(hooks, SIGUSR1, true);
  count_handler(hooks, SIGUSR1, true);
  count_handler(hooks, SIGFPE, true);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(may_handle(hooks, SIGUSR2)) << "the others know that handlers run here";
  count_handler(hooks, SIGUSR1, false);
  count_handler(hooks, SIGUSR1, false);
  EXPECT_EQ(told, 0);
  EXPECT_FALSE(may_handle(hooks, SIGUSR2));

  // The barrier is over: the first signal is admitted, and all later ones with it.
  is_at_rest = false;
  EXPECT_TRUE(may_handle(hooks, SIGUSR2));
  is_at_rest = true;
  EXPECT_TRUE(may_handle(hooks, SIGUSR1));
  EXPECT_EQ(admissions, 1);
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace weft::libc

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/linking/own_calls.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/linking/testing/own_library.hpp"

namespace {
constexpr int kOwn = -77;
}

// The program's, and shown to its libraries as a program's are.
#pragma GCC visibility push(default)
extern "C" {
int eventfd(unsigned, int) { return kOwn; }
pid_t getppid() { return kOwn; }
pid_t getpgrp() { return kOwn; }
}
#pragma GCC visibility pop

namespace weft {
namespace {

TEST(OwnCalls, PassTheProgramBy) {
  const auto group = static_cast<pid_t>(syscall(SYS_getpgid, 0));
  // One has been called, another one not, where the linker binds late.
  EXPECT_EQ(parent_of_library(), kOwn);
  EXPECT_EQ(group_in_table[0](), kOwn);

  EXPECT_GE(bind_own_calls(), 4U);
  EXPECT_EQ(parent_of_library(), syscall(SYS_getppid));
  EXPECT_EQ(group_of_library(), group);
  EXPECT_EQ(group_in_table[0](), group);
  const int event = event_of_library();
  EXPECT_GE(event, 0);
  close(event);

  EXPECT_EQ(getppid(), kOwn);
  EXPECT_EQ(bind_own_calls(), 0U);
}

}  // namespace
}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/stacks/stack_size.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>

namespace weft {
namespace {

TEST(StackSize, IsWhatOmpStacksizeAsksFor) {
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_STACK, &limit), 0);
  if (limit.rlim_cur > 1U << 30) GTEST_SKIP() << "the system allows more than is asked for here";
  const auto with = [](const char* text) {
    setenv("OMP_STACKSIZE", text, 1);
    return stack_bytes();
  };
  EXPECT_EQ(with("3G"), std::size_t{3} << 30);
  EXPECT_EQ(with(" 2000 m "), std::size_t{2000} << 20);
  EXPECT_EQ(with("4194304"), std::size_t{4} << 30);  // kibibytes
  EXPECT_EQ(with("3221225472B"), std::size_t{3} << 30);
  const std::size_t least = with("1");
  EXPECT_EQ(with("many"), least);
  unsetenv("OMP_STACKSIZE");
  EXPECT_EQ(stack_bytes(), least);
}

}  // namespace
}  // namespace weft

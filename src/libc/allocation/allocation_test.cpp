// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program like one that weftcc has linked: its malloc calls are renamed, and the node library in
// small (test_node.cpp) stands first in symbol search.
#include <gtest/gtest.h>
#include <malloc.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "libc/testing/test_node.hpp"

namespace {

// Keeps the compiler from dropping an allocation whose result is not used.
template <typename T>
T* used(T* pointer) {
  asm volatile("" : "+r"(pointer)::"memory");
  return pointer;
}

class Allocation : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    from_before = used(static_cast<char*>(malloc(100)));
    from_before_new = used(new int[10]);
    test_node_start(std::size_t{64} << 20);
  }
  static char* from_before;
  static int* from_before_new;
};
char* Allocation::from_before;
int* Allocation::from_before_new;

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST_F(Allocation, BlocksFromBeforeTheNodeAreTheLibrarys) {
  EXPECT_FALSE(test_node_owns(from_before));
  from_before = static_cast<char*>(realloc(from_before, 5000));
  EXPECT_FALSE(test_node_owns(from_before));
  free(from_before);
  delete[] from_before_new;
}

TEST_F(Allocation, TheProgramsBlocksAreShared) {
  void* blocks[] = {
      malloc(10),       calloc(10, 10), realloc(nullptr, 10), aligned_alloc(64, 1),
      memalign(32, 10), valloc(10),     pvalloc(10),          reallocarray(nullptr, 3, 5),
      malloc(0)};
  for (void* block : blocks) {
    EXPECT_TRUE(test_node_owns(used(block)));
    EXPECT_EQ(number(block) % 16, 0U);
    free(block);
  }
  void* block = nullptr;
  ASSERT_EQ(posix_memalign(&block, 4096, 10), 0);
  EXPECT_TRUE(test_node_owns(block));
  EXPECT_EQ(number(block) % 4096, 0U);
  EXPECT_GE(malloc_usable_size(block), 10U);
  free(block);
}

TEST_F(Allocation, LibraryMemoryIsPrivateAndTheProgramMayFreeAndResizeIt) {
  char* text = strdup("a private string");
  EXPECT_FALSE(test_node_owns(text));
  EXPECT_GE(malloc_usable_size(text), 17U);
  text = static_cast<char*>(realloc(text, 100000));
  EXPECT_STREQ(text, "a private string");
  free(text);
  ASSERT_GT(asprintf(&text, "%d %s", 5, "five"), 0);
  EXPECT_FALSE(test_node_owns(text));
  free(text);
}

TEST_F(Allocation, TheLibraryResizesTheProgramsMemory) {
  const std::string line(10000, 'y');
  FILE* const file = tmpfile();
  fputs((line + "\n").c_str(), file);
  rewind(file);
  std::size_t capacity = 4;
  char* text = static_cast<char*>(malloc(capacity));
  ASSERT_TRUE(test_node_owns(text));
  EXPECT_EQ(getline(&text, &capacity, file), 10001);
  EXPECT_TRUE(test_node_owns(text));
  EXPECT_EQ(text, line + "\n");
  free(text);
  fclose(file);
}

TEST_F(Allocation, FailuresAreReportedAsTheStandardSays) {
  errno = 0;
  EXPECT_EQ(used(malloc(SIZE_MAX - 5)), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(calloc(SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  char* const block = static_cast<char*>(malloc(10));
  EXPECT_EQ(reallocarray(block, SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 77;
  void* out = nullptr;
  EXPECT_EQ(posix_memalign(&out, 24, 10), EINVAL);
  EXPECT_EQ(posix_memalign(&out, 4, 10), EINVAL);
  EXPECT_EQ(posix_memalign(&out, 64, SIZE_MAX / 2), ENOMEM);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(realloc(block, 0), nullptr);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(pvalloc(SIZE_MAX), nullptr);
}

TEST_F(Allocation, FreeKeepsErrno) {
  errno = 33;
  free(malloc(10));
  free(strdup("x"));
  free(nullptr);
  EXPECT_EQ(errno, 33);
}

struct alignas(256) Wide {
  char bytes[300];
};

TEST_F(Allocation, EveryFormOfNewIsShared) {
  Wide* const wide = used(new Wide);
  EXPECT_TRUE(test_node_owns(wide));
  EXPECT_EQ(number(wide) % 256, 0U);
  delete wide;
  Wide* const wides = used(new (std::nothrow) Wide[3]);
  EXPECT_TRUE(test_node_owns(wides));
  delete[] wides;
  int* const one = used(new (std::nothrow) int);
  EXPECT_TRUE(test_node_owns(one));
  delete one;
  const std::string text(100, 'z');  // allocated within libstdc++.so
  EXPECT_TRUE(test_node_owns(text.data()));
  const std::vector<double> numbers(1000);
  EXPECT_TRUE(test_node_owns(numbers.data()));
}

TEST_F(Allocation, NewThrowsWhatTheProgramCatches) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(used(new char[std::size_t{1} << 40]), std::bad_alloc);
    EXPECT_THROW(used(new Wide[std::size_t{1} << 40]), std::bad_alloc);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  }
  EXPECT_EQ(used(new (std::nothrow) char[std::size_t{1} << 40]), nullptr);
}

TEST_F(Allocation, NewAsksTheProgramsHandlerForRoom) {
  static int calls;
  calls = 0;
  std::set_new_handler([] {
    if (++calls == 3) std::set_new_handler(nullptr);
  });
  EXPECT_EQ(used(new (std::nothrow) char[std::size_t{1} << 40]), nullptr);
  EXPECT_EQ(calls, 3);
}

TEST_F(Allocation, TheNodesOwnMemoryIsPrivate) { EXPECT_FALSE(test_node_own_memory_is_shared()); }

TEST_F(Allocation, MisuseEndsTheProcessWithASentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a forked child's free does nothing
  char* const block = used(static_cast<char*>(malloc(12345)));  // a size that nobody else asks for
  free(block);
  EXPECT_DEATH(free(block), "weft: free\\(\\): double free detected");
}

}  // namespace

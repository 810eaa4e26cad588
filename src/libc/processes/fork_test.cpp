// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork in a program of a node, whose heap is memory that the child of an ordinary fork would share.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/testing/thread_state.hpp"
#include "libc/testing/test_node.hpp"

namespace {

constexpr std::size_t kHeapBytes = std::size_t{1} << 20;
void* heap_page;  // the page of the heap that the test looks at

// What parent and child tell each other, in memory of both.
struct Told {
  volatile bool parent_went_on, parent_has_written;
};
Told* told;

// Replaces that page by a private copy, as the runtime does with the region, but not before the
// parent waits for it, or has wrongly gone on.
void copy_page() {
  while (!told->parent_went_on && !weft::is_asleep(getppid(), getppid())) sched_yield();
  if (told->parent_went_on) _exit(8);
  void* const copy =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(copy, heap_page, 4096);
  if (mremap(copy, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, heap_page) == MAP_FAILED) abort();
}

class Fork : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { test_node_start(kHeapBytes); }
};

int exit_status(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(Fork, WithoutACopyTheChildEndsAndSaysWhy) {
  test_node_set_detach_child(nullptr);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int saved = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(ends[1]);
  EXPECT_EQ(exit_status(child), 127);
  char text[500] = {};
  EXPECT_GT(read(ends[0], text, sizeof text - 1), 0);
  EXPECT_NE(strstr(text, "weft: the program forked"), nullptr) << text;
  close(ends[0]);
}

TEST_F(Fork, TheChildHasItsOwnCopyFromTheMomentOfTheCall) {
  auto* const block = static_cast<volatile int*>(aligned_alloc(4096, 4096));
  ASSERT_TRUE(test_node_owns(const_cast<int*>(block)));
  heap_page = const_cast<int*>(block);
  test_node_set_detach_child(copy_page);
  told = static_cast<Told*>(
      mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(told, MAP_FAILED);
  const pid_t parent = getpid();
  block[0] = 1;
  const pid_t child = fork();
  if (child == 0) {
    while (!told->parent_has_written && getppid() == parent) sched_yield();
    const bool good = block[0] == 1;
    block[0] = 3;
    _exit(good ? 5 : 6);
  }
  told->parent_went_on = true;
  block[0] = 2;
  told->parent_has_written = true;
  EXPECT_EQ(exit_status(child), 5);
  EXPECT_EQ(block[0], 2);
  munmap(told, sizeof(Told));
}

TEST_F(Fork, TheChildMayAllocateResizeAndFree) {
  test_node_set_detach_child([] {});
  char* block = static_cast<char*>(malloc(100));
  strcpy(block, "from the parent");
  ASSERT_TRUE(test_node_owns(block));
  const pid_t child = fork();
  if (child == 0) {
    char* const moved = static_cast<char*>(realloc(block, 1000));
    if (strcmp(moved, "from the parent") != 0) _exit(1);
    if (test_node_owns(moved)) _exit(2);
    if (test_node_owns(malloc(10))) _exit(3);
    free(moved);
    _exit(fork() >= 0 ? 7 : 4);
  }
  EXPECT_EQ(exit_status(child), 7);
  EXPECT_TRUE(test_node_owns(malloc(10)));
  free(block);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Programs that close all descriptors, also those that they did not open, and that choose numbers
// for theirs. The job goes on, and sees none that it has not opened.

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <omp.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

// Files that other nodes open have numbers from 1024 on, 256 for each; those of node 1 will do.
enum { kMost = 1100, kFirstFile = 512, kNumbers = 100000 };

static int numbers[kNumbers];
static int opened = -1;  // may have a higher number

static void close_each(void) {
  for (int descriptor = 3; descriptor < kMost; ++descriptor) close(descriptor);
  if (opened >= kMost) close(opened);
}
static void close_each_by_system_call(void) {
  for (int descriptor = 3; descriptor < kMost; ++descriptor) syscall(SYS_close, descriptor);
  if (opened >= kMost) syscall(SYS_close, opened);
}
static void close_each_as_a_queue(void) {
  for (int descriptor = 3; descriptor < kMost; ++descriptor) mq_close(descriptor);
  if (opened >= kMost) mq_close(opened);
}
static void close_from(void) { closefrom(3); }
static void close_by_range(void) { EXPECT(close_range(3, ~0U, 0) == 0, "close_range"); }
static void close_range_by_system_call(void) {
  EXPECT(syscall(SYS_close_range, 3, ~0U, 0) == 0, "SYS_close_range");
}
static void (*const ways[])(void) = {
    close_each,     close_each_by_system_call, close_each_as_a_queue, close_from,
    close_by_range, close_range_by_system_call};

static bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

// All nodes have something to do with each other.
static void expect_a_job(int round) {
#pragma omp parallel for
  for (int i = 0; i < kNumbers; ++i) numbers[i] += i + round;
  for (int i = 0; i < kNumbers; i += 1000) {
    EXPECT(numbers[i] == (round + 1) * i + round * (round + 1) / 2, "round %d: %d", round,
           numbers[i]);
  }
}

static void expect_none_open(void) {
  for (int descriptor = 3; descriptor < kFirstFile; ++descriptor) {
    errno = 0;
    EXPECT(!is_open(descriptor) && errno == EBADF, "%d is open", descriptor);
    errno = 0;
    EXPECT(lseek(descriptor, 0, SEEK_CUR) == -1 && errno == EBADF, "%d can be moved", descriptor);
    EXPECT(dup(descriptor) == -1 && dup2(descriptor, 20) == -1, "%d can be copied", descriptor);
  }
}

// One after another, on each node.
static void close_everywhere(void (*way)(void)) {
#pragma omp parallel
#pragma omp for ordered schedule(static, 1)
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) {
#pragma omp ordered
    {
      int ends[2];
      EXPECT(pipe(ends) == 0 && is_open(ends[0]) && is_open(ends[1]), "pipe");
      const int file = open("/proc/self/exe", O_RDONLY);
      EXPECT(file >= 0 && close(dup(file)) == 0, "open");
      opened = file;
      way();
      EXPECT(!is_open(ends[0]) && !is_open(ends[1]) && !is_open(file), "they are still open");
      expect_none_open();
    }
  }
}

// What another node has opened is the program's, too.
static void close_of_others(void) {
  int file = -1;
#pragma omp parallel
#pragma omp masked filter(omp_get_num_threads() - 1)
  file = open("/proc/self/exe", O_RDONLY);
  char byte;
  EXPECT(read(file, &byte, 1) == 1, "it is not open");
  closefrom(3);
  EXPECT(read(file, &byte, 1) == -1 && errno == EBADF, "it is still open");
}

static void numbers_of_choice(void) {
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    EXPECT(dup2(1, descriptor) == descriptor, "dup2 to %d", descriptor);
  }
  closefrom(3);
  int ends[2];
  EXPECT(pipe(ends) == 0 && ends[0] == 3 && ends[1] == 4, "pipe: %d, %d", ends[0], ends[1]);
}

static void child(void) {
  const pid_t process = fork();
  if (process == 0) {
    closefrom(3);
    close_each();
    for (int descriptor = 3; descriptor < kMost; ++descriptor) {
      if (dup2(1, descriptor) != descriptor || close(descriptor) != 0) _exit(1);
    }
    _exit(0);
  }
  int status = 1;
  EXPECT(waitpid(process, &status, 0) == process && status == 0, "the child's status is %d",
         status);
}

// What the program starts has none of Weft's, which have numbers from 256 on.
static void executed_program(void) {
  const char* script =
      "for each in /proc/$$/fd/*; do [ ${each##*/} -lt 256 ] || { readlink $each; exit 1; }; done";
  EXPECT(system(script) == 0, "a program has inherited descriptors");
}

int main(void) {
  const int count = sizeof ways / sizeof *ways;
  for (int i = 0; i < count; ++i) {
    close_everywhere(ways[i]);
    expect_a_job(i);
  }
  close_of_others();
  numbers_of_choice();
  child();
  executed_program();
  expect_a_job(count);
  return ok();
}

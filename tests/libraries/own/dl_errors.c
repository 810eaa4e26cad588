// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dlerror says, whatever happens between the failure and the question: calls of functions that
// Weft takes over and that nobody has called before, and loads on other threads. Says "ok" at the
// end.
#include <dlfcn.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "../../openmp/check.h"

static void expect_reason(const char* part) {
  const char* const why = dlerror();
  EXPECT(why != NULL && strstr(why, part) != NULL, "The reason is '%s', without %s.", why, part);
  EXPECT(dlerror() == NULL, "There is one more reason.");
}

// Each is taken over, and new to this program where the name has not been seen above.
static void call_something(int which) {
  if (which == 0) EXPECT(truncate("/nowhere/file", 0) != 0, "It can be truncated.");
  if (which == 1) EXPECT(chown("/nowhere/file", 0, 0) != 0, "It has an owner.");
  if (which == 2) EXPECT(symlink("", "/nowhere/file") != 0, "There is a link now.");
}

static void between(void) {
  EXPECT(dlopen("/nowhere/first.so", RTLD_NOW) == NULL, "Nothing was loaded.");
  call_something(0);
  expect_reason("first.so");
  EXPECT(dlsym(RTLD_DEFAULT, "no_such_function") == NULL, "A function was found.");
  call_something(1);
  expect_reason("no_such_function");
}

// A later call's success or failure counts.
static void in_turn(void) {
  EXPECT(dlopen("/nowhere/second.so", RTLD_NOW) == NULL, "Nothing was loaded.");
  EXPECT(dlopen("/nowhere/third.so", RTLD_NOW) == NULL, "Nothing was loaded.");
  expect_reason("third.so");
  EXPECT(dlopen("/nowhere/fourth.so", RTLD_NOW) == NULL, "Nothing was loaded.");
  void* const program = dlopen(NULL, RTLD_NOW);
  EXPECT(program != NULL, "The program cannot be named.");
  EXPECT(dlerror() == NULL, "The load that succeeded has a reason.");
  EXPECT(dlopen("/nowhere/fifth.so", RTLD_NOW) == NULL, "Nothing was loaded.");
  EXPECT(dlsym(program, "no_such_function") == NULL, "A function was found.");
  expect_reason("no_such_function");
  EXPECT(dlopen("/nowhere/sixth.so", RTLD_NOW) == NULL, "Nothing was loaded.");
  EXPECT(dlsym(RTLD_DEFAULT, "omp_get_wtime") != NULL, "OpenMP was not found.");
  EXPECT(dlerror() == NULL, "The search that succeeded has a reason.");
}

// Each thread has its own.
static void on_threads(void) {
#pragma omp parallel
  {
    char name[64] = "/nowhere/thread-", *end = name + strlen(name);
    end[0] = (char)('A' + omp_get_thread_num());
    strcpy(end + 1, ".so");
    EXPECT(dlopen(name, RTLD_NOW) == NULL, "Nothing was loaded.");
#pragma omp barrier
#pragma omp single
    call_something(2);
    expect_reason(name);
  }
}

int main(void) {
  between();
  in_turn();
  on_threads();
  return ok();
}

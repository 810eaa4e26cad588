// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// getopt's variables are the program's: what main has parsed, and what any thread sets, all see.

#include <getopt.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

enum { kArguments = 7, kOptions = 5 };

static int flag = 0;
static const struct option kLong[] = {
    {"width", required_argument, NULL, 'w'}, {"loud", no_argument, &flag, 7}, {NULL, 0, NULL, 0}};

int main(void) {
  static char* arguments[] = {"program", "-a", "first", "other", "-b", "--width=9", "--loud", NULL};
  static const int wanted[kOptions] = {'a', 'b', 'w', 0, -1};
  static const char* const texts[kOptions] = {"first", NULL, "9", NULL, NULL};
  for (int call = 0; call < kOptions; ++call) {
    const int option = getopt_long(kArguments, arguments, "a:b", kLong, NULL);
    EXPECT(option == wanted[call], "call %d: %d", call, option);
#pragma omp parallel
    EXPECT(texts[call] == NULL || strcmp(optarg, texts[call]) == 0, "call %d, thread %d: %s", call,
           omp_get_thread_num(), optarg);
  }
#pragma omp parallel
  EXPECT(flag == 7 && optind == kArguments - 1 && strcmp(arguments[optind], "other") == 0,
         "thread %d: optind %d", omp_get_thread_num(), optind);
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) optind = 1, opterr = 0;
  static char* unknown[] = {"program", "-z", NULL};
  EXPECT(getopt(2, unknown, "a") == '?' && optopt == 'z', "optopt is %c", optopt);
  return ok();
}

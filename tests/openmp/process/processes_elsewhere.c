// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread starts shells, which find the environment as all threads have made it.
//
// flags: -D_GNU_SOURCE

#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "../check.h"

static void with_system(int of) {
  char command[100];
  snprintf(command, sizeof command, "test \"$OF_%d\" = value_%d && exit %d", of, of, of + 3);
  const int status = system(command);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == of + 3, "system: %#x", status);
  EXPECT(WTERMSIG(system("kill -9 $$")) == SIGKILL, "A shell that was killed.");
  EXPECT(system(NULL) != 0, "There is no shell.");
}

static void with_popen(int of) {
  char command[100], line[100] = "", expected[100];
  snprintf(command, sizeof command, "echo $OF_%d; exit 4", of);
  snprintf(expected, sizeof expected, "value_%d\n", of);
  FILE* const from = popen(command, "re");
  EXPECT(from != NULL && fgets(line, sizeof line, from) != NULL, "popen: %s", strerror(errno));
  EXPECT(strcmp(line, expected) == 0, "The shell printed %s", line);
  // The second shell must not have the first one's pipe.
  FILE* const to = popen("cat > /dev/null; exit 5", "w");
  FILE* const other = popen("read x; test \"$x\" = hello", "w");
  EXPECT(to != NULL && other != NULL, "popen to write: %s", strerror(errno));
  fprintf(to, "hello\n");
  fprintf(other, "hello\n");
  EXPECT(WEXITSTATUS(pclose(to)) == 5, "pclose after writing");
  EXPECT(WEXITSTATUS(pclose(other)) == 0, "pclose of the other");
  EXPECT(WEXITSTATUS(pclose(from)) == 4, "pclose after reading");
  EXPECT(popen("true", "x") == NULL && errno == EINVAL, "popen with an unknown mode");
}

int main(void) {
  FILE* of_main = NULL;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
    char name[30], value[30];
    snprintf(name, sizeof name, "OF_%d", me);
    snprintf(value, sizeof value, "value_%d", me);
#pragma omp critical
    setenv(name, value, 1);
#pragma omp barrier
    for (int turn = 0; turn < 3; ++turn) {
      with_system(next);
      with_popen(next);
    }
    // Opened by one thread, read and closed by another.
#pragma omp masked
    of_main = popen("echo 17; exit 6", "r");
#pragma omp barrier
    if (me == omp_get_num_threads() - 1) {
      int number = 0;
      EXPECT(fscanf(of_main, "%d", &number) == 1 && number == 17, "%d was read.", number);
      EXPECT(WEXITSTATUS(pclose(of_main)) == 6, "pclose by another thread");
    }
  }
  with_system(0);
  with_popen(0);
  return ok();
}

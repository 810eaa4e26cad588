// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Other processes: started by system, popen, posix_spawn, fork and exec; and children that go on
// with a copy of the memory, as on one machine.

#include <errno.h>
#include <omp.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

extern char** environ;
static int shared[3000];
static int* heap;

static int status_of(pid_t child) {
  int status = 0;
  pid_t ended;
  do ended = waitpid(child, &status, 0);
  while (ended == -1 && errno == EINTR);
  EXPECT(ended == child, "There is no child %d.", child);
  EXPECT(WIFEXITED(status), "The child died of signal %d.", WTERMSIG(status));
  return WEXITSTATUS(status);
}

static void other_programs(void) {
  char command[] = "exit 3";
  EXPECT(WEXITSTATUS(system(command)) == 3, "system");
  FILE* pipe = popen("echo a word", "r");
  char line[100] = "";
  EXPECT(pipe != NULL && fgets(line, sizeof line, pipe) != NULL, "popen");
  EXPECT(strcmp(line, "a word\n") == 0, "The pipe gave %s.", line);
  EXPECT(pclose(pipe) == 0, "pclose");
  char* const arguments[] = {"sh", "-c", "test \"$MY_WORD\" = here && exit 4", NULL};
  setenv("MY_WORD", "here", 1);
  pid_t child;
  EXPECT(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0, "posix_spawnp");
  EXPECT(status_of(child) == 4, "The spawned process did not end with 4.");
  child = fork();
  if (child == 0) {
    execvp("sh", arguments);
    _exit(99);
  }
  EXPECT(status_of(child) == 4, "The executed process did not end with 4.");
}

// What the child has was last written on other nodes, in part.
static void a_copy_of_the_memory(void) {
  int on_the_stack = 5;
  heap = malloc(3000 * sizeof *heap);
#pragma omp parallel for
  for (int i = 0; i < 3000; ++i) {
    shared[i] = i;
    heap[i] = 2 * i;
  }
  const pid_t child = fork();
  EXPECT(child >= 0, "fork: %s", strerror(errno));
  if (child == 0) {
    for (int i = 0; i < 3000; ++i)
      if (shared[i] != i || heap[i] != 2 * i) _exit(1);
    if (on_the_stack != 5) _exit(2);
    on_the_stack = 6;
    for (int i = 0; i < 3000; ++i) shared[i] = heap[i] = -1;
    int* more = malloc(100000);
    memset(more, 1, 100000);
    free(more);
    free(heap);
    int counted = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    ++counted;
    if (counted < 1 || counted > 2) _exit(4);
    _exit(on_the_stack == 6 ? 8 : 3);
  }
  shared[0] = 17;
  EXPECT(status_of(child) == 8, "The child did not end with 8.");
  EXPECT(on_the_stack == 5, "The child changed its parent's stack.");
  shared[0] = 0;
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 3000; ++i) sum += shared[i] + heap[i];
  EXPECT(sum == 3L * 3000 * 2999 / 2, "The sum is %ld.", sum);
  free(heap);
}

// A stream that the main thread opened, used by all.
static void pipes_of_all(void) {
  char file[] = "/tmp/weft-processes-XXXXXX", command[100];
  close(mkstemp(file));
  snprintf(command, sizeof command, "sort > %s", file);
  FILE* pipe = popen(command, "w");
#pragma omp parallel
  EXPECT(fprintf(pipe, "thread %03d\n", omp_get_thread_num()) == 11, "fprintf to a process");
  EXPECT(pclose(pipe) == 0, "pclose");
  snprintf(command, sizeof command, "cat %s", file);
  pipe = popen(command, "r");
  int lines = 0;
#pragma omp parallel reduction(+ : lines)
  {
    char line[40];
#pragma omp critical
    if (fgets(line, sizeof line, pipe) != NULL) lines += strncmp(line, "thread ", 7) == 0;
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      EXPECT(fgets(line, sizeof line, pipe) == NULL, "There is one more line: %s", line);
      EXPECT(pclose(pipe) == 0, "pclose by another thread");
    }
  }
  EXPECT(lines == omp_get_max_threads(), "There were %d lines.", lines);
  unlink(file);
}

int main(void) {
  other_programs();
  pipes_of_all();
  a_copy_of_the_memory();
  return ok();
}

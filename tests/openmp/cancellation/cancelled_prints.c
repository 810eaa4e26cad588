// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// Threads that have been cancelled print: a call may end them in its midst, or not. The stream's
// lock is free afterwards, and all that was printed is there.
#include <pthread.h>
#include <semaphore.h>

#include "../check.h"

static sem_t ready, go;

static void by_puts(void) { puts("a line"); }
static void by_printf(void) { printf("%s\n", "a line"); }
static void by_number(void) { printf("a line of %d\n", 2); }
static void by_fputs(void) { fputs("a line\n", stdout); }
static void by_fwrite(void) { fwrite("a line\n", 1, 7, stdout); }
static void by_flush(void) {
  fputs("a line\n", stdout);
  fflush(stdout);
}
static void (*const prints[])(void) = {by_puts,  by_printf, by_number,
                                       by_fputs, by_fwrite, by_flush};
enum { kPrints = sizeof prints / sizeof *prints };

static void* print(void* which) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  sem_post(&ready);
  sem_wait(&go);
  pthread_setcancelstate(before, &before);
  (*(void (*const*)(void))which)();
  return NULL;
}

static void* print_after(void* unused) {
  printf("the next\n");
  return unused;
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 1024);  // a line is written as it is printed
  EXPECT(sem_init(&ready, 0, 0) == 0 && sem_init(&go, 0, 0) == 0, "no semaphores");
  for (int i = 0; i < kPrints; ++i) {
    pthread_t thread, next;
    EXPECT(pthread_create(&thread, NULL, print, (void*)&prints[i]) == 0, "no thread");
    sem_wait(&ready);
    EXPECT(pthread_cancel(thread) == 0, "no thread %d", i);
    sem_post(&go);
    EXPECT(pthread_join(thread, NULL) == 0, "thread %d cannot be joined.", i);
    EXPECT(pthread_create(&next, NULL, print_after, NULL) == 0, "no thread");
    EXPECT(pthread_join(next, NULL) == 0, "the next cannot be joined.");
    printf("main goes on\n");
  }
  return ok();
}

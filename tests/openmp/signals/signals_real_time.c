// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real-time signals are queued: each arrives, with its value and in its order, whatever the thread
// does in the runtime when it comes.

#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { kSignals = 4000, kAhead = 60 };
// On the stack of the thread that receives: its sender, on the same node, looks at what its handler
// writes while both do other things to that page.
struct Receiver {
  pthread_t thread;
  volatile int received, out_of_order, done;
};
static _Thread_local struct Receiver* mine;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  if (info->si_value.sival_int != mine->received) mine->out_of_order = mine->out_of_order + 1;
  mine->received = mine->received + 1;
}

static void* send_all(void* argument) {
  struct Receiver* const receiver = argument;
  for (int i = 0; i < kSignals; ++i) {
    while (i - receiver->received > kAhead) sched_yield();
    union sigval value;
    value.sival_int = i;
    while (pthread_sigqueue(receiver->thread, SIGRTMIN + 1, value) != 0) sched_yield();
  }
  receiver->done = 1;
  return NULL;
}

int main(void) {
  long made = 0;
#pragma omp parallel reduction(+ : made)
  {
    struct Receiver receiver;
    memset(&receiver, 0, sizeof receiver);
    receiver.thread = pthread_self();
    mine = &receiver;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    EXPECT(sigaction(SIGRTMIN + 1, &action, NULL) == 0, "No handler.");
    pthread_t sender;
    EXPECT(pthread_create(&sender, NULL, send_all, &receiver) == 0, "No sender.");
    while (receiver.received < kSignals) {
      if (receiver.done) sched_yield();
      void* blocks[8];
      for (int i = 0; i < 8; ++i) blocks[i] = malloc(200);
      for (int i = 0; i < 8; ++i) free(blocks[i]);
#pragma omp critical
      ++made;
    }
    pthread_join(sender, NULL);
    EXPECT(receiver.out_of_order == 0, "%d of %d signals came out of order.", receiver.out_of_order,
           receiver.received);
  }
  EXPECT(made > 0, "Nothing was done.");
  return ok();
}

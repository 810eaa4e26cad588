// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relaxed operations beside a barrier for the compiler alone: on x86 they hand data over as release
// and acquire do, and programs written for it rely on that (OpenBLAS' threads).

#include <omp.h>
#include <stdatomic.h>

#include "../check.h"

#define EMPTY_STATEMENT() __asm__ __volatile__("" : : : "memory")
#define SIGNAL_FENCE() atomic_signal_fence(memory_order_seq_cst)

enum { kRounds = 100, kPage = 4096 };

struct job {
  long number, square;
};
static struct job jobs[kRounds + 1];
static _Alignas(kPage) struct job* _Atomic queue;
static _Alignas(kPage) atomic_int count;

// The last thread hands jobs to the first, which gives them back.
#define HAND_OVER(BARRIER, wrong)                                                             \
  _Pragma("omp parallel reduction(+ : wrong)") {                                              \
    const int last = omp_get_num_threads() - 1;                                               \
    for (int round = 1; round <= kRounds; ++round) {                                          \
      if (omp_get_thread_num() == last) {                                                     \
        jobs[round] = (struct job){round, (long)round * round};                               \
        BARRIER();                                                                            \
        atomic_store_explicit(&queue, &jobs[round], memory_order_relaxed);                    \
        if (last == 0) atomic_store_explicit(&queue, NULL, memory_order_relaxed);             \
        while (atomic_load_explicit(&queue, memory_order_relaxed) != NULL) BARRIER();         \
        BARRIER();                                                                            \
        wrong += last > 0 && jobs[round].square != -round;                                    \
      } else if (omp_get_thread_num() == 0) {                                                 \
        struct job* job;                                                                      \
        while ((job = atomic_load_explicit(&queue, memory_order_relaxed)) == NULL) BARRIER(); \
        BARRIER();                                                                            \
        wrong += job->number != round || job->square != (long)round * round;                  \
        job->square = -round;                                                                 \
        BARRIER();                                                                            \
        atomic_store_explicit(&queue, NULL, memory_order_relaxed);                            \
      }                                                                                       \
    }                                                                                         \
  }

// An update releases, and takes part in what was released before.
#define COUNT(BARRIER, wrong)                                                                   \
  _Pragma("omp parallel reduction(+ : wrong)") {                                                \
    static _Alignas(kPage) int written;                                                         \
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();                   \
    _Pragma("omp single") {                                                                     \
      written = 0;                                                                              \
      atomic_store(&count, 0);                                                                  \
    }                                                                                           \
    for (int round = 0; round < kRounds; ++round) {                                             \
      while (atomic_load_explicit(&count, memory_order_relaxed) % threads != thread) BARRIER(); \
      BARRIER();                                                                                \
      wrong += written++ != round * threads + thread;                                           \
      BARRIER();                                                                                \
      atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);                               \
    }                                                                                           \
  }

int main(void) {
  int wrong = 0;
  HAND_OVER(EMPTY_STATEMENT, wrong)
  EXPECT(wrong == 0, "%d times data were handed over beside an empty statement, and old.", wrong);
  HAND_OVER(SIGNAL_FENCE, wrong)
  EXPECT(wrong == 0, "%d times data were handed over beside a signal fence, and old.", wrong);
  COUNT(EMPTY_STATEMENT, wrong)
  EXPECT(wrong == 0, "%d times an update beside an empty statement came before its data.", wrong);
  COUNT(SIGNAL_FENCE, wrong)
  EXPECT(wrong == 0, "%d times an update beside a signal fence came before its data.", wrong);
  return ok();
}

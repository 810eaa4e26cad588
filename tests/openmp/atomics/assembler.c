// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations that a program has in inline assembler, as codes had them before compilers did.

#include <omp.h>

#include "../check.h"

enum { kTimes = 400 };

static void acquire(volatile int* lock) {
  int taken;
  do {
    __asm__ __volatile__("movl $1, %0\n\txchgl %0, %1" : "=&r"(taken), "+m"(*lock) : : "memory");
  } while (taken != 0);
}
static void release(volatile int* lock) {
  int zero = 0;
  __asm__ __volatile__("xchgl %0, %1" : "+r"(zero), "+m"(*lock) : : "memory");
}
static int fetch_and_add(int* word, int by) {
  __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(by), "+m"(*word) : : "memory");
  return by;
}
static int compare_and_swap(long* word, long from, long to) {
  char swapped;
  __asm__ __volatile__("lock; cmpxchgq %3, %1\n\tsete %0"
                       : "=q"(swapped), "+m"(*word), "+a"(from)
                       : "r"(to)
                       : "memory", "cc");
  return swapped;
}
static void increment(long* word) {
  __asm__ __volatile__("lock; incq (%0)" : : "r"(word) : "memory");
}
static int drop(int* references) {
  unsigned char is_last;
  __asm__ __volatile__("lock decl %0; setz %1" : "+m"(*references), "=q"(is_last) : : "memory");
  return is_last;
}
static void set_bits(unsigned char* bits, unsigned char more) {
  __asm__ __volatile__("lock; orb %1, %0" : "+m"(*bits) : "q"(more) : "memory");
}

static volatile int lock;
static int tickets, references, last_ones;
static long under_lock, swapped, incremented;
static unsigned char bits;
static char taken[kTimes * 64];

int main(void) {
  int threads = 1;
#pragma omp parallel
  {
#pragma omp single
    {
      threads = omp_get_num_threads();
      references = threads;
    }
    for (int time = 0; time < kTimes; ++time) {
      acquire(&lock);
      ++under_lock;
      release(&lock);
      const int ticket = fetch_and_add(&tickets, 1);
      if (ticket < (int)sizeof taken) ++taken[ticket];
      for (long seen = swapped; !compare_and_swap(&swapped, seen, seen + 1);) {
#pragma omp atomic read
        seen = swapped;
      }
      increment(&incremented);
    }
    set_bits(&bits, (unsigned char)(1U << (omp_get_thread_num() % 8)));
    if (drop(&references)) fetch_and_add(&last_ones, 1);
  }
  const long all = (long)threads * kTimes;
  EXPECT(under_lock == all, "%ld of %ld under the lock.", under_lock, all);
  EXPECT(tickets == all, "%d of %ld tickets.", tickets, all);
  for (int ticket = 0; ticket < all && ticket < (int)sizeof taken; ++ticket) {
    EXPECT(taken[ticket] == 1, "Ticket %d is taken %d times.", ticket, taken[ticket]);
  }
  EXPECT(swapped == all, "%ld of %ld are swapped.", swapped, all);
  EXPECT(incremented == all, "%ld of %ld are counted.", incremented, all);
  EXPECT(bits == (threads >= 8 ? 255 : (1 << threads) - 1), "The bits are %x.", bits);
  EXPECT(last_ones == 1 && references == 0, "%d are the last, %d are left.", last_ones, references);
  return ok();
}

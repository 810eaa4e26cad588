// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C11 atomics and the compiler's __atomic and __sync functions, as programs use them beside OpenMP.

#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../check.h"

enum { kRounds = 25 };

static _Atomic int plain_atomic;
static atomic_long counter;
static _Atomic double real;
static atomic_uchar byte_sum;
static atomic_flag spin = ATOMIC_FLAG_INIT;
static _Atomic(int*) head;
static long builtin_count, sync_count, guarded;
static int cells[1024];

int main(void) {
  const int n = omp_get_max_threads();
#pragma omp parallel
  {
    for (int round = 0; round < kRounds; ++round) {
      plain_atomic += 2;
      plain_atomic--;
      atomic_fetch_add_explicit(&counter, 3, memory_order_relaxed);
      atomic_fetch_sub(&counter, 1);
      real += 0.5;
      atomic_fetch_add(&byte_sum, 1);
      __atomic_add_fetch(&builtin_count, 5, __ATOMIC_ACQ_REL);
      __sync_fetch_and_add(&sync_count, 7);
      while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire)) {
      }
      guarded += 1;
      atomic_flag_clear_explicit(&spin, memory_order_release);
    }
    int* mine = &cells[omp_get_thread_num()];
    int* expected = atomic_load(&head);
    while (!atomic_compare_exchange_weak(&head, &expected, mine)) {
    }
    *mine = expected ? (int)(expected - cells) + 1 : 0;  // a linked list, by index
  }
  EXPECT(plain_atomic == kRounds * n, "_Atomic int: %d.", plain_atomic);
  EXPECT(counter == 2L * kRounds * n, "atomic_long: %ld.", (long)counter);
  EXPECT(real == 0.5 * kRounds * n, "_Atomic double: %g.", real);
  EXPECT(byte_sum == (unsigned char)(kRounds * n), "atomic_uchar: %d.", byte_sum);
  EXPECT(builtin_count == 5L * kRounds * n, "__atomic: %ld.", builtin_count);
  EXPECT(sync_count == 7L * kRounds * n, "__sync: %ld.", sync_count);
  EXPECT(guarded == (long)kRounds * n, "Under the flag: %ld.", guarded);
  int length = 0;
  for (int at = (int)(atomic_load(&head) - cells) + 1; at != 0; at = cells[at - 1]) length += 1;
  EXPECT(length == n, "The list has %d elements.", length);
  return ok();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomic read and write: no torn values, for every size and for pointers.

#include <complex.h>
#include <omp.h>
#include <stdint.h>

#include "../check.h"

#define NO_TEARING(type, low, high)                                                  \
  do {                                                                               \
    static type shared_value = (low);                                                \
    static int other = 0;                                                            \
    _Pragma("omp parallel") {                                                        \
      const type mine = omp_get_thread_num() % 2 ? (low) : (high);                   \
      for (int round = 0; round < 20; ++round) {                                     \
        type seen;                                                                   \
        _Pragma("omp atomic write") shared_value = mine;                             \
        _Pragma("omp atomic read") seen = shared_value;                              \
        if (seen != (low) && seen != (high)) {                                       \
          _Pragma("omp atomic") other += 1;                                          \
        }                                                                            \
      }                                                                              \
    }                                                                                \
    EXPECT(other == 0, "%s: %d reads saw a value that nobody wrote.", #type, other); \
  } while (0)

static int here, there;

static void published_pointers(void) {
  static double* slot[1024];
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), team = omp_get_num_threads();
    double* mine = malloc(8 * sizeof *mine);
    for (int i = 0; i < 8; ++i) mine[i] = me * 10 + i;
#pragma omp atomic write release
    slot[me] = mine;
    double* next;
    do {
#pragma omp atomic read acquire
      next = slot[(me + 1) % team];
    } while (!next);
    for (int i = 0; i < 8; ++i)
      EXPECT(next[i] == (me + 1) % team * 10 + i, "Thread %d reads %g.", me, next[i]);
#pragma omp barrier
    free(next);
  }
}

int main(void) {
  NO_TEARING(uint8_t, 0, 0xff);
  NO_TEARING(uint16_t, 0, 0xffff);
  NO_TEARING(uint32_t, 0, 0xffffffffu);
  NO_TEARING(uint64_t, 0, UINT64_MAX);
  NO_TEARING(int64_t, -1, INT64_C(1) << 40);
  NO_TEARING(float, 1.5f, -2.75f);
  NO_TEARING(double, 1e300, -1e-300);
  typedef int* Pointer;
  NO_TEARING(Pointer, &here, &there);
  published_pointers();
  return ok();
}

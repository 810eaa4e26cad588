// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE -frounding-math
//
// How main computes when it begins a region is how the region's threads compute: rounding, traps,
// denormal numbers. Once changed back, it is changed back for all.

#include <fenv.h>
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "../check.h"

static volatile double one = 1, three = 3, zero = 0;
static volatile long double long_one = 1, long_three = 3;
static _Thread_local sigjmp_buf back;
static void on_trap(int number) { siglongjmp(back, number); }

static void expect_rounding(int mode) {
  const double third = one / three;
  const long double long_third = long_one / long_three;
#pragma omp parallel
  {
    EXPECT(fegetround() == mode, "thread %d rounds by %x", omp_get_thread_num(), fegetround());
    EXPECT(one / three == third, "thread %d has another third", omp_get_thread_num());
    EXPECT(long_one / long_three == long_third, "thread %d has another long third",
           omp_get_thread_num());
  }
}

static void expect_traps(int wanted) {
  int trapped = 0;
#pragma omp parallel reduction(+ : trapped)
  {
    if (sigsetjmp(back, 1) == 0) {
      volatile double infinite = one / zero;
      (void)infinite;
    } else {
      trapped = trapped + 1;
    }
  }
  EXPECT(trapped == (wanted ? omp_get_max_threads() : 0), "%d divisions by zero were trapped",
         trapped);
}

int main(void) {
  expect_rounding(FE_TONEAREST);
  const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  for (int i = 0; i < 4; ++i) {
    fesetround(modes[i]);
    expect_rounding(modes[i]);
  }
#if defined(__x86_64__)
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
#pragma omp parallel
  EXPECT(_MM_GET_FLUSH_ZERO_MODE() == _MM_FLUSH_ZERO_ON, "thread %d keeps denormals",
         omp_get_thread_num());
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_OFF);
  signal(SIGFPE, on_trap);
  expect_traps(0);
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_DIVBYZERO);
  expect_traps(1);
  feclearexcept(FE_ALL_EXCEPT);
  fedisableexcept(FE_DIVBYZERO);
  expect_traps(0);
#endif
  return ok();
}

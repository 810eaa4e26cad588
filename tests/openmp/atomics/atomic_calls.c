// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libomp's entry points for atomic constructs, called by their names as older compilers do, from all
// nodes at once, and on one variable with atomic constructs, which are instructions.

#include <complex.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../check.h"

enum { kRounds = 50 };

int __kmpc_global_thread_num(void*);
void __kmpc_atomic_fixed4_add(void*, int, int32_t*, int32_t);
void __kmpc_atomic_fixed1_xor(void*, int, int8_t*, int8_t);
void __kmpc_atomic_fixed8_max(void*, int, int64_t*, int64_t);
int32_t __kmpc_atomic_fixed4_add_cpt(void*, int, int32_t*, int32_t, int);
int32_t __kmpc_atomic_fixed4_sub_cpt_rev(void*, int, int32_t*, int32_t, int);
int16_t __kmpc_atomic_fixed2_swp(void*, int, int16_t*, int16_t);
void __kmpc_atomic_fixed4_mul_float8(void*, int, int32_t*, double);
uint8_t __kmpc_atomic_fixed1u_shr_cpt(void*, int, uint8_t*, uint8_t, int);
void __kmpc_atomic_float8_add(void*, int, double*, double);
void __kmpc_atomic_float4_div_rev(void*, int, float*, float);
void __kmpc_atomic_float10_add(void*, int, long double*, long double);
long double __kmpc_atomic_float10_rd(void*, int, long double*);
void __kmpc_atomic_cmplx4_add(void*, int, float complex*, float complex);
void __kmpc_atomic_cmplx4_add_cpt(void*, int, float complex*, float complex, float complex*, int);
void __kmpc_atomic_cmplx8_add(void*, int, double complex*, double complex);
double complex __kmpc_atomic_cmplx8_mul_cpt(void*, int, double complex*, double complex, int);
void __kmpc_atomic_cmplx10_wr(void*, int, long double complex*, long double complex);
long double complex __kmpc_atomic_cmplx10_rd(void*, int, long double complex*);
bool __kmpc_atomic_bool_4_cas(void*, int, int32_t*, int32_t, int32_t);
int64_t __kmpc_atomic_val_8_cas_cpt(void*, int, int64_t*, int64_t, int64_t, int64_t*);
void __kmpc_atomic_20(void*, int, void*, void*, void (*)(void*, void*, void*));

// On one thread: what each returns and leaves.
static void one_by_one(void) {
  int32_t i = 10;
  EXPECT(__kmpc_atomic_fixed4_add_cpt(0, 0, &i, 5, 0) == 10 && i == 15, "It is %d.", i);
  EXPECT(__kmpc_atomic_fixed4_sub_cpt_rev(0, 0, &i, 40, 1) == 25 && i == 25, "It is %d.", i);
  __kmpc_atomic_fixed4_mul_float8(0, 0, &i, 0.5);
  EXPECT(i == 12, "Half of 25 is %d.", i);
  EXPECT(!__kmpc_atomic_bool_4_cas(0, 0, &i, 3, 4) && i == 12, "It is %d.", i);
  EXPECT(__kmpc_atomic_bool_4_cas(0, 0, &i, 12, 4) && i == 4, "It is %d.", i);
  int64_t old = 7, seen = 0;
  EXPECT(__kmpc_atomic_val_8_cas_cpt(0, 0, &old, 7, 9, &seen) == 7 && seen == 9 && old == 9,
         "It is %ld, seen %ld.", (long)old, (long)seen);
  int16_t s = -3;
  EXPECT(__kmpc_atomic_fixed2_swp(0, 0, &s, 8) == -3 && s == 8, "It is %d.", s);
  uint8_t u = 0xf0;
  EXPECT(__kmpc_atomic_fixed1u_shr_cpt(0, 0, &u, 4, 1) == 0x0f && u == 0x0f, "It is %d.", u);
  float f = 4;
  __kmpc_atomic_float4_div_rev(0, 0, &f, 2);
  EXPECT(f == 0.5F, "2 / 4 is %g.", f);
  float complex c = 1 + 2 * I, out = 0;
  __kmpc_atomic_cmplx4_add_cpt(0, 0, &c, 1, &out, 0);
  EXPECT(out == 1 + 2 * I && c == 2 + 2 * I, "It is %g + %gi.", crealf(c), cimagf(c));
  double complex d = 2 * I;
  EXPECT(__kmpc_atomic_cmplx8_mul_cpt(0, 0, &d, 3, 1) == 6 * I, "It is %g + %gi.", creal(d),
         cimag(d));
  long double complex l = 0;
  __kmpc_atomic_cmplx10_wr(0, 0, &l, 5 + 1 * I);
  EXPECT(__kmpc_atomic_cmplx10_rd(0, 0, &l) == 5 + 1 * I, "The long one is wrong.");
}

struct Twenty {
  int32_t parts[5];
};

static void add_parts(void* out, void* a, void* b) {
  for (int k = 0; k < 5; ++k) {
    ((struct Twenty*)out)->parts[k] = ((struct Twenty*)a)->parts[k] + ((struct Twenty*)b)->parts[k];
  }
}

static void all_at_once(void) {
  int32_t count = 0;
  int8_t parity = 0;
  int64_t most = 0;
  double sum = 0;
  long double long_sum = 0;
  float complex small = 0;
  double complex large = 0;
  struct Twenty twenty = {{0}};
  int threads = 1;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), gtid = __kmpc_global_thread_num(0);
    struct Twenty ones = {{1, 2, 3, 4, 5}};
#pragma omp single
    threads = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
      __kmpc_atomic_fixed4_add(0, gtid, &count, 2);
#pragma omp atomic
      count += 1;
      __kmpc_atomic_fixed1_xor(0, gtid, &parity, 1);
      __kmpc_atomic_fixed8_max(0, gtid, &most, (int64_t)me * 1000 + round);
      __kmpc_atomic_float8_add(0, gtid, &sum, 0.5);
      __kmpc_atomic_float10_add(0, gtid, &long_sum, 0.25L);
      __kmpc_atomic_cmplx4_add(0, gtid, &small, 1 - 1 * I);
      __kmpc_atomic_cmplx8_add(0, gtid, &large, 1 + 2 * I);
      __kmpc_atomic_20(0, gtid, &twenty, &ones, add_parts);
    }
  }
  const int n = threads * kRounds;
  EXPECT(count == 3 * n, "The count is %d.", count);
  EXPECT(parity == n % 2, "The parity is %d.", parity);
  EXPECT(most == (threads - 1) * 1000 + kRounds - 1, "The maximum is %ld.", (long)most);
  EXPECT(sum == 0.5 * n, "The sum is %g.", sum);
  EXPECT(__kmpc_atomic_float10_rd(0, 0, &long_sum) == 0.25L * n, "The long sum is %Lg.", long_sum);
  EXPECT(small == n - n * I, "The small one is %g + %gi.", crealf(small), cimagf(small));
  EXPECT(large == n + 2.0 * n * I, "The large one is %g + %gi.", creal(large), cimag(large));
  for (int k = 0; k < 5; ++k) {
    EXPECT(twenty.parts[k] == n * (k + 1), "Part %d is %d.", k, twenty.parts[k]);
  }
}

int main(void) {
  EXPECT(__kmpc_global_thread_num(0) == 0, "The initial thread is not number 0.");
  one_by_one();
  all_at_once();
  return ok();
}

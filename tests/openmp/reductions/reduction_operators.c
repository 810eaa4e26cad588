// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions with every operator, over integers and floats of every size, several at once.
//
// The atomic form of a reduction of long double or complex numbers is a call of libatomic.
//
// flags: -latomic

#include <complex.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../check.h"

enum { kCount = 60 };

#define SUMS(type)                                                                                \
  do {                                                                                            \
    type sum = 100, difference = 100, product = 1, least = 90, greatest = 0;                      \
    _Pragma(                                                                                      \
        "omp parallel for reduction(+ : sum) reduction(- : difference) reduction(* : product) \
            reduction(min : least) reduction(max : greatest)") for (int i = 0; i < kCount; ++i) { \
      const type value = (type)((i * 17 + 5) % kCount % 100);                                     \
      sum += value % 2;                                                                           \
      difference -= value % 2;                                                                    \
      if (i % 10 == 3) product *= 2;                                                              \
      least = value + 7 < least ? value + 7 : least;                                              \
      greatest = value > greatest ? value : greatest;                                             \
    }                                                                                             \
    EXPECT(sum == (type)130, "%s: the sum is %g.", #type, (double)sum);                           \
    EXPECT(difference == (type)70, "%s: the difference is %g.", #type, (double)difference);       \
    EXPECT(product == (type)64, "%s: the product is %g.", #type, (double)product);                \
    EXPECT(least == 7 && greatest == 59, "%s: the extremes are %g, %g.", #type, (double)least,    \
           (double)greatest);                                                                     \
  } while (0)

#define REALS(type)                                                                               \
  do {                                                                                            \
    type sum = 0.5, product = 1, least = 1000, greatest = -1000;                                  \
    _Pragma(                                                                                      \
        "omp parallel for schedule(dynamic, 3) reduction(+ : sum) reduction(* : product)     \
            reduction(min : least) reduction(max : greatest)") for (int i = 0; i < kCount; ++i) { \
      const type value = (type)((i * 7) % kCount) / 4;                                            \
      sum += value;                                                                               \
      product *= i % 2 ? (type)2 : (type)0.5;                                                     \
      least = value - 3 < least ? value - 3 : least;                                              \
      greatest = value > greatest ? value : greatest;                                             \
    }                                                                                             \
    EXPECT(sum == (type)443, "%s: the sum is %g.", #type, (double)sum);                           \
    EXPECT(product == 1, "%s: the product is %g.", #type, (double)product);                       \
    EXPECT(least == -3 && greatest == (type)14.75, "%s: the extremes are %g, %g.", #type,         \
           (double)least, (double)greatest);                                                      \
  } while (0)

#define BITS(type)                                                                             \
  do {                                                                                         \
    type any = 0, all = (type) ~(type)0, odd = 0;                                              \
    _Pragma("omp parallel for reduction(| : any) reduction(& : all) reduction(^ : odd)") for ( \
        int i = 0; i < (int)(8 * sizeof(type)); ++i) {                                         \
      const type bit = (type)((type)1 << i);                                                   \
      if (i % 3) any |= bit;                                                                   \
      if (i % 3) all &= (type)~bit;                                                            \
      odd ^= bit;                                                                              \
    }                                                                                          \
    EXPECT((type)(any ^ all) == (type) ~(type)0, "%s: or and and gave %llx, %llx.", #type,     \
           (unsigned long long)any, (unsigned long long)all);                                  \
    EXPECT(odd == (type) ~(type)0, "%s: xor gave %llx.", #type, (unsigned long long)odd);      \
  } while (0)

static void logical(void) {
  int all = 1, any = 0, not_all = 1, none = 0;
  bool flag = true;
#pragma omp parallel for reduction(&& : all, not_all, flag) reduction(|| : any, none)
  for (int i = 0; i < kCount; ++i) {
    all = all && i >= 0;
    not_all = not_all && i != 41;
    any = any || i == 17;
    none = none || i > kCount;
    flag = flag && i < kCount;
  }
  EXPECT(all == 1 && not_all == 0 && any == 1 && none == 0 && flag, "Logical: %d, %d, %d, %d, %d.",
         all, not_all, any, none, flag);
}

static void wide(void) {
  long double sum = 0;
  double _Complex turn = 0, product = 1;
  float _Complex small = 0;
  __extension__ __int128 huge = 0;
#pragma omp parallel for reduction(+ : sum, turn, small, huge) reduction(* : product)
  for (int i = 0; i < kCount; ++i) {
    sum += i * 0.5L;
    turn += i - 2.0 * i * I;
    small += 1.0f + 0.5f * I;
    product *= i % 2 ? I : -I;
    huge += (__int128)i << 70;
  }
  EXPECT(sum == 885.0L, "long double: %Lg.", sum);
  EXPECT(creal(turn) == 1770 && cimag(turn) == -3540, "complex: %g, %g.", creal(turn), cimag(turn));
  EXPECT(crealf(small) == kCount && cimagf(small) == kCount / 2, "float complex: %g, %g.",
         crealf(small), cimagf(small));
  EXPECT(creal(product) == 1 && cimag(product) == 0, "complex product: %g, %g.", creal(product),
         cimag(product));
  EXPECT((long)(huge >> 70) == 1770, "128 bits: %ld.", (long)(huge >> 70));
}

static void where_it_may_stand(void) {
  const int n = omp_get_max_threads();
  int at_region = 0, at_for = 0, at_sections = 0;
#pragma omp parallel reduction(+ : at_region)
  {
    at_region += 1;
#pragma omp for reduction(+ : at_for)
    for (int i = 0; i < kCount; ++i) at_for += 1;
    EXPECT(at_for == kCount, "After the loop thread %d sees %d.", omp_get_thread_num(), at_for);
#pragma omp barrier
#pragma omp for reduction(+ : at_for) nowait
    for (int i = 0; i < kCount; ++i) at_for += 1;
#pragma omp barrier
    EXPECT(at_for == 2 * kCount, "After the second thread %d sees %d.", omp_get_thread_num(),
           at_for);
#pragma omp sections reduction(+ : at_sections)
    {
#pragma omp section
      at_sections += 3;
#pragma omp section
      at_sections += 4;
    }
  }
  EXPECT(at_region == n && at_sections == 7, "Region: %d, sections: %d.", at_region, at_sections);
}

int main(void) {
  SUMS(signed char);
  SUMS(short);
  SUMS(int);
  SUMS(long);
  SUMS(unsigned char);
  SUMS(unsigned short);
  SUMS(unsigned);
  SUMS(unsigned long);
  REALS(float);
  REALS(double);
  REALS(long double);
  BITS(unsigned char);
  BITS(short);
  BITS(unsigned);
  BITS(long);
  logical();
  wide();
  where_it_may_stand();
  return ok();
}

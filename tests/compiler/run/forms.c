// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of atomic operation that C has, on every type, gives the same results compiled by plain
// clang, by weftcc on one node, and by weftcc with every operation on the slow path.
//
// RUN: clang-22 -w -fopenmp -O0 %s -o %t.plain -latomic -lm && %t.plain > %t.expected
// RUN: weftcc -w -O0 %s -o %t.O0 -latomic -lm && %t.O0 | diff %t.expected -
// RUN: weftcc -w -O2 %s -o %t.O2 -latomic -lm && %t.O2 | diff %t.expected -
// RUN: weftcc -w -O3 -march=native %s -o %t.native -latomic -lm && %t.native | diff %t.expected -
// RUN: %node %t.O0 2> %t.log0 | diff %t.expected - && FileCheck %s < %t.log0
// RUN: %node %t.O2 2> %t.log2 | diff %t.expected - && FileCheck %s < %t.log2
// RUN: %node %t.native 2>&1 >%t.out | FileCheck %s && diff %t.expected %t.out
// CHECK: loads {{[1-9][0-9]*}} stores {{[1-9][0-9]*}} updates {{[1-9][0-9]*}} exchanges {{[1-9][0-9]*}} fences {{[1-9][0-9]*}}
#include <complex.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// Prints the value's bytes that carry meaning (of a long double's 16 only 10 do).
static void show(const char* what, const void* value, size_t bytes) {
  printf("%s ", what);
  for (size_t i = 0; i < bytes; ++i) printf("%02x", ((const unsigned char*)value)[i]);
  printf("\n");
}

#define SHOW(x) show(__func__, &(x), MEANINGFUL(x))
#define MEANINGFUL(x) _Generic((x), long double: 10, default: sizeof(x))

// What every arithmetic type can do.
#define COMMON(name, T)                                                        \
  static void common_##name(T* p, T v) {                                       \
    T o = 0;                                                                   \
    _Pragma("omp atomic") *p += v;                                             \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic update seq_cst") *p -= v + v;                          \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic") *p *= v;                                             \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic hint(omp_sync_hint_contended)") *p = *p / v;           \
    _Pragma("omp atomic") *p = v - *p;                                         \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic") *p = v / *p;                                         \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic read acquire") o = *p;                                 \
    SHOW(o);                                                                   \
    _Pragma("omp atomic write release")* p = v;                                \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic capture acq_rel") o = *p += v;                         \
    SHOW(o);                                                                   \
    _Pragma("omp atomic capture") {                                            \
      o = *p;                                                                  \
      *p -= v;                                                                 \
    }                                                                          \
    SHOW(o);                                                                   \
    _Pragma("omp atomic capture") {                                            \
      *p = *p * v;                                                             \
      o = *p;                                                                  \
    }                                                                          \
    SHOW(o);                                                                   \
    _Pragma("omp atomic capture seq_cst") {                                    \
      o = *p;                                                                  \
      *p = v;                                                                  \
    }                                                                          \
    SHOW(o);                                                                   \
    SHOW(*p);                                                                  \
  }

#define ORDERED(name, T)                                                       \
  static void ordered_##name(T* p, T v) {                                      \
    T o = 0, e = *p;                                                           \
    _Pragma("omp atomic compare") if (*p < v) *p = v;                          \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic compare") if (*p > e) *p = e;                          \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic compare") *p = *p == e ? v : *p;                       \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic compare capture") {                                    \
      o = *p;                                                                  \
      if (*p == e) *p = v;                                                     \
    }                                                                          \
    SHOW(o);                                                                   \
    SHOW(*p);                                                                  \
  }

#define INTEGER(name, T)                                                       \
  static void integer_##name(T* p, T v) {                                      \
    T o = 0, e = *p;                                                           \
    _Pragma("omp atomic") ++*p;                                                \
    _Pragma("omp atomic") (*p)--;                                              \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic") *p &= v;                                             \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic") *p |= v + 9;                                         \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic") *p ^= v;                                             \
    SHOW(*p);                                                                  \
    _Pragma("omp atomic") *p <<= 2;                                            \
    _Pragma("omp atomic") *p = *p >> 1;                                        \
    SHOW(*p);                                                                  \
    o = __atomic_fetch_nand(p, v, __ATOMIC_ACQ_REL), SHOW(o);                  \
    o = __atomic_and_fetch(p, v, __ATOMIC_RELAXED), SHOW(o);                   \
    o = __atomic_exchange_n(p, v, __ATOMIC_ACQUIRE), SHOW(o);                  \
    o = __atomic_load_n(p, __ATOMIC_CONSUME), SHOW(o);                         \
    __atomic_store_n(p, e, __ATOMIC_SEQ_CST), SHOW(*p);                        \
    o = __atomic_compare_exchange_n(p, &e, v, 0, __ATOMIC_SEQ_CST,             \
                                    __ATOMIC_RELAXED),                         \
    SHOW(o), SHOW(*p);                                                         \
    e = v + 1;                                                                 \
    o = __atomic_compare_exchange_n(p, &e, v, 1, __ATOMIC_RELEASE,             \
                                    __ATOMIC_RELAXED),                         \
    SHOW(o), SHOW(e);                                                          \
    o = __sync_fetch_and_add(p, v), SHOW(o);                                   \
    o = __sync_val_compare_and_swap(p, *p, v), SHOW(o), SHOW(*p);              \
    o = __atomic_fetch_max(p, e, __ATOMIC_RELAXED), SHOW(o), SHOW(*p);         \
    o = __atomic_fetch_min(p, v, __ATOMIC_RELAXED), SHOW(o), SHOW(*p);         \
  }

#define C11(name, T)                                                           \
  static _Atomic(T) atomic_##name;                                             \
  static void c11_##name(T v) {                                                \
    T o = 0, e;                                                                \
    atomic_##name = v;                                                         \
    atomic_##name += v;                                                        \
    atomic_##name *= v;                                                        \
    e = atomic_##name++;                                                       \
    SHOW(e);                                                                   \
    o = atomic_load(&atomic_##name), SHOW(o);                                  \
    o = atomic_exchange(&atomic_##name, v), SHOW(o);                           \
    int done = atomic_compare_exchange_strong(&atomic_##name, &e, o);          \
    SHOW(done), SHOW(e);                                                       \
    done = atomic_compare_exchange_strong(&atomic_##name, &e, o);              \
    SHOW(done), o = atomic_##name, SHOW(o);                                    \
  }

#define ARITHMETIC(name, T) COMMON(name, T) C11(name, T)
#define INTEGERS(name, T) ARITHMETIC(name, T) ORDERED(name, T) INTEGER(name, T)
#define FLOATS(name, T) ARITHMETIC(name, T) ORDERED(name, T)

INTEGERS(i8, signed char)
INTEGERS(u8, unsigned char)
INTEGERS(i16, short)
INTEGERS(u16, unsigned short)
INTEGERS(i32, int)
INTEGERS(u32, unsigned)
INTEGERS(i64, long)
INTEGERS(u64, unsigned long long)
COMMON(i128, __int128)
C11(i128, __int128)
FLOATS(half, _Float16)
FLOATS(float, float)
FLOATS(double, double)
COMMON(x87, long double)
C11(x87, long double)

#define COMPLEX(name, T)                                   \
  static void complex_##name(T* p, T v) {                  \
    T o;                                                   \
    _Pragma("omp atomic") *p += v;                         \
    _Pragma("omp atomic") *p *= v;                         \
    _Pragma("omp atomic read") o = *p;                     \
    SHOW(o);                                               \
    _Pragma("omp atomic write")* p = v;                    \
    _Pragma("omp atomic capture") {                        \
      o = *p;                                              \
      *p -= v;                                             \
    }                                                      \
    SHOW(o);                                               \
    SHOW(*p);                                              \
  }
COMPLEX(float, float _Complex)
COMPLEX(double, double _Complex)

typedef struct {
  char bytes[3];
} Three;
typedef struct {
  int words[6];
} Large;
static _Atomic(Three) three;
static _Atomic(Large) large;

static void structs(void) {
  Three a = {{1, 2, 3}}, b;
  three = a, b = three, SHOW(b);
  Large c = {{1, 2, 3, 4, 5, 6}}, d = {{6, 5, 4, 3, 2, 1}}, e;
  large = c, e = large, SHOW(e);
  e = atomic_exchange(&large, d), SHOW(e);
  int done = atomic_compare_exchange_strong(&large, &c, e);
  SHOW(done), SHOW(c);
  done = atomic_compare_exchange_strong(&large, &c, e);
  SHOW(done), e = large, SHOW(e);
}

static struct {
  unsigned a : 3, b : 17, c : 12;
} field;

static void others(void) {
#pragma omp atomic
  field.b += 70000;
#pragma omp atomic
  field.c ^= 0xabc;
  SHOW(field);
  static int array[4], *_Atomic pointer;
  pointer = array, pointer++, ++pointer, pointer--;
  long at = pointer - array;
  SHOW(at);
  static atomic_flag flag = ATOMIC_FLAG_INIT;
  int was = atomic_flag_test_and_set(&flag);
  SHOW(was), was = atomic_flag_test_and_set(&flag), SHOW(was);
  atomic_flag_clear(&flag), was = atomic_flag_test_and_set(&flag), SHOW(was);
  static _Atomic _Bool boolean;
  boolean ^= 1, was = boolean, SHOW(was);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_thread_fence(memory_order_acquire);
  atomic_signal_fence(memory_order_seq_cst);
  __sync_synchronize();
  // Complex numbers need not be aligned to their size.
  static struct {
    float before;
    float _Complex value;
    float after;
  } odd;
#pragma omp atomic
  odd.value += 1 + 2 * I;
  SHOW(odd);
}

#define SUM(name, T)                               \
  {                                                \
    static T sum;                                  \
    sum = 0;                                       \
    _Pragma("omp parallel for") for (int i = 0; i < 200; ++i) { \
      _Pragma("omp atomic") sum += (T)(i % 3);     \
    }                                              \
    SHOW(sum);                                     \
  }

static void between_threads(void) {
  SUM(i8, signed char)
  SUM(i16, short)
  SUM(i32, int)
  SUM(i64, long)
  SUM(i128, __int128)
  SUM(half, _Float16)
  SUM(float, float)
  SUM(double, double)
  SUM(x87, long double)
  SUM(complex, double _Complex)
  static double product = 1, least = 1000;
#pragma omp parallel for
  for (int i = 0; i < 20; ++i) {
#pragma omp atomic
    product *= 2;
#pragma omp atomic compare
    if (least > i + 5) least = i + 5;
  }
  SHOW(product);
  SHOW(least);
}

#define RUN(name, T)                  \
  {                                   \
    static T x = 100;                 \
    common_##name(&x, (T)7);          \
    c11_##name((T)3);                 \
  }
#define RUN_ORDERED(name, T)          \
  {                                   \
    static T x = 5;                   \
    ordered_##name(&x, (T)11);        \
  }
#define RUN_INTEGER(name, T)          \
  RUN(name, T) RUN_ORDERED(name, T) { \
    static T x = 90;                  \
    integer_##name(&x, (T)77);        \
  }

int main(void) {
  RUN_INTEGER(i8, signed char)
  RUN_INTEGER(u8, unsigned char)
  RUN_INTEGER(i16, short)
  RUN_INTEGER(u16, unsigned short)
  RUN_INTEGER(i32, int)
  RUN_INTEGER(u32, unsigned)
  RUN_INTEGER(i64, long)
  RUN_INTEGER(u64, unsigned long long)
  RUN(i128, __int128)
  RUN(half, _Float16) RUN_ORDERED(half, _Float16)
  RUN(float, float) RUN_ORDERED(float, float)
  RUN(double, double) RUN_ORDERED(double, double)
  RUN(x87, long double)
  static float _Complex cf = 1 + 2 * I;
  static double _Complex cd = 3 - I;
  complex_float(&cf, 2 - I);
  complex_double(&cd, 2 - I);
  structs();
  others();
  between_threads();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic constructs on values at which something ends: zeros of both signs, infinities, NaN, and
// the least and greatest integers. A variable that all share must become what one of the thread's
// own becomes, on which the compiler's instruction works.

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"

enum { kValues = 10, kMost = 6, kCells = kValues * kValues * kMost };

// The same construct on a variable of the thread's own and on a shared one.
#define ON_BOTH(own, shared, construct, ...) \
  do {                                       \
    {                                        \
      __typeof__(own)* x = &own;             \
      _Pragma(construct) __VA_ARGS__         \
    }                                        \
    {                                        \
      __typeof__(own)* x = &shared;          \
      _Pragma(construct) __VA_ARGS__         \
    }                                        \
  } while (0)

// Each thread does some cells, that is, some pairs of values; behind a barrier another looks.
#define TEST(T, values, operations, is_right, kind)                                                \
  static T kind##_cells[kCells], kind##_right[kCells];                                             \
  static void kind##_test(void) {                                                                  \
    _Pragma("omp parallel") {                                                                      \
      const int threads = omp_get_num_threads(), me = omp_get_thread_num();                        \
      for (int cell = me; cell < kCells; cell += threads) {                                        \
        T own = values[cell / kMost % kValues];                                                    \
        const T e = values[cell / kMost / kValues];                                                \
        kind##_cells[cell] = own;                                                                  \
        operations(own, kind##_cells[cell], e, cell % kMost);                                      \
        kind##_right[cell] = own;                                                                  \
      }                                                                                            \
      _Pragma("omp barrier") for (int cell = (me + 1) % threads; cell < kCells; cell += threads)   \
          EXPECT(is_right(kind##_cells[cell], kind##_right[cell]),                                 \
                 #kind ": operation %d on values %d and %d", cell % kMost, cell / kMost % kValues, \
                 cell / kMost / kValues);                                                          \
    }                                                                                              \
  }

#define FLOAT_OPERATIONS(own, shared, e, which)                                    \
  switch (which) {                                                                 \
    case 0:                                                                        \
      ON_BOTH(own, shared, "omp atomic compare", if (*x < e) { *x = e; });         \
      break;                                                                       \
    case 1:                                                                        \
      ON_BOTH(own, shared, "omp atomic compare", if (*x > e) { *x = e; });         \
      break;                                                                       \
    case 2:                                                                        \
      ON_BOTH(own, shared, "omp atomic compare seq_cst", if (*x < e) { *x = e; }); \
      break;                                                                       \
    case 3:                                                                        \
      ON_BOTH(own, shared, "omp atomic", *x += e;);                                \
      break;                                                                       \
    case 4:                                                                        \
      ON_BOTH(own, shared, "omp atomic release", *x = e - *x;);                    \
      break;                                                                       \
    default:                                                                       \
      ON_BOTH(own, shared, "omp atomic", *x *= e;);                                \
  }

#define INTEGER_OPERATIONS(own, shared, e, which)                          \
  switch (which) {                                                         \
    case 0:                                                                \
      ON_BOTH(own, shared, "omp atomic compare", if (*x < e) { *x = e; }); \
      break;                                                               \
    case 1:                                                                \
      ON_BOTH(own, shared, "omp atomic compare", if (*x > e) { *x = e; }); \
      break;                                                               \
    case 2:                                                                \
      ON_BOTH(own, shared, "omp atomic seq_cst", *x += e;);                \
      break;                                                               \
    case 3:                                                                \
      ON_BOTH(own, shared, "omp atomic", *x -= e;);                        \
      break;                                                               \
    case 4:                                                                \
      ON_BOTH(own, shared, "omp atomic", *x ^= e;);                        \
      break;                                                               \
    default:                                                               \
      ON_BOTH(own, shared, "omp atomic", *x = e & *x;);                    \
  }

// Which NaN it is nobody says.
#define SAME_FLOAT(a, b) (memcmp(&(a), &(b), sizeof(a)) == 0 || (isnan(a) && isnan(b)))
#define SAME_INTEGER(a, b) ((a) == (b))

static const float floats[kValues] = {0,        -0.0f,    1.5f,      -1.5f, FLT_MAX,
                                      -FLT_MAX, INFINITY, -INFINITY, NAN,   FLT_TRUE_MIN};
static const double doubles[kValues] = {0,        -0.0,     1.5,       -1.5, DBL_MAX,
                                        -DBL_MAX, INFINITY, -INFINITY, NAN,  DBL_TRUE_MIN};
static const int8_t bytes[kValues] = {0, 1, -1, 2, -2, INT8_MAX, INT8_MIN, INT8_MAX - 1, 85, -86};
static const uint16_t shorts[kValues] = {0,      1,      2,      UINT16_MAX, UINT16_MAX - 1,
                                         0x7fff, 0x8000, 0x8001, 0x5555,     0xaaaa};
static const int32_t words[kValues] = {0,  1,  -1, 2, -2, INT32_MAX, INT32_MIN, INT32_MAX - 1,
                                       85, -86};
static const uint64_t longs[kValues] = {
    0, 1, 2, UINT64_MAX, UINT64_MAX - 1, INT64_MAX, 1ULL << 63, (1ULL << 63) + 1, 85, 1ULL << 32};

TEST(float, floats, FLOAT_OPERATIONS, SAME_FLOAT, single)
TEST(double, doubles, FLOAT_OPERATIONS, SAME_FLOAT, twice)
TEST(int8_t, bytes, INTEGER_OPERATIONS, SAME_INTEGER, byte)
TEST(uint16_t, shorts, INTEGER_OPERATIONS, SAME_INTEGER, half)
TEST(int32_t, words, INTEGER_OPERATIONS, SAME_INTEGER, word)
TEST(uint64_t, longs, INTEGER_OPERATIONS, SAME_INTEGER, wide)

int main(void) {
  single_test();
  twice_test();
  byte_test();
  half_test();
  word_test();
  wide_test();
  return ok();
}

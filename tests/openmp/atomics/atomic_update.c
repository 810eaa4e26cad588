// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomic update: every operator that the standard lists, on integers of every width and on floats,
// with neighbours in the same word left alone.

#include <omp.h>
#include <stdint.h>

#include "../check.h"

enum { kRounds = 25 };

// Each thread adds and takes away; what is left is known. `guard` lies on both sides of the value.
#define ARITHMETIC(type)                                                                        \
  do {                                                                                          \
    static struct {                                                                             \
      type before, value, after;                                                                \
    } cell = {(type)3, (type)1, (type)5};                                                       \
    _Pragma("omp parallel") for (int round = 0; round < kRounds; ++round) {                     \
      _Pragma("omp atomic update") cell.value += (type)2;                                       \
      _Pragma("omp atomic") cell.value -= (type)1;                                              \
      _Pragma("omp atomic") cell.value++;                                                       \
      _Pragma("omp atomic")-- cell.value;                                                       \
      _Pragma("omp atomic") cell.value = cell.value + (type)1;                                  \
      _Pragma("omp atomic") cell.value = (type)1 + cell.value;                                  \
    }                                                                                           \
    const type expected = (type)(1 + 3 * kRounds * omp_get_max_threads());                      \
    EXPECT(cell.value == expected, "%s: the sum is %g, not %g.", #type, (double)cell.value,     \
           (double)expected);                                                                   \
    EXPECT(cell.before == (type)3 && cell.after == (type)5, "%s: a neighbour changed.", #type); \
  } while (0)

// Products by odd numbers modulo a power of two do not depend on their order.
#define PRODUCT(type)                                                                          \
  do {                                                                                         \
    static type value = 1;                                                                     \
    type expected = 1;                                                                         \
    _Pragma("omp parallel") for (int round = 0; round < kRounds; ++round) {                    \
      _Pragma("omp atomic update") value *= (type)3;                                           \
    }                                                                                          \
    for (int i = 0; i < kRounds * omp_get_max_threads(); ++i) expected = (type)(expected * 3); \
    EXPECT(value == expected, "%s: the product is %llu.", #type, (unsigned long long)value);   \
  } while (0)

#define BITS(type)                                                                        \
  do {                                                                                    \
    enum { kBits = 8 * sizeof(type) };                                                    \
    static type all = 0, none = (type) ~(type)0, toggled = 0;                             \
    _Pragma("omp parallel for schedule(dynamic)") for (int bit = 0; bit < kBits; ++bit) { \
      const type mask = (type)((type)1 << bit);                                           \
      _Pragma("omp atomic") all |= mask;                                                  \
      _Pragma("omp atomic") none &= (type)~mask;                                          \
      _Pragma("omp atomic") toggled ^= mask;                                              \
      _Pragma("omp atomic") toggled = toggled ^ (type)(bit % 2 ? mask : 0);               \
    }                                                                                     \
    EXPECT(all == (type) ~(type)0, "%s: or gave %llx.", #type, (unsigned long long)all);  \
    EXPECT(none == 0, "%s: and gave %llx.", #type, (unsigned long long)none);             \
    EXPECT(toggled == (type)0x5555555555555555u, "%s: xor gave %llx.", #type,             \
           (unsigned long long)toggled);                                                  \
  } while (0)

static void shifts_and_divisions(void) {
  static uint64_t left = 1, right = UINT64_C(1) << 63;
  static double halved = 0x1p200;
  static long reversed = 0;
#pragma omp parallel for
  for (int i = 0; i < 20; ++i) {
#pragma omp atomic
    left <<= 2;
#pragma omp atomic
    right >>= 2;
#pragma omp atomic
    halved /= 2;
#pragma omp atomic
    reversed = 7 - reversed;
  }
  EXPECT(left == UINT64_C(1) << 40 && right == UINT64_C(1) << 23, "Shifts: %llx, %llx.",
         (unsigned long long)left, (unsigned long long)right);
  EXPECT(halved == 0x1p180, "Halving gave %g.", halved);
  EXPECT(reversed == 0, "Subtracting from 7 an even number of times gave %ld.", reversed);
}

static void packed_bytes(void) {
  static uint8_t bytes[64];
#pragma omp parallel
  for (int i = 0; i < 64; ++i) {
#pragma omp atomic
    bytes[i] += (uint8_t)i;
  }
  for (int i = 0; i < 64; ++i)
    EXPECT(bytes[i] == (uint8_t)(i * omp_get_max_threads()), "bytes[%d] is %d.", i, bytes[i]);
}

int main(void) {
  ARITHMETIC(int8_t);
  ARITHMETIC(uint8_t);
  ARITHMETIC(int16_t);
  ARITHMETIC(uint16_t);
  ARITHMETIC(int32_t);
  ARITHMETIC(uint32_t);
  ARITHMETIC(int64_t);
  ARITHMETIC(uint64_t);
  ARITHMETIC(float);
  ARITHMETIC(double);
  PRODUCT(uint8_t);
  PRODUCT(uint16_t);
  PRODUCT(uint32_t);
  PRODUCT(uint64_t);
  BITS(uint8_t);
  BITS(uint16_t);
  BITS(uint32_t);
  BITS(uint64_t);
  shifts_and_divisions();
  packed_bytes();
  return ok();
}

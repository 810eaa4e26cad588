// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transform of one line of 64 complex numbers, in place, and what the 3-D programs share.
#pragma once

#include <complex.h>
#include <math.h>

#include "bench.h"

enum { kSide = 64, kBits = 6 };
typedef double complex Line[kSide];
typedef Line Plane[kSide];

static Line fft_roots;

static inline double complex complex_of(double real, double imaginary) {
  return real + imaginary * I;
}

static inline void fft_initialise(void) {
  for (int k = 0; k < kSide; ++k) fft_roots[k] = cexp(-2 * M_PI * I * k / kSide);
}

static inline int reversed(int i) {
  int result = 0;
  for (int bit = 0; bit < kBits; ++bit) result |= (i >> bit & 1) << (kBits - 1 - bit);
  return result;
}

static inline void fft_line(double complex* line) {
  for (int i = 0; i < kSide; ++i) {
    const int j = reversed(i);
    const double complex swapped = line[i];
    if (i < j) line[i] = line[j], line[j] = swapped;
  }
  for (int half = 1; half < kSide; half *= 2)
    for (int begin = 0; begin < kSide; begin += 2 * half)
      for (int k = 0; k < half; ++k) {
        const double complex root = fft_roots[k * (kSide / 2 / half)], low = line[begin + k];
        // Written out: complex multiplication otherwise looks for infinities.
        const double complex high = line[begin + half + k];
        const double complex turned =
            complex_of(creal(high) * creal(root) - cimag(high) * cimag(root),
                       creal(high) * cimag(root) + cimag(high) * creal(root));
        line[begin + k] = low + turned;
        line[begin + half + k] = low - turned;
      }
}

static inline void fft_plane(Plane plane) {
  for (int i = 0; i < kSide; ++i) fft_line(plane[i]);
  for (int j = 0; j < kSide; ++j) {
    Line column;
    for (int i = 0; i < kSide; ++i) column[i] = plane[i][j];
    fft_line(column);
    for (int i = 0; i < kSide; ++i) plane[i][j] = column[i];
  }
}

// The numbers that the transform of iteration k begins with, at (z, y, x).
static inline double complex fft_input(int k, int z, int y, int x) {
  const uint64_t index = (uint64_t)((z * kSide + y) * kSide + x);
  return complex_of(bench_random(2 * index) + 0.01 * k, bench_random(2 * index + 1));
}

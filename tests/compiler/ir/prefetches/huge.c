// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions too large for LLVM to simplify: bounds of a collapsed nest that are differences of
// pointers, each depending on those before. The compiler has nothing to say of such a loop, and
// ends.
//
// RUN: weftcc -O1 -c %s -o /dev/null
// RUN: weftcc -O2 -c %s -o /dev/null
// RUN: weftcc -O3 -c %s -o /dev/null

enum { N = 40 };
static int base[2 * N];
static char count[5][7][9][21][4][42];
int* volatile first = base + N;
int* volatile second = base + N + 4;
int* volatile third = base + N + 6;
int* volatile fourth = base + N + 9;
int* volatile fifth = base + N + 12;
volatile int none, one, two, four;

#define AT(p) ((p) - &base[N])

void nest(void) {
#pragma omp parallel for collapse(6)
  for (int* a = fourth - one; a >= first; a -= one)
    for (int* b = fifth - one; b >= first; b += -one)
      for (int* c = a + none; c < four + a; c += one)
        for (int* d = fifth - one; d >= third; d -= one)
          for (int* e = c - two; e >= first; e -= one)
            for (int* f = first; f < second; f += one)
              if (AT(f) < 0 || AT(f) >= 3) count[AT(a)][AT(b)][AT(c)][AT(d)][AT(e)][AT(f)]++;
}

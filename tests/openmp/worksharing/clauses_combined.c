// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Less usual forms of clauses and constructs: arrays of variable length and large structures as
// private copies, reductions over all kinds of numbers, scope, masked taskloops, doacross in two
// dimensions, atomics on bit-fields and wide types, objects for dependences that change meanwhile.
// flags: -fopenmp-version=51 -lm -latomic

#include <complex.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"

static void variable_lengths(int n) {
  double ramp[n], pairs[n][3];
  long sums[n];
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    ramp[i] = i, sums[i] = 0;
    for (int k = 0; k < 3; ++k) pairs[i][k] = k;
  }
#pragma omp parallel for firstprivate(ramp, pairs) reduction(+ : sums, wrong) schedule(dynamic)
  for (int i = 0; i < 100; ++i) {
    wrong += ramp[n - 1] != n - 1;
    wrong += pairs[n - 1][2] != 2;
    sums[i % n] += i;
  }
  long total = 0;
  for (int i = 0; i < n; ++i) total += sums[i];
  EXPECT(total == 4950 && wrong == 0, "%d elements: sum %ld, %d mistakes.", n, total, wrong);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task firstprivate(i) shared(sums, ramp)
    sums[i] = (long)ramp[i] * 2;
  }
  for (int i = 0; i < n; ++i) EXPECT(sums[i] == 2L * i, "Task %d wrote %ld.", i, sums[i]);
}

static void large_copies(void) {
  struct {
    char bytes[100000];
  } large;
  memset(&large, 7, sizeof large);
  int wrong = 0;
#pragma omp parallel firstprivate(large) reduction(+ : wrong)
  {
    for (size_t i = 0; i < sizeof large; ++i) wrong += large.bytes[i] != 7;
    memset(&large, omp_get_thread_num(), sizeof large);
#pragma omp barrier
    wrong += large.bytes[sizeof large - 1] != omp_get_thread_num();
  }
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task firstprivate(large) shared(wrong)
    for (size_t k = 0; k < sizeof large; ++k) {
      if (large.bytes[k] == 7) continue;
#pragma omp atomic
      ++wrong;
    }
  }
  EXPECT(wrong == 0, "%d bytes are wrong.", wrong);
}

static void kinds_of_numbers(void) {
  double complex sum = 0, product = 1;
  float complex narrow = 0;
  long double halves = 0;
  __int128 wide = 0;
  bool any = false, all = true;
  unsigned char parity = 0;
  short least = 32767;
  uint64_t bits = 0;
#pragma omp parallel for reduction(+ : sum, narrow, wide, halves) reduction(* : product) \
    reduction(|| : any) reduction(&& : all) reduction(^ : parity) reduction(min : least) \
    reduction(| : bits)
  for (int i = 0; i < 64; ++i) {
    sum += i + I, narrow += 1.0f - i * I, halves += i / 2.0L, wide += (__int128)i << 70;
    product *= i % 2 ? I : -I;
    any = any || i == 63, all = all && i < 64;
    parity ^= (unsigned char)i;
    if (-i < least) least = (short)-i;
    bits |= UINT64_C(1) << i;
  }
  EXPECT(sum == 2016 + 64 * I && narrow == 64 - 2016 * I, "A complex sum is wrong.");
  EXPECT(product == 1 && halves == 1008 && wide == (__int128)2016 << 70, "A wide one is wrong.");
  EXPECT(any && all && parity == 0 && least == -63 && bits == UINT64_MAX, "A narrow one is wrong.");
}

static void scopes_and_loops(void) {
  int count = 0, most = 0;
  long total = 0;
#pragma omp parallel
  {
#pragma omp scope reduction(+ : count)
    count += 1;
#pragma omp scope nowait reduction(max : most)
    most = omp_get_thread_num();
#pragma omp masked taskloop simd filter(omp_get_num_threads() - 1) reduction(+ : total) \
    num_tasks(17)
    for (int i = 0; i < 1000; ++i) total += i;
  }
  EXPECT(count == omp_get_max_threads() && most == count - 1, "%d threads, up to %d.", count, most);
  EXPECT(total == 499500, "The masked taskloop's sum is %ld.", total);
#pragma omp parallel masked taskloop reduction(+ : total) collapse(2)
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 30; ++j) total += i * j;
  }
#pragma omp parallel loop reduction(+ : total)
  for (int i = 0; i < 1000; ++i) total += i;
#pragma omp teams loop reduction(+ : total)
  for (int i = 0; i < 1000; ++i) total += i;
  EXPECT(total == 3 * 499500 + 435 * 435, "The loops' sum is %ld.", total);
}

enum { kRows = 24, kColumns = 30 };
static long cell(long (*grid)[kColumns], int i, int j) {
  const long above = i == 0 ? 0 : grid[i - 1][j];
  const long left = j == 0 ? 0 : grid[i][j - 1];
  const long corner = i == 0 || j == 0 ? 0 : grid[i - 1][j - 1];
  return (1 + above + left + corner) % 1000003;
}
static void doacross_of_two(void) {
  static long grid[kRows][kColumns], expected[kRows][kColumns];
#pragma omp parallel for ordered(2) collapse(2) schedule(static, 5)
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1) depend(sink : i - 1, j - 1)
      grid[i][j] = cell(grid, i, j);
#pragma omp ordered depend(source)
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      expected[i][j] = cell(expected, i, j);
      EXPECT(grid[i][j] == expected[i][j], "Cell %d, %d is %ld.", i, j, grid[i][j]);
    }
  }
}

static void atomics(void) {
  static struct {
    unsigned narrow : 3, field : 13;
    short number;
  } fields;
  static int most, least = 1000;
  static long seen[64];
  long next = 0;
  int winner = 0;
  long double halves = 0;
  double complex sum = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 640; ++i) {
      long mine;
#pragma omp atomic capture
      mine = next++;
      if (mine < 64) seen[mine] = 1;
#pragma omp atomic update
      fields.field += 1;
#pragma omp atomic
      fields.number += 2;
#pragma omp atomic compare
      if (most < i) {
        most = i;
      }
#pragma omp atomic compare
      if (least > i) {
        least = i;
      }
#pragma omp atomic
      halves += 0.5L;
#pragma omp atomic
      sum += 1 + I;
    }
    const int nobody = 0;
    int before;
#pragma omp atomic compare capture seq_cst
    {
      before = winner;
      if (winner == nobody) {
        winner = omp_get_thread_num() + 1;
      }
    }
    if (before == nobody) seen[0] += 1;
  }
  EXPECT(next == 640 && fields.field == 640 && fields.number == 1280, "Counts: %ld, %d, %d.", next,
         fields.field, fields.number);
  EXPECT(most == 639 && least == 0, "From %d to %d.", least, most);
  EXPECT(halves == 320 && sum == 640 + 640 * I, "A wide one is %Lg.", halves);
  EXPECT(winner > 0 && seen[0] == 2, "%ld threads won.", seen[0] - 1);
}

static void dependence_objects(void) {
  int chain = 0, sum = 0, expected_chain = 0, expected_sum = 0;
  omp_depend_t objects[2];
#pragma omp depobj(objects[0]) depend(inout : chain)
#pragma omp depobj(objects[1]) depend(in : chain)
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; ++i) {
#pragma omp task depend(depobj : objects[0]) shared(chain)
    chain = chain * 2 % 1009 + 1;
#pragma omp task depend(depobj : objects[1]) depend(iterator(k = 0 : 1), inout : (&sum)[k]) \
    shared(chain, sum)
    sum += chain;
    if (i == 15) {
#pragma omp depobj(objects[1]) update(inout)
    }
  }
  for (int i = 0; i < 30; ++i) {
    expected_chain = expected_chain * 2 % 1009 + 1;
    expected_sum += expected_chain;
  }
#pragma omp depobj(objects[0]) destroy
#pragma omp depobj(objects[1]) destroy
  EXPECT(chain == expected_chain && sum == expected_sum, "The chain is %d, its sum %d.", chain,
         sum);
}

int main(void) {
  variable_lengths(1);
  variable_lengths(37);
  variable_lengths(3000);
  large_copies();
  kinds_of_numbers();
  scopes_and_loops();
  doacross_of_two();
  atomics();
  dependence_objects();
  return ok();
}

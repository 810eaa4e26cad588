// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random trees of tasks with dependences, groups, waits and loops. What each task computes depends
// on what it must have seen; the same program, run by one thread, says what is right.

#include <omp.h>
#include <stdint.h>

#include "../check.h"

enum { kSeeds = 12, kCells = 6 };

static uint64_t next(uint64_t* state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t mix(uint64_t a, uint64_t b) { return (a ^ b) * 0x100000001b3u + 0x9e37; }

// A task: fills cells by tasks of its own, that depend on each other, and returns a digest.
static uint64_t work(uint64_t seed, int depth) {
  uint64_t state = seed, cells[kCells] = {0}, unordered = 0;
  const int steps = (int)(next(&state) % (depth == 0 ? 24 : 5));
  for (int i = 0; i < steps; ++i) {
    const uint64_t own = next(&state);
    const int a = (int)(next(&state) % kCells), b = (int)(next(&state) % kCells);
    switch (next(&state) % 6) {
      case 0:
#pragma omp task depend(inout : cells[a]) shared(cells) firstprivate(own, a, depth)
        cells[a] = mix(cells[a], depth < 3 ? work(own, depth + 1) : own);
        break;
      case 1:
        if (a == b) break;
#pragma omp task depend(in : cells[a]) depend(inout : cells[b]) shared(cells) \
    firstprivate(own, a, b, depth)
        cells[b] = mix(cells[b], mix(cells[a], depth < 3 ? work(own, depth + 1) : own));
        break;
      case 2:
#pragma omp task shared(unordered) firstprivate(own, depth)
      {
        const uint64_t value = depth < 3 ? work(own, depth + 1) : own;
#pragma omp atomic
        unordered += value;
      } break;
      case 3: {
#pragma omp taskwait
      }
        for (int c = 0; c < kCells; ++c) unordered += cells[c];
        break;
      case 4:
#pragma omp taskgroup
      {
#pragma omp task shared(unordered) firstprivate(own)
        {
#pragma omp task shared(unordered) firstprivate(own)
          {
#pragma omp atomic
            unordered += own;
          }
        }
      } break;
      default:
#pragma omp taskloop shared(unordered) grainsize(2)
        for (int k = 0; k < (int)(own % 9); ++k) {
#pragma omp atomic
          unordered += own * (uint64_t)k;
        }
    }
  }
#pragma omp taskwait
  for (int c = 0; c < kCells; ++c) unordered = mix(unordered, cells[c]);
  return unordered;
}

int main(void) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    uint64_t expected[3], found[3] = {0};
    for (int k = 0; k < 3; ++k) expected[k] = work(seed * 10 + (uint64_t)k, 0);
#pragma omp parallel
    {
#pragma omp single nowait
      found[0] = work(seed * 10, 0);
#pragma omp masked filter(1)
      found[1] = work(seed * 10 + 1, 0);
#pragma omp barrier
#pragma omp masked filter(omp_get_num_threads() - 1)
      found[2] = work(seed * 10 + 2, 0);
    }
    if (omp_get_max_threads() == 1) found[1] = expected[1];
    for (int k = 0; k < 3; ++k) {
      EXPECT(found[k] == expected[k], "Seed %d, tree %d: %lx, not %lx.", (int)seed, k,
             (unsigned long)found[k], (unsigned long)expected[k]);
    }
  }
  return ok();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of 16 bytes and of odd sizes, compiled as calls of libatomic.
//
// flags: -latomic

#include <omp.h>

#include <atomic>

#include "../check.h"

namespace {

struct Wide {
  long left, right;
};

struct Odd {
  int a, b, c;
};

std::atomic<Wide> wide{Wide{0, 0}};
std::atomic<Odd> odd{Odd{0, 0, 0}};

}  // namespace

int main() {
  constexpr int kRounds = 20;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    Wide seen = wide.load();
    while (!wide.compare_exchange_weak(seen, Wide{seen.left + 1, seen.right - 1})) {
    }
    EXPECT(seen.left == -seen.right, "A read of 16 bytes is torn: %ld, %ld.", seen.left,
           seen.right);
    Odd before = odd.load();
    while (!odd.compare_exchange_weak(before, Odd{before.a + 1, before.b + 2, before.c + 3})) {
    }
  }
  const int n = kRounds * omp_get_max_threads();
  const Wide end = wide.load();
  const Odd odd_end = odd.load();
  EXPECT(end.left == n && end.right == -n, "The pair is %ld, %ld.", end.left, end.right);
  EXPECT(odd_end.a == n && odd_end.b == 2 * n && odd_end.c == 3 * n, "The triple is %d, %d, %d.",
         odd_end.a, odd_end.b, odd_end.c);
  return ok();
}

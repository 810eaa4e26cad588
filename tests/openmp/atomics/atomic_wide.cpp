// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of 16 bytes.
//
// flags: -mcx16

#include <omp.h>

#include "../check.h"

namespace {

__extension__ typedef unsigned __int128 Wide;

alignas(16) Wide counter;
alignas(16) Wide claimed;

}  // namespace

int main() {
  constexpr int kRounds = 20;
  const Wide one_of_each = (Wide{1} << 64) + 1;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    __atomic_fetch_add(&counter, one_of_each, __ATOMIC_SEQ_CST);
    Wide seen = __atomic_load_n(&claimed, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&claimed, &seen, seen + one_of_each, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
    EXPECT(static_cast<unsigned long>(seen) == static_cast<unsigned long>(seen >> 64),
           "A read of 16 bytes is torn.");
  }
  const unsigned long n = static_cast<unsigned long>(kRounds) * omp_get_max_threads();
  const Wide expected = (Wide{n} << 64) + n;
  EXPECT(counter == expected, "The sum's lower half is %lu.", static_cast<unsigned long>(counter));
  EXPECT(claimed == expected, "The claims' lower half is %lu.",
         static_cast<unsigned long>(claimed));
  return ok();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region that shares a thread_local of the main thread takes all of that thread's thread_local
// data along: here more than the network's queue of a node holds, so that sends go on only while
// somebody polls. UCX would wake a sleeping node in the end to see whether its peers are alive; it
// is told not to.
//
// environment: UCX_POSIX_FIFO_SIZE=16 UCX_KEEPALIVE_INTERVAL=inf

#include <omp.h>

#include <algorithm>

#include "../check.h"

namespace {

constexpr int kBytes = 3 << 20;

struct Large {
  unsigned char bytes[kBytes];
};
thread_local Large large;

unsigned long sum_in_region(const Large& shared) {
  unsigned long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < kBytes; i += 1024) sum += shared.bytes[i];
  return sum;
}

}  // namespace

int main() {
  for (unsigned round = 1; round <= 10; ++round) {
    std::fill_n(large.bytes, kBytes, static_cast<unsigned char>(round));
    const unsigned long sum = sum_in_region(large), expected = round * (kBytes / 1024);
    EXPECT(sum == expected, "Round %u: the sum is %lu, not %lu.", round, sum, expected);
  }
  return ok();
}

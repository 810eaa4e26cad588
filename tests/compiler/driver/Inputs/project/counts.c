// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static int counts[64];

int count_threads(void) {
  int sum = 0;
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 64; ++i) counts[i] = i;
  for (int i = 0; i < 64; ++i) sum += counts[i];
  return sum;
}

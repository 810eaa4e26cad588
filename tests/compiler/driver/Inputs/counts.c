// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int count;

void add(int times) {
#pragma omp parallel for
  for (int i = 0; i < times; ++i) {
#pragma omp atomic
    ++count;
  }
}

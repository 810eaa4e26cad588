// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of the C++ library: what a thread prints in its turn, in several pieces, comes before
// what is printed in the next. The order is checked by whoever reads the output.

#include <omp.h>

#include <iostream>
#include <mutex>

int main() {
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < 30; ++i) {
#pragma omp ordered
    std::cout << "ordered:" << i << '\n';
  }
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 30; ++i) {
#pragma omp ordered
    std::cout << "line:" << i << ' ';
  }
  std::cout << std::endl;
  static std::mutex mutex;
  static int count = 0;
#pragma omp parallel
  for (int round = 0; round < 4; ++round) {
    const std::lock_guard guard(mutex);
    std::cout << "mutex:" << count++ << std::endl;
  }
  std::cout << "ok" << std::endl;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <thread>
#include <vector>

int table[4] = {1, 1, 1, 1};

int main() {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([number] { table[number] += number; });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("sum %d\n", table[0] + table[1] + table[2] + table[3]);
}

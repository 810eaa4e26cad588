// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exhaust malloc|new: allocates until there is nothing left, and says how it learnt of that.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

static void* volatile block;  // so that the compiler does not leave the allocations out

constexpr std::size_t kBytes = std::size_t{1} << 20;

static long by_malloc() {
  long count = 0;
  while ((block = std::malloc(kBytes)) != nullptr) ++count;
  std::printf("malloc returned NULL\n");
  return count;
}

static long by_new() {
  long count = 0;
  try {
    for (;; ++count) block = new char[kBytes];
  } catch (const std::bad_alloc&) {
    std::printf("new threw bad_alloc\n");
  }
  return count;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const long count = std::strcmp(argv[1], "malloc") == 0 ? by_malloc() : by_new();
  return count > 0 && count < 4096 ? 3 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers whose memory comes from mmap, made by any thread and read by all.

#include <omp.h>
#include <sys/mman.h>

#include <map>
#include <numeric>
#include <vector>

#include "check.h"

template <typename T>
struct MapAllocator {
  using value_type = T;
  MapAllocator() = default;
  template <typename U>
  MapAllocator(const MapAllocator<U>&) {}
  T* allocate(std::size_t count) {
    void* p = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0);
    EXPECT(p != MAP_FAILED, "mmap failed.");
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t count) {
    EXPECT(munmap(p, count * sizeof(T)) == 0, "munmap failed.");
  }
  bool operator==(const MapAllocator&) const { return true; }
};

using Vector = std::vector<long, MapAllocator<long>>;
using Table = std::map<int, Vector, std::less<>, MapAllocator<std::pair<const int, Vector>>>;

int main() {
  Table table;
#pragma omp parallel
  {
    Vector mine;
    for (int i = 0; i < 3000; ++i) mine.push_back(i + omp_get_thread_num());
#pragma omp critical
    table[omp_get_thread_num()] = std::move(mine);
#pragma omp barrier
    for (const auto& [thread, numbers] : table) {
      const long sum = std::accumulate(numbers.begin(), numbers.end(), 0L);
      EXPECT(sum == 3000L * 2999 / 2 + 3000L * thread, "Thread %d's sum is %ld.", thread, sum);
    }
#pragma omp barrier
#pragma omp critical
    table.erase((omp_get_thread_num() + 1) % omp_get_num_threads());
  }
  EXPECT(table.empty(), "%zu are left.", table.size());
  return ok();
}

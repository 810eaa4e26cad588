// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heap against the C library's, on ordinary memory: small blocks of mixed sizes that live for a
// while, with one thread and two.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>

#include "base/numbers/random.hpp"
#include "heap/heap_test_cluster.hpp"

namespace weft::heap {
namespace {

TestCluster& cluster() {
  static TestCluster instance(1, std::size_t{1} << 30);
  return instance;
}

struct Weft {
  static void* take(std::size_t bytes) { return cluster().at(0).allocate(bytes); }
  static void give(void* block) { cluster().at(0).deallocate(block); }
};
struct Glibc {
  static void* take(std::size_t bytes) { return std::malloc(bytes); }
  static void give(void* block) { std::free(block); }
};

template <typename Allocator>
void mixed_small(benchmark::State& state) {
  Random random(static_cast<std::uint64_t>(state.thread_index()) + 1);
  std::array<void*, 1024> live{};
  std::array<std::uint16_t, 4096> sizes;
  for (auto& size : sizes) size = static_cast<std::uint16_t>(8 + random.below(500));
  std::size_t step = 0;
  for (auto _ : state) {
    void*& slot = live[(step * 37) % live.size()];
    if (slot != nullptr) Allocator::give(slot);
    slot = Allocator::take(sizes[step++ % sizes.size()]);
    benchmark::DoNotOptimize(slot);
  }
  for (void* block : live) {
    if (block != nullptr) Allocator::give(block);
  }
}
BENCHMARK(mixed_small<Weft>)->Threads(1)->Threads(2)->UseRealTime();
BENCHMARK(mixed_small<Glibc>)->Threads(1)->Threads(2)->UseRealTime();

template <typename Allocator>
void large(benchmark::State& state) {
  for (auto _ : state) {
    void* const block = Allocator::take(1 << 20);
    benchmark::DoNotOptimize(block);
    Allocator::give(block);
  }
}
BENCHMARK(large<Weft>);
BENCHMARK(large<Glibc>);

}  // namespace
}  // namespace weft::heap

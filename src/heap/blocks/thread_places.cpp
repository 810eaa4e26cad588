// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/blocks/thread_places.hpp"

#include <atomic>
#include <bit>
#include <cstdint>

namespace weft::heap {
namespace {

static_assert(kArenas == 64, "a bit of a word for each");
std::atomic<std::uint64_t> taken{0};

ThreadPlace take_place() {
  std::uint64_t before = taken.load(std::memory_order_relaxed);
  while (~before != 0) {
    const auto arena = static_cast<unsigned>(std::countr_one(before));
    if (taken.compare_exchange_weak(before, before | std::uint64_t{1} << arena,
                                    std::memory_order_acquire, std::memory_order_relaxed))
      return {arena, true};
  }
  static std::atomic<unsigned> next = 0;
  return {next.fetch_add(1, std::memory_order_relaxed) % kArenas, false};
}

// A thread that allocates after its destructors shares an arena with whoever has it now.
constinit thread_local ThreadPlace mine;
constinit thread_local bool has_place = false;

struct Leaving {
  void (*at_end)();
  ~Leaving() {
    at_end();
    if (mine.is_alone)
      taken.fetch_and(~(std::uint64_t{1} << mine.arena), std::memory_order_release);
    mine.is_alone = false;
  }
};

}  // namespace

ThreadPlace place_of_thread(void (*at_end)()) {
  if (!has_place) {
    mine = take_place();
    has_place = true;
    static thread_local const Leaving leaving{at_end};
  }
  return mine;
}

}  // namespace weft::heap

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are of two kinds. Where neighbours talk, each node has the same work however many there
// are; where all talk to all, the whole problem stays the same, and so do the pages.
#include "sim/scaling/patterns.hpp"

namespace weft::scaling {
namespace {

constexpr std::uint64_t kMicrosecond = 1000, kMillisecond = 1'000'000;

PageRange pages(std::uint64_t first, std::uint64_t count) { return {PageIndex(first), count}; }

// The part of `total` pages that belongs to a thread: at least a page, which it may share.
PageRange part_of(std::uint64_t first, std::uint64_t total, std::uint64_t thread,
                  std::uint64_t threads) {
  const std::uint64_t begin = total * thread / threads;
  const std::uint64_t end = (total * (thread + 1) + threads - 1) / threads;
  return pages(first + begin, end - begin);
}

// Bytes of each page of the part that are the thread's own.
std::uint32_t own_bytes(std::uint64_t total, std::uint64_t threads) {
  return static_cast<std::uint32_t>(total >= threads ? kPageBytes : kPageBytes * total / threads);
}

// --- neighbours: strips of 4 rows of 2 pages ---

constexpr std::uint64_t kRowPages = 2, kStripPages = 4 * kRowPages;

std::uint64_t strips(std::uint16_t nodes) { return 2 * kStripPages * nodes; }

// Two grids, or two colours, one behind the other.
std::uint64_t strip_begin(const Thread& self, unsigned grid) {
  return (std::uint64_t{grid} * self.count() + self.number()) * kStripPages;
}

Program read_borders(Thread& self, unsigned grid) {
  const std::uint64_t begin = strip_begin(self, grid);
  if (self.number() > 0) co_await self.read(pages(begin - kRowPages, kRowPages));
  if (self.number() + 1 < self.count()) co_await self.read(pages(begin + kStripPages, kRowPages));
}

Program jacobi(Thread& self, unsigned iterations) {
  for (unsigned k = 0; k < iterations; ++k) {
    co_await read_borders(self, k % 2);
    co_await self.compute(kMillisecond);
    co_await self.write(pages(strip_begin(self, (k + 1) % 2), kStripPages));
    co_await self.barrier();
  }
}

Program sor(Thread& self, unsigned iterations) {
  for (unsigned k = 0; k < 2 * iterations; ++k) {
    co_await read_borders(self, (k + 1) % 2);
    co_await self.compute(kMillisecond / 2);
    co_await self.write(pages(strip_begin(self, k % 2), kStripPages));
    co_await self.barrier();
  }
}

// --- all with all: 256 pages in all ---

constexpr std::uint64_t kSharedPages = 256;
constexpr std::uint64_t kWholeWork = 50 * kMillisecond;  // divided by the threads

// A reduction: parts go up the barrier's tree, and thread 0 leaves the sum for all.
Program reduce(Thread& self, PageIndex sum) {
  co_await self.gather();
  if (self.number() == 0) co_await self.write({sum, 1}, sizeof(double));
  co_await self.barrier(self.number() == 0 ? 0 : sizeof(double));
  co_await self.read({sum, 1});
}

std::uint64_t vector_and_sums(std::uint16_t nodes) { return kSharedPages + 1; }

Program cg(Thread& self, unsigned iterations) {
  const PageIndex sum(kSharedPages);
  const PageRange mine = part_of(0, kSharedPages, self.number(), self.count());
  for (unsigned k = 0; k < iterations; ++k) {
    co_await self.read(pages(0, kSharedPages));
    co_await self.compute(kWholeWork / self.count());
    co_await reduce(self, sum);
    co_await reduce(self, sum);
    co_await self.write(mine, own_bytes(kSharedPages, self.count()));
    co_await self.barrier();
  }
}

// 64 planes of 16 pages, by planes and then by the same part of every plane.
constexpr std::uint64_t kPlanes = 64, kPlanePages = 16, kCubePages = kPlanes * kPlanePages;

std::uint64_t two_cubes(std::uint16_t nodes) { return 2 * kCubePages; }

Program fft(Thread& self, unsigned iterations) {
  const std::uint64_t threads = self.count(), thread = self.number();
  for (unsigned k = 0; k < iterations; ++k) {
    co_await self.compute(kWholeWork / 2 / threads);
    co_await self.write(part_of(0, kCubePages, thread, threads), own_bytes(kCubePages, threads));
    co_await self.barrier();
    for (std::uint64_t plane = 0; plane < kPlanes; ++plane) {
      co_await self.read(part_of(plane * kPlanePages, kPlanePages, thread, threads));
    }
    co_await self.compute(kWholeWork / 2 / threads);
    co_await self.write(part_of(kCubePages, kCubePages, thread, threads),
                        own_bytes(kCubePages, threads));
    co_await self.barrier();
  }
}

// Counts, a page for each thread; then the buckets, into every page of which everybody puts keys.
std::uint64_t counts_and_buckets(std::uint16_t nodes) { return nodes + kSharedPages; }

Program is(Thread& self, unsigned iterations) {
  const std::uint64_t threads = self.count(), thread = self.number();
  for (unsigned k = 0; k < iterations; ++k) {
    co_await self.compute(kWholeWork / 3 / threads);
    co_await self.write(pages(thread, 1));
    co_await self.barrier();
    co_await self.read(pages(0, threads));
    co_await self.compute(kWholeWork / 3 / threads);
    co_await self.write(pages(threads, kSharedPages),
                        static_cast<std::uint32_t>(kPageBytes / threads));
    co_await self.barrier();
    co_await self.read(part_of(threads, kSharedPages, thread, threads));
    co_await self.compute(kWholeWork / 3 / threads);
    co_await self.barrier();
  }
}

// Sums that everybody adds to, each thread's part at home at its node.
std::uint64_t sums(std::uint16_t nodes) { return kSharedPages; }

Program scatter(Thread& self, unsigned iterations) {
  const PageRange mine = part_of(0, kSharedPages, self.number(), self.count());
  co_await self.write(mine, own_bytes(kSharedPages, self.count()));
  co_await self.barrier();
  for (unsigned k = 0; k < iterations; ++k) {
    co_await self.write(pages(0, kSharedPages),
                        static_cast<std::uint32_t>(kPageBytes / self.count()));
    co_await self.barrier();
    co_await self.read(mine);
    co_await self.compute(kWholeWork / self.count());
    co_await self.barrier();
  }
}

// One thread after the other writes 32 pages that all others read.
constexpr std::uint64_t kPivotPages = 32;

std::uint64_t pivots(std::uint16_t nodes) { return nodes * kPivotPages; }

Program lu(Thread& self, unsigned iterations) {
  for (unsigned k = 0; k < iterations; ++k) {
    const PageRange pivot = pages(k % self.count() * kPivotPages, kPivotPages);
    if (k % self.count() == self.number()) co_await self.write(pivot);
    co_await self.barrier();
    co_await self.read(pivot);
    co_await self.compute(kMillisecond);
  }
}

// --- locks ---

// The queue and the best bound of a branch and bound program, under a lock each.
std::uint64_t queue_and_bound(std::uint16_t nodes) { return 3; }

Program tsp(Thread& self, unsigned iterations) {
  constexpr LockId kQueue(1), kBound(2);
  for (unsigned k = 0; k < iterations; ++k) {
    co_await self.acquire(kQueue);
    co_await self.write(pages(0, 2), 200);
    co_await self.release(kQueue);
    co_await self.compute(self.count() * 100 * kMicrosecond);
    co_await self.acquire(kBound);
    co_await self.write(pages(2, 1), sizeof(double));
    co_await self.release(kBound);
  }
  co_await self.barrier();
}

// Thread 0 makes tasks; the others take one after the other and leave a result for each.
constexpr std::uint64_t kTaskBytes = 256, kTasksOfAPage = kPageBytes / kTaskBytes;

std::uint64_t tasks_and_results(std::uint16_t nodes) { return 1 + 2 * nodes; }

Program tasks(Thread& self, unsigned iterations) {
  constexpr LockId kNextTask(1);
  for (unsigned k = 0; k < iterations; ++k) {
    if (self.number() == 0) co_await self.write(pages(1, self.count()));
    co_await self.barrier();
    for (std::uint64_t taken = 0; taken < kTasksOfAPage; ++taken) {
      co_await self.acquire(kNextTask);
      co_await self.write(pages(0, 1), sizeof(int));
      co_await self.release(kNextTask);
      // Which one it got is not known here: say every count-th.
      const std::uint64_t page = 1 + (taken * self.count() + self.number()) / kTasksOfAPage;
      co_await self.read(pages(page, 1));
      co_await self.compute(self.count() * 50 * kMicrosecond);
      co_await self.write(pages(page + self.count(), 1), kTaskBytes);
    }
    co_await self.barrier();
  }
}

}  // namespace

const std::vector<Pattern>& all_patterns() {
  static const std::vector<Pattern> patterns = {
      {"jacobi", "neighbours exchange rows, from one grid to the other", strips, jacobi},
      {"sor", "neighbours exchange rows, twice in an iteration", strips, sor},
      {"cg", "all gather a vector, two sums", vector_and_sums, cg},
      {"fft", "transposition: all with all", two_cubes, fft},
      {"is", "all write into all pages", counts_and_buckets, is},
      {"scatter", "all write into the parts of all", sums, scatter},
      {"lu", "one after the other broadcasts", pivots, lu},
      {"tsp", "a queue and a bound under locks", queue_and_bound, tsp},
      {"tasks", "tasks taken from a queue under a lock", tasks_and_results, tasks},
  };
  return patterns;
}

const Pattern* find_pattern(std::string_view name) {
  for (const Pattern& pattern : all_patterns()) {
    if (pattern.name == name) return &pattern;
  }
  return nullptr;
}

}  // namespace weft::scaling

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How blocks come into the caches of threads, and back to their arenas.
#include "heap/heap.hpp"

namespace weft::heap {

ThreadCache* Heap::cache_for_allocating() {
  if (ThreadCache* const mine = cache()) return mine;
  if (this_threads_cache != nullptr) return nullptr;
  const ThreadPlace place = place_of_thread(give_up_cache);
  // Or it ends: what its last destructors allocate goes without.
  if (!place.is_alone) return nullptr;
  this_threads_cache = new ThreadCache(*this, place.arena);
  return this_threads_cache;
}

// Half of the room, from spans that have free blocks: a program that allocates alone gets few
// pages early.
void Heap::fill(ThreadCache& cache, SizeClass size_class) {
  std::array<ThreadCache::Entry, ThreadCache::kMost / 2> found;
  std::size_t count = 0;
  {
    Arena& arena = arenas_[cache.arena()];
    const std::lock_guard lock(arena.mutex);
    for (const std::size_t wanted = ThreadCache::room_for(size_class) / 2;
         cache.count(size_class) + count < wanted; ++count) {
      const Arena::Taken taken = arena.take(size_class);
      if (taken.span == nullptr) break;
      const std::uintptr_t address =
          address_of(taken.span->run().first) + taken.block.index * taken.span->block_bytes();
      found.at(count) = {reinterpret_cast<void*>(address), taken.span, taken.block.index};
    }
  }
  // The lowest address is taken first.
  while (count-- > 0) {
    if (!cache.give(found.at(count)))
      free_own(reinterpret_cast<std::uintptr_t>(found.at(count).block), self_);
  }
}

void Heap::spill(ThreadCache& cache, SizeClass size_class, std::size_t kept) {
  std::array<Span*, ThreadCache::kMost> empty;
  std::size_t count = 0;
  {
    Arena& arena = arenas_[cache.arena()];
    const std::lock_guard lock(arena.mutex);
    while (cache.count(size_class) > kept) {
      const ThreadCache::Entry entry = cache.remove_last(size_class);
      if (entry.block == nullptr) break;
      if (arena.give(entry.span, entry.index)) empty.at(count++) = entry.span;
    }
  }
  while (count-- > 0) release_span(empty.at(count));
}

void Heap::spill_all(ThreadCache& cache) {
  for (SizeClass each = 0; each < kSizeClassCount; ++each) spill(cache, each, 0);
}

void Heap::give_up_cache() {
  ThreadCache* const mine = this_threads_cache;
  if (mine == nullptr) return;
  mine->heap().spill_all(*mine);
  this_threads_cache = nullptr;
  delete mine;
}

}  // namespace weft::heap

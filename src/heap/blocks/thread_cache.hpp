// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks that one thread has at hand: it takes and gives them without a lock, and on whatever
// stack, as only private memory is touched. Most programs free what they have allocated soon
// before, on the same thread.
//
// The blocks are those of the thread's own arena, so that blocks of different threads stay on
// different pages. For the arena they are in use. Their spans say of each that it is here, which
// is how a second free of it is found, by whatever thread. Only the one thread that caches for an
// arena writes these bits.
//
// Not for two threads. A handler of a signal may interrupt its thread here and come here, too; then
// it finds nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heap/blocks/size_classes.hpp"
#include "heap/blocks/span.hpp"

namespace weft::heap {

class Heap;

class ThreadCache {
 public:
  // Without a constructor, as the room for them is not to be touched before it is used.
  struct Entry {
    void* block;
    Span* span;
    std::size_t index;
  };

  static constexpr std::size_t kMost = 32;

  ThreadCache(Heap& heap, unsigned arena) : heap_(heap), arena_(arena) {}

  [[nodiscard]] bool is_of(const Heap& heap) const { return &heap_ == &heap; }
  [[nodiscard]] Heap& heap() const { return heap_; }
  [[nodiscard]] unsigned arena() const { return arena_; }

  // How many blocks of a class are kept at most: 16 KiB of them, at least four.
  [[nodiscard]] static constexpr std::size_t room_for(SizeClass size_class) {
    const std::size_t wanted = std::size_t{16384} / class_bytes(size_class);
    return wanted < 4 ? 4 : wanted > kMost ? kMost : wanted;
  }
  [[nodiscard]] std::size_t count(SizeClass size_class) const { return shelves_[size_class].count; }

  // Null: there is none here.
  [[nodiscard]] void* take(SizeClass size_class) { return remove_last(size_class).block; }
  // False: there is no room, or the block is free already.
  [[nodiscard]] bool give(const Entry& entry) {
    const Entering entering(*this);
    Shelf& shelf = shelves_[entry.span->size_class()];
    if (entering.is_second() || !entry.span->is_used(entry.index) ||
        entry.span->is_cached(entry.index) || shelf.count == room_for(entry.span->size_class()))
      return false;
    entry.span->set_cached(entry.index, true);
    shelf.entries[shelf.count++] = entry;
    return true;
  }
  // The block that would be taken next; none if there is none.
  [[nodiscard]] Entry remove_last(SizeClass size_class) {
    const Entering entering(*this);
    Shelf& shelf = shelves_[size_class];
    if (entering.is_second() || shelf.count == 0) return {};
    const Entry& entry = shelf.entries[--shelf.count];
    entry.span->set_cached(entry.index, false);
    return entry;
  }

 private:
  struct Shelf {
    std::size_t count = 0;
    std::array<Entry, kMost> entries;
  };
  class Entering {
   public:
    explicit Entering(ThreadCache& cache) : cache_(cache), is_second_(cache.is_entered_) {
      cache.is_entered_ = true;
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~Entering() {
      std::atomic_signal_fence(std::memory_order_seq_cst);
      cache_.is_entered_ = is_second_;
    }
    Entering(const Entering&) = delete;
    Entering& operator=(const Entering&) = delete;
    [[nodiscard]] bool is_second() const { return is_second_; }

   private:
    ThreadCache& cache_;
    const bool is_second_;
  };

  Heap& heap_;
  const unsigned arena_;
  bool is_entered_ = false;
  std::array<Shelf, kSizeClassCount> shelves_;
};

// The calling thread's; null: none.
inline constinit thread_local ThreadCache* this_threads_cache = nullptr;

}  // namespace weft::heap

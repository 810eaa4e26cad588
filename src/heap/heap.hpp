// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's heap: one range of the shared region, the same on every node, in which each node
// allocates from its own share (layout.hpp). Blocks up to 16 KiB are cut from spans that belong to
// a thread's arena; larger ones are whole pages, so that two large arrays never share a page.
//
// Nothing that the heap changes is in shared memory but the page records (page_records.hpp). The
// rest is private to the owner's process: the memory of a block is the program's alone, a page that
// the program never wrote stays unwritten, and calloc need not write it.
//
// Rejected: an ordinary allocator (mimalloc, jemalloc) on shared pages; see
// docs/decisions/0007-heap.md.
//
// Calls come from program threads, whose stacks may lie in shared memory. No lock of the heap is
// needed by a thread that holds the node's lock (`handle_free` takes none), so a fault on a stack
// under a lock of the heap ends like any other. The private memory behind the containers here has
// locks of its own, though: see docs/internals/node-library.md on where to run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/signal_safe_mutex.hpp"
#include "heap/blocks/arena.hpp"
#include "heap/blocks/span_map.hpp"
#include "heap/blocks/thread_cache.hpp"
#include "heap/blocks/thread_places.hpp"
#include "heap/pages/free_pages.hpp"
#include "heap/pages/heap_layout.hpp"
#include "heap/remote_frees.hpp"

namespace weft::heap {

// What the heap needs of the node.
class HeapPeers {
 public:
  virtual ~HeapPeers() = default;
  // The epoch that this node is in: once it is later than e, everything that any node wrote in
  // epoch e has been acquired here. Called often.
  [[nodiscard]] virtual std::uint32_t epoch() const = 0;
  // Hands a message to `owner`'s Heap::handle_free. Does not block.
  virtual void send_free(NodeId owner, Bytes message) = 0;
  // Ends the job with this sentence.
  [[noreturn]] virtual void fail(const std::string& sentence) = 0;
  // Tells the user something that does not end the job.
  virtual void warn(const std::string& sentence) = 0;
};

struct HeapUsage {
  std::uint64_t bytes_in_use = 0;  // pages that hold blocks, or are kept for the next ones
  std::uint64_t bytes = 0;         // all that this node's share has for blocks
};

class Heap {
 public:
  // The range's pages must read as zeros until somebody writes them.
  Heap(const HeapLayout& layout, NodeId self, HeapPeers& peers);
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // `alignment` is a power of two. Null when this node's share is full (the first time, the user
  // is told) or no address space could hold it. Zero bytes get a block of their own.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = kMinimumAlignment);
  [[nodiscard]] void* allocate_zeroed(std::size_t bytes);
  // Whole pages of this share for another node, and without its record, so that nothing is written
  // to shared memory here. That node calls note_lent(), and then the block is like any other.
  [[nodiscard]] void* lend(std::size_t bytes);
  void note_lent(void* block, std::size_t bytes);
  // From here on threads keep blocks at hand (thread_cache.hpp); each of one heap, the first from
  // which it allocates.
  void cache_blocks() { caches_blocks_ = true; }
  // What of the above can be done without a lock, on whatever stack: null, or false, where it must
  // be done as above.
  [[nodiscard]] void* allocate_quickly(std::size_t bytes);
  [[nodiscard]] bool deallocate_quickly(void* block);

  // `bytes` > 0 and `block` not null. Null leaves the block as it is.
  [[nodiscard]] void* reallocate(void* block, std::size_t bytes);
  // Of any node's block; null is nothing. A pointer that is none ends the job.
  void deallocate(void* block);
  // Bytes that the program may use at `block`, of any node; ends the job if it is none.
  [[nodiscard]] std::size_t usable_bytes(const void* block);
  [[nodiscard]] bool contains(const void* pointer) const {
    return layout_.contains(reinterpret_cast<std::uintptr_t>(pointer));
  }

  // Sends what still waits to be sent to owners. Cheap if there is nothing; to be called before
  // a barrier, so that blocks can be used again after it.
  void flush();
  // A message from `from`'s send_free. Takes no lock and touches no shared memory.
  void handle_free(NodeId from, ByteView message);

  // Gives back what is kept for speed alone. Returns true if there was anything.
  bool trim();
  [[nodiscard]] HeapUsage usage();

 private:
  struct Place {
    Span* span = nullptr;
    std::size_t index = 0;
  };
  struct Allocation {
    void* block = nullptr;
    std::size_t written_bytes = 0;  // from the block's beginning, that may not be zero
  };
  Allocation allocate_small(SizeClass size_class);
  Allocation allocate_large(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] static std::uint64_t page_count_for(std::size_t bytes);
  // Without a record.
  std::optional<FreePages::Run> take_large(std::size_t bytes, std::size_t alignment);
  Allocation allocate_any(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] bool make_room();
  Allocation exhausted(std::size_t bytes);
  Span* new_span(SizeClass size_class, unsigned arena);
  bool resize_large(Span* span, std::size_t bytes);
  void free_own(std::uintptr_t block, NodeId by);
  void release_span(Span* span);
  bool reclaim();
  void send(NodeId owner, std::vector<std::uintptr_t> blocks);
  Place find(std::uintptr_t block) const {
    Span* const span = spans_.at(page_of(block));
    if (span == nullptr) return {};
    const auto index = span->block_at(block - address_of(span->run().first));
    return index ? Place{span, *index} : Place{};
  }
  // The calling thread's; null: it has none.
  [[nodiscard]] ThreadCache* cache() const {
    ThreadCache* const mine = this_threads_cache;
    return mine != nullptr && mine->is_of(*this) ? mine : nullptr;
  }
  // Whether the cache may keep the block there: a small one of its own arena.
  [[nodiscard]] static bool is_for(const ThreadCache& cache, const Place& place) {
    return place.span != nullptr && !place.span->is_large() && place.span->arena() == cache.arena();
  }
  [[nodiscard]] ThreadCache* cache_for_allocating();
  void fill(ThreadCache& cache, SizeClass size_class);
  // Leaves `kept` blocks of the class in the cache.
  void spill(ThreadCache& cache, SizeClass size_class, std::size_t kept);
  void spill_all(ThreadCache& cache);
  // The calling thread's goes, with all that is in it.
  static void give_up_cache();
  [[nodiscard]] std::uintptr_t address_of(std::uint64_t page) const {
    return share_.begin + page * kPageBytes;
  }
  [[nodiscard]] std::uint64_t page_of(std::uintptr_t address) const {
    return (address - share_.begin) / kPageBytes;
  }
  [[noreturn]] void invalid(const char* what, std::uintptr_t block, NodeId by) const;

  const HeapLayout layout_;
  const NodeId self_;
  HeapPeers& peers_;
  const AddressRange share_;
  SpanMap spans_;
  std::unique_ptr<Arena[]> arenas_;
  SignalSafeMutex pages_mutex_;  // guards pages_ and large spans; taken after an arena's, if both
  FreePages pages_;
  Outbox outbox_;
  Quarantine quarantine_;
  std::atomic<bool> told_exhausted_ = false;
  bool caches_blocks_ = false;
};

inline void* Heap::allocate_quickly(std::size_t bytes) {
  ThreadCache* const mine = cache();
  if (mine == nullptr || bytes > kLargestSmallBytes) return nullptr;
  return mine->take(class_of_bytes(bytes));
}

inline bool Heap::deallocate_quickly(void* block) {
  ThreadCache* const mine = cache();
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  if (mine == nullptr || address < share_.begin || address >= share_.end) return false;
  const Place place = find(address);
  return is_for(*mine, place) && mine->give({block, place.span, place.index});
}

}  // namespace weft::heap

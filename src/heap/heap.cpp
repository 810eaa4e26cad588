// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "heap/blocks/page_records.hpp"

namespace weft::heap {
namespace {

// Leaves room for rounding up; no share is nearly as large.
constexpr std::size_t kLargestBytes = std::size_t{1} << 47;

std::uint64_t pages_for(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

}  // namespace

Heap::Heap(const HeapLayout& layout, NodeId self, HeapPeers& peers)
    : layout_(layout),
      self_(self),
      peers_(peers),
      share_(layout.share(self)),
      spans_(share_.pages()),
      arenas_(std::make_unique<Arena[]>(kArenas)),
      pages_(std::min(record_pages(share_), share_.pages()), share_.pages()),
      outbox_(layout.node_count()) {}

Heap::~Heap() {
  if (cache() != nullptr) give_up_cache();
  spans_.for_each(pages_.high_water(), [](Span* span) { delete span; });
}

// --- taking ---

void* Heap::allocate(std::size_t bytes, std::size_t alignment) {
  void* const block = allocate_any(bytes, alignment).block;
  if (!caches_blocks_ || bytes > kLargestSmallBytes || alignment > kMinimumAlignment) return block;
  if (ThreadCache* const mine = cache_for_allocating()) fill(*mine, class_of_bytes(bytes));
  return block;
}

void* Heap::allocate_zeroed(std::size_t bytes) {
  const Allocation taken = allocate_any(bytes, kMinimumAlignment);
  if (taken.block != nullptr) std::memset(taken.block, 0, std::min(bytes, taken.written_bytes));
  return taken.block;
}

Heap::Allocation Heap::allocate_any(std::size_t bytes, std::size_t alignment) {
  if (bytes > kLargestBytes || alignment > kLargestBytes) return {};
  const auto size_class = class_for(bytes, std::max(alignment, kMinimumAlignment));
  for (;;) {
    const Allocation taken =
        size_class ? allocate_small(*size_class) : allocate_large(bytes, alignment);
    if (taken.block != nullptr) return taken;
    if (!make_room()) return exhausted(bytes);
  }
}

// Once the share is full, what is on its way back may help, and then what was kept for speed.
bool Heap::make_room() { return reclaim() || trim(); }

Heap::Allocation Heap::allocate_small(SizeClass size_class) {
  const unsigned number = place_of_thread(give_up_cache).arena;
  Arena& arena = arenas_[number];
  const auto take = [&](Span* fresh) {
    const std::lock_guard lock(arena.mutex);
    if (fresh != nullptr) arena.install(fresh);
    return arena.take(size_class);
  };
  Arena::Taken taken = take(nullptr);
  if (taken.span == nullptr) {
    reclaim();
    taken = take(nullptr);
  }
  // Another thread of the same arena may use up the new span before this one gets to it.
  while (taken.span == nullptr) {
    Span* const span = new_span(size_class, number);
    if (span == nullptr) return {};
    taken = take(span);
  }
  const std::uintptr_t address =
      address_of(taken.span->run().first) + taken.block.index * taken.span->block_bytes();
  return {reinterpret_cast<void*>(address), taken.block.zero ? 0 : taken.span->block_bytes()};
}

Span* Heap::new_span(SizeClass size_class, unsigned arena) {
  const std::uint64_t page_count = class_span_pages(size_class);
  std::optional<FreePages::Run> run;
  {
    const std::lock_guard lock(pages_mutex_);
    run = pages_.take(page_count);
  }
  if (!run) return nullptr;
  auto* span = new Span(*run, size_class, arena);
  spans_.enter(span);
  for (std::uint64_t page = 0; page < page_count; ++page) {
    *record_of(share_, address_of(run->first + page)) = PageRecord::small(size_class, page);
  }
  return span;
}

std::uint64_t Heap::page_count_for(std::size_t bytes) {
  return std::max<std::uint64_t>(pages_for(bytes), 1);
}

std::optional<FreePages::Run> Heap::take_large(std::size_t bytes, std::size_t alignment) {
  reclaim();
  const std::uint64_t page_count = page_count_for(bytes);
  const std::uint64_t page_alignment = std::max<std::uint64_t>(alignment / kPageBytes, 1);
  std::optional<FreePages::Run> run;
  {
    const std::lock_guard lock(pages_mutex_);
    run = pages_.take(page_count, page_alignment, share_.begin / kPageBytes);
  }
  if (run) spans_.enter(new Span(*run));
  return run;
}

Heap::Allocation Heap::allocate_large(std::size_t bytes, std::size_t alignment) {
  const std::optional<FreePages::Run> run = take_large(bytes, alignment);
  if (!run) return {};
  const std::uintptr_t address = address_of(run->first);
  *record_of(share_, address) = PageRecord::large(page_count_for(bytes));
  return {reinterpret_cast<void*>(address), (run->zero_from - run->first) * kPageBytes};
}

void* Heap::lend(std::size_t bytes) {
  if (bytes > kLargestBytes) return nullptr;
  for (;;) {
    if (const auto run = take_large(bytes, kPageBytes))
      return reinterpret_cast<void*>(address_of(run->first));
    if (!make_room()) return exhausted(bytes).block;
  }
}

void Heap::note_lent(void* block, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  *record_of(layout_.share(layout_.owner(address)), address) =
      PageRecord::large(page_count_for(bytes));
}

Heap::Allocation Heap::exhausted(std::size_t bytes) {
  if (!told_exhausted_.exchange(true)) {
    const HeapUsage now = usage();
    peers_.warn(
        fmt::format("the shared heap is full: asked for {} bytes with {} of {} in use by "
                    "this node; raise it with weft run --shared-size",
                    bytes, now.bytes_in_use, now.bytes));
  }
  return {};
}

// --- changing ---

void* Heap::reallocate(void* block, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const std::size_t old_bytes = usable_bytes(block);
  if (layout_.owner(address) == self_) {
    Span* const span = find(address).span;
    if (span->is_large()) {
      if (bytes > kLargestSmallBytes && resize_large(span, bytes)) return block;
    } else if (bytes <= old_bytes && bytes > old_bytes / 2) {
      return block;
    }
  } else if (bytes <= old_bytes && bytes > old_bytes / 2) {
    return block;
  }
  void* const moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(old_bytes, bytes));
  deallocate(block);
  return moved;
}

// Makes a large block longer or shorter where it is; false if its neighbour is in the way.
bool Heap::resize_large(Span* span, std::size_t bytes) {
  if (bytes > kLargestBytes) return false;
  const std::uint64_t wanted = pages_for(bytes);
  {
    const std::lock_guard lock(pages_mutex_);
    const std::uint64_t first = span->run().first, count = span->run().count;
    if (wanted == count) return true;
    if (wanted > count) {
      if (!pages_.take_at(first + count, wanted - count)) return false;
    } else {
      pages_.give(first + wanted, count - wanted);
    }
    span->grow(wanted);
  }
  *record_of(share_, address_of(span->run().first)) = PageRecord::large(wanted);
  return true;
}

std::size_t Heap::usable_bytes(const void* block) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const NodeId owner = layout_.owner(address);
  if (owner != self_) {
    const PageRecord record = *record_of(layout_.share(owner), address);
    const std::size_t bytes = record.block_bytes(address % kPageBytes);
    if (bytes == 0) invalid("invalid pointer", address, self_);
    return bytes;
  }
  const Span* const span = find(address).span;
  if (span == nullptr) invalid("invalid pointer", address, self_);
  return span->is_large() ? span->run().count * kPageBytes : span->block_bytes();
}

// --- giving back ---

void Heap::deallocate(void* block) {
  if (block == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const NodeId owner = layout_.owner(address);
  if (owner != self_) return send(owner, outbox_.add(owner, address));
  ThreadCache* const mine = cache();
  const Place place = mine == nullptr ? Place{} : find(address);
  if (mine != nullptr && is_for(*mine, place)) {
    const SizeClass size_class = place.span->size_class();
    const std::size_t room = ThreadCache::room_for(size_class);
    if (mine->count(size_class) == room) spill(*mine, size_class, room / 2);
    if (mine->give({block, place.span, place.index})) return;
  }
  free_own(address, self_);
}

void Heap::free_own(std::uintptr_t block, NodeId by) {
  const auto [span, index] = find(block);
  if (span == nullptr) invalid("invalid pointer", block, by);
  if (span->is_large()) return release_span(span);
  bool used, released = false;
  {
    Arena& arena = arenas_[span->arena()];
    const std::lock_guard lock(arena.mutex);
    used = span->is_used(index) && !span->is_cached(index);
    if (used) released = arena.give(span, index);
  }
  if (!used) invalid("double free detected", block, by);
  if (released) release_span(span);
}

// Gives a span's pages back. Nobody else has a way to it any more.
void Heap::release_span(Span* span) {
  spans_.remove(*span);
  {
    const std::lock_guard lock(pages_mutex_);
    pages_.give(span->run().first, span->run().count);
  }
  delete span;
}

bool Heap::reclaim() {
  const auto freed = quarantine_.take_before(peers_.epoch());
  for (const Quarantine::Freed& entry : freed) free_own(entry.block, entry.by);
  return !freed.empty();
}

bool Heap::trim() {
  bool any = false;
  if (ThreadCache* const mine = cache()) spill_all(*mine);
  for (unsigned number = 0; number < kArenas; ++number) {
    std::vector<Span*> spans;
    {
      const std::lock_guard lock(arenas_[number].mutex);
      spans = arenas_[number].release_empty();
    }
    for (Span* span : spans) release_span(span);
    any = any || !spans.empty();
  }
  return any;
}

void Heap::send(NodeId owner, std::vector<std::uintptr_t> blocks) {
  if (blocks.empty()) return;
  peers_.send_free(owner, to_bytes(FreeMessage{peers_.epoch(), std::move(blocks)}));
}

void Heap::flush() {
  if (outbox_.empty()) return;
  for (NodeId owner; owner.value() < layout_.node_count(); ++owner) {
    send(owner, outbox_.take(owner));
  }
}

void Heap::handle_free(NodeId from, ByteView message) {
  quarantine_.arrive(from, value_of<FreeMessage>(message));
}

HeapUsage Heap::usage() {
  const std::lock_guard lock(pages_mutex_);
  return {pages_.pages_in_use() * kPageBytes, pages_.page_count() * kPageBytes};
}

void Heap::invalid(const char* what, std::uintptr_t block, NodeId by) const {
  const std::string where = by == self_ ? "" : fmt::format(" (freed on node {})", by.value());
  peers_.fail(fmt::format("free(): {}: {:#x} on the shared heap{}", what, block, where));
}

}  // namespace weft::heap

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/blocks/span_map.hpp"

#include <sys/mman.h>

#include "base/assert.hpp"

namespace weft::heap {

SpanMap::SpanMap(std::uint64_t page_count) : page_count_(page_count) {
  // Zero-filled pages are null pointers: std::atomic<Span*> is a plain pointer on every platform
  // that Weft supports.
  static_assert(sizeof(std::atomic<Span*>) == sizeof(Span*));
  void* const memory = mmap(nullptr, page_count * sizeof(*entries_) + 1, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  WEFT_ASSERT(memory != MAP_FAILED, "no address space for the heap's map of {} pages", page_count);
  entries_ = static_cast<std::atomic<Span*>*>(memory);
}

SpanMap::~SpanMap() { munmap(entries_, page_count_ * sizeof(*entries_) + 1); }

void SpanMap::set(const Span& span, Span* value) {
  const std::uint64_t pages = span.is_large() ? 1 : span.run().count;
  for (std::uint64_t page = span.run().first; page < span.run().first + pages; ++page) {
    entries_[page].store(value, std::memory_order_release);
  }
}

}  // namespace weft::heap

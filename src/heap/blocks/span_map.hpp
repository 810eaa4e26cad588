// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a page of the share to the span it belongs to: one private pointer a page, in memory that
// the kernel provides when it is first written. Small spans are entered for each of their pages,
// large ones for their first alone, where their one block begins.
#pragma once

#include <atomic>
#include <cstdint>

#include "heap/blocks/span.hpp"

namespace weft::heap {

class SpanMap {
 public:
  explicit SpanMap(std::uint64_t page_count);
  ~SpanMap();
  SpanMap(const SpanMap&) = delete;
  SpanMap& operator=(const SpanMap&) = delete;

  [[nodiscard]] Span* at(std::uint64_t page) const {
    return entries_[page].load(std::memory_order_acquire);
  }
  void enter(Span* span) { set(*span, span); }
  void remove(const Span& span) { set(span, nullptr); }
  // Calls `visit(span)` once for each span on pages below `end`; it may destroy the span.
  template <typename Visit>
  void for_each(std::uint64_t end, Visit visit) const {
    for (std::uint64_t page = 0; page < end;) {
      Span* const span = at(page);
      page += span == nullptr ? 1 : span->run().count;
      if (span != nullptr) visit(span);
    }
  }

 private:
  void set(const Span& span, Span* value);
  std::uint64_t page_count_;
  std::atomic<Span*>* entries_;
};

}  // namespace weft::heap

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/messages/wire.hpp"

#include <algorithm>
#include <cstring>

namespace weft {

// Ascending ranges: each as its distance from the end of the one before, and its length.
void put_value(WireWriter& wire, const PageSet& pages) {
  const std::vector<PageRange> ranges = pages.ranges();
  wire(ranges.size());
  std::uint64_t last_end = 0;
  for (const PageRange& range : ranges) {
    wire(range.first.value() - last_end, range.count);
    last_end = range.end().value();
  }
}

void get_value(WireReader& wire, PageSet& pages) {
  std::uint64_t count = 0;
  wire(count);
  if (count > wire.bytes().remaining()) return wire.fail();
  std::uint64_t last_end = 0;
  for (std::uint64_t index = 0; index < count; ++index) {
    std::uint64_t gap = 0, length = 0;
    wire(gap, length);
    const std::uint64_t first = last_end + gap;
    pages.insert(PageRange{PageIndex(first), length});
    last_end = first + length;
  }
}

void put_value(WireWriter& wire, const StoreUnderWay& store) {
  wire(store.home, store.where.bytes(), store.size);
}

void get_value(WireReader& wire, StoreUnderWay& store) {
  std::uint64_t where = 0;
  wire(store.home, where, store.size);
  store.where = GlobalOffset(where);
  if (store.size > sizeof(AtomicRequest::operand)) return wire.fail();
  if (store.where.within_page() + store.size > kPageBytes) wire.fail();
}

void put_value(WireWriter& wire, const AtomicRequest& request) {
  wire(request.size, request.operation, request.type, request.where.bytes());
  wire.bytes().raw(std::span(request.operand).first(request.size));
  if (request.operation == AtomicOperation::kCompareExchange) {
    wire.bytes().raw(std::span(request.expected).first(request.size));
  }
}

void get_value(WireReader& wire, AtomicRequest& request) {
  std::uint64_t where = 0;
  wire(request.size, request.operation, request.type, where);
  request.where = GlobalOffset(where);
  if (request.size > sizeof request.operand) return wire.fail();
  std::ranges::copy(wire.bytes().raw(request.size), request.operand);
  if (request.operation == AtomicOperation::kCompareExchange) {
    std::ranges::copy(wire.bytes().raw(request.size), request.expected);
  }
}

void put_value(WireWriter& wire, const AtomicResult& result) {
  wire.bytes().raw(result.before);
  wire.bytes().raw(result.after);
}

void get_value(WireReader& wire, AtomicResult& result) {
  std::ranges::copy(wire.bytes().raw(sizeof result.before), result.before);
  std::ranges::copy(wire.bytes().raw(sizeof result.after), result.after);
}

}  // namespace weft

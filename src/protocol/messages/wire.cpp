// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/messages/wire.hpp"

#include <algorithm>
#include <cstring>

namespace weft {

// Ascending ranges: each as its distance from the end of the one before, and its length.
void WireWriter::put(const PageSet& pages) {
  const std::vector<PageRange> ranges = pages.ranges();
  out_.varint(ranges.size());
  std::uint64_t last_end = 0;
  for (const PageRange& range : ranges) {
    out_.varint(range.first.value() - last_end);
    out_.varint(range.count);
    last_end = range.end().value();
  }
}

void WireReader::get(PageSet& pages) {
  const std::uint64_t count = in_.varint();
  if (count > in_.remaining()) return fail();
  std::uint64_t last_end = 0;
  for (std::uint64_t index = 0; index < count; ++index) {
    const std::uint64_t first = last_end + in_.varint();
    const std::uint64_t length = in_.varint();
    pages.insert(PageRange{PageIndex(first), length});
    last_end = first + length;
  }
}

void WireWriter::put(const AtomicRequest& request) {
  (*this)(request.size, request.operation, request.type);
  out_.varint(request.where.bytes());
  out_.raw(std::span(request.operand).first(request.size));
  if (request.operation == AtomicOperation::kCompareExchange) {
    out_.raw(std::span(request.expected).first(request.size));
  }
}

void WireReader::get(AtomicRequest& request) {
  (*this)(request.size, request.operation, request.type);
  request.where = GlobalOffset(in_.varint());
  if (request.size > sizeof request.operand) return fail();
  std::ranges::copy(in_.raw(request.size), request.operand);
  if (request.operation == AtomicOperation::kCompareExchange) {
    std::ranges::copy(in_.raw(request.size), request.expected);
  }
}

void WireWriter::put(const AtomicResult& result) {
  out_.raw(result.before);
  out_.raw(result.after);
}

void WireReader::get(AtomicResult& result) {
  std::ranges::copy(in_.raw(sizeof result.before), result.before);
  std::ranges::copy(in_.raw(sizeof result.after), result.after);
}

}  // namespace weft

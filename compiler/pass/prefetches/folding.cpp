// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/folding.hpp"

#include <cstdlib>

#include "compiler/pass/ranges/writes.hpp"

namespace weft::pass {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40U;

// Which can be folded; null if none can.
Stride* without_gaps(Shape& shape, std::int64_t bytes, bool is_stored) {
  for (Stride& each : shape.strides) {
    const auto step = constant_of(each.bytes), count = constant_of(each.count);
    const std::int64_t widest = is_stored ? bytes : std::max(bytes, kPage);
    if (step && count && *count > 0 && std::abs(*step) <= widest && *count <= kMostBytes / kPage)
      return &each;
  }
  return nullptr;
}

}  // namespace

Shape folded(Shape shape, bool is_stored, llvm::ScalarEvolution& evolution) {
  llvm::Type* type = shape.bytes->getType();
  const auto number = [&](std::int64_t value) {
    return evolution.getConstant(type, static_cast<std::uint64_t>(value), true);
  };
  for (;;) {
    const auto bytes = constant_of(shape.bytes);
    Stride* stride =
        bytes && *bytes < kMostBytes ? without_gaps(shape, *bytes, is_stored) : nullptr;
    if (stride == nullptr) return shape;
    const std::int64_t step = *constant_of(stride->bytes);
    const std::int64_t length = std::abs(step) * (*constant_of(stride->count) - 1);
    if (step < 0) shape.first = evolution.getAddExpr(shape.first, number(-length));
    shape.bytes = number(*bytes + length);
    shape.strides.erase(stride);
  }
}

}  // namespace weft::pass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compiled_code/footprint.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/addresses.hpp"

namespace weft {
namespace {

// No access spans more: addresses have 47 bits.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;

struct Dimension {
  std::uint64_t stride = 0;
  std::uint64_t count = 0;
};

struct Shape {
  std::uintptr_t first = 0;
  std::uint64_t bytes = 0;
  std::array<Dimension, WEFT_MOST_STRIDES> dimensions;  // ascending by their strides
  std::size_t count = 0;
};

// With positive strides that are more than one address each. Nothing if it is empty or absurd.
std::optional<Shape> normalise(std::uintptr_t first, std::uint64_t bytes,
                               std::span<const weft_stride> strides) {
  Shape shape{.first = first, .bytes = bytes, .dimensions = {}};
  if (bytes == 0 || bytes > kMostBytes || strides.size() > WEFT_MOST_STRIDES) return std::nullopt;
  std::uint64_t sum = bytes;
  for (const weft_stride& each : strides) {
    if (each.count == 0) return std::nullopt;
    if (each.count == 1 || each.bytes == 0) continue;
    const std::uint64_t step = each.bytes < 0 ? -static_cast<std::uint64_t>(each.bytes)
                                              : static_cast<std::uint64_t>(each.bytes);
    std::uint64_t way = 0;
    if (__builtin_mul_overflow(step, each.count - 1, &way) || way > kMostBytes - sum)
      return std::nullopt;
    sum += way;
    if (each.bytes < 0) shape.first -= way;
    shape.dimensions[shape.count++] = {step, each.count};
  }
  std::ranges::sort(std::span(shape.dimensions).first(shape.count), {}, &Dimension::stride);
  return shape;
}

// Those whose gaps are less than a page become part of the run.
std::span<const Dimension> join(Shape& shape) {
  std::size_t joined = 0;
  for (; joined < shape.count; ++joined) {
    const auto& [stride, count] = shape.dimensions[joined];
    if (stride > shape.bytes + kPageBytes) break;
    shape.bytes += stride * (count - 1);
  }
  return std::span(shape.dimensions).subspan(joined, shape.count - joined);
}

class Runs {
 public:
  Runs(std::uint64_t bytes, std::size_t most) : bytes_(bytes), most_(most) {}

  void add(std::uintptr_t first, std::span<const Dimension> outer) {
    if (is_full()) return;
    if (outer.empty()) return add(first);
    const auto& [stride, count] = outer.back();
    for (std::uint64_t index = 0; index < count && !is_full(); ++index)
      add(first + stride * index, outer.first(outer.size() - 1));
  }

  std::vector<AddressRange> runs;

 private:
  [[nodiscard]] bool is_full() const { return runs.size() == most_; }
  void add(std::uintptr_t first) {
    if (!runs.empty() && first < runs.back().end + kPageBytes && first >= runs.back().first) {
      runs.back().end = std::max(runs.back().end, first + bytes_);
    } else {
      runs.push_back({first, first + bytes_});
    }
  }

  std::uint64_t bytes_;
  std::size_t most_;
};

}  // namespace

std::vector<AddressRange> footprint(std::uintptr_t first, std::uint64_t bytes,
                                    std::span<const weft_stride> strides, std::size_t most_runs) {
  std::optional<Shape> shape = normalise(first, bytes, strides);
  if (!shape) return {};
  const std::span<const Dimension> outer = join(*shape);
  if (shape->first + shape->bytes < shape->first) return {};
  Runs runs(shape->bytes, most_runs);
  runs.add(shape->first, outer);
  return runs.runs;
}

bool fills(std::uint64_t pages, std::uint64_t bytes, std::span<const weft_stride> strides) {
  double used = static_cast<double>(bytes);
  for (const weft_stride& each : strides) {
    if (each.bytes != 0) used *= static_cast<double>(each.count);
  }
  return used >= static_cast<double>(pages * kPageBytes) / 2;
}

}  // namespace weft

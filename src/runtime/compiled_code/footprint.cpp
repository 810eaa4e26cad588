// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compiled_code/footprint.hpp"

#include <algorithm>
#include <optional>

#include "base/accesses/strided.hpp"
#include "base/addresses.hpp"

namespace weft {
namespace {

// Those whose gaps are less than a page become part of the run. Returns the others.
std::span<const Strided::Dimension> join(Strided& access) {
  std::size_t joined = 0;
  for (; joined < access.loop_count; ++joined) {
    const auto& [stride, count] = access.loops[joined];
    if (stride > access.bytes + kPageBytes) break;
    access.bytes += stride * (count - 1);
  }
  return access.dimensions().subspan(joined);
}

class Runs {
 public:
  Runs(std::uint64_t bytes, std::size_t most) : bytes_(bytes), most_(most) {}

  void add(std::uintptr_t first, std::span<const Strided::Dimension> outer) {
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
  std::optional<Strided> access = Strided::of(first, bytes, strides);
  if (!access) return {};
  const std::span<const Strided::Dimension> outer = join(*access);
  Runs runs(access->bytes, most_runs);
  runs.add(access->first, outer);
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

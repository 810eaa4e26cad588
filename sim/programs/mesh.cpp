// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/programs/mesh.hpp"

#include <algorithm>

namespace weft::sim {
namespace {

// So many that some locks are new when others have shown where the values are.
constexpr std::uint64_t kFewestPoints = 8, kMostPoints = 16;
constexpr std::uint64_t kMostRecord = 24;  // bytes from one value to the next
constexpr std::uint64_t kArrayBytes = kPageBytes / 4;
static_assert(32 * 8 + kMostPoints * kMostRecord < kArrayBytes);

void place_locks(Random& random, Plan& plan, std::uint64_t points) {
  const std::uint64_t stride = 8U << random.below(4);
  const std::uint64_t first = (any_lock(random).value() >> kLockKindBits) / 64 * 64;
  plan.locks.clear();
  for (std::uint64_t point = 0; point < points; ++point) {
    const std::uint64_t address = first + point * stride;
    plan.locks.push_back(lock_of(LockKind::kLock, reinterpret_cast<const void*>(address)));
  }
}

// One after the other, each with a value for each point.
void place_values(Random& random, Plan& plan, PageRange pages, std::uint64_t points) {
  const std::uint64_t arrays = 2 + random.below(2);
  const auto size = static_cast<std::uint8_t>(random.chance(50) ? 8 : 4);
  const std::uint64_t record = size * (1 + random.below(kMostRecord / size));
  plan.cells.clear();
  for (std::uint64_t array = 0; array < arrays; ++array) {
    const std::uint64_t page = pages.first.value() + array * std::min(pages.count, arrays) / arrays;
    std::uint64_t at = page * kPageBytes + array * kArrayBytes + random.below(32) * 8;
    for (std::uint64_t point = 0; point < points; ++point, at += record) {
      plan.cells.push_back({GlobalOffset(at), size, true});
    }
  }
}

}  // namespace

void choose_mesh(Random random, Plan& plan, PageRange pages) {
  Random apart(random.next());
  plan.with_mesh = apart.chance(50);
  if (!plan.with_mesh) return;
  const std::uint64_t points = kFewestPoints + apart.below(kMostPoints - kFewestPoints + 1);
  place_locks(apart, plan, points);
  place_values(apart, plan, pages, points);
  plan.read_terms = 70;
}

}  // namespace weft::sim

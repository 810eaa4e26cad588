// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/locks/likely_sums.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/locks/lock_ids.hpp"

namespace weft {
namespace {

// Records of an array are not longer.
constexpr std::int64_t kMostStride = 4096;
// Locks further apart are hardly of one array.
constexpr std::uint64_t kMostRange = std::uint64_t{1} << 40;

std::uint64_t distance(std::uint64_t one, std::uint64_t other) {
  return one > other ? one - other : other - one;
}

bool is_near(std::uint64_t one, std::uint64_t other) { return distance(one, other) < kMostRange; }

bool is_alike(AddingTarget one, const AddingTarget& other) {
  one.where = other.where;
  return one == other;
}

std::uint64_t address_of(LockId lock) { return lock.value() >> kLockKindBits; }

}  // namespace

std::optional<AddingTarget> LikelySums::Line::at(std::uint64_t other) const {
  if (run == 0 || !is_near(lock, other)) return std::nullopt;
  const auto far = static_cast<std::int64_t>(other - lock);
  if (far * rise % run != 0) return std::nullopt;
  const auto where = static_cast<std::int64_t>(target.where.bytes()) + far * rise / run;
  if (where < 0) return std::nullopt;
  AddingTarget found = target;
  found.where = GlobalOffset(static_cast<std::uint64_t>(where));
  return found;
}

bool LikelySums::Line::meets(std::uint64_t other, const AddingTarget& word) const {
  return at(other) == word;
}

bool LikelySums::Line::is_close(std::uint64_t other) const {
  const std::uint64_t range = high - low;
  return other + range >= low && other <= high + range;
}

void LikelySums::Line::widen(std::uint64_t other) {
  stride = std::gcd(stride, distance(lock, other));
  low = std::min(low, other);
  high = std::max(high, other);
}

// A line, or the later point alone if there is none: then that begins the next one.
LikelySums::Line LikelySums::through(const Line& point, std::uint64_t lock,
                                     const AddingTarget& target) {
  Line line{.lock = lock, .target = target, .low = lock, .high = lock};
  const bool is_new = lock != point.lock && is_near(lock, point.lock);
  if (!is_new || !is_alike(point.target, target)) return line;
  const auto run = static_cast<std::int64_t>(lock - point.lock);
  const auto rise = static_cast<std::int64_t>(target.where.bytes() - point.target.where.bytes());
  const std::int64_t common = std::gcd(run, rise);
  if (std::abs(rise / common) > kMostStride || std::abs(run / common) > kMostStride) return line;
  line.rise = rise / common;
  line.run = run / common;
  line.points = 2;
  line.widen(point.lock);
  return line;
}

void LikelySums::note(LockId lock, const AddingTargets& targets) {
  const std::size_t places = std::min(targets.size(), kMostPlaces);
  for (std::size_t at = 0; at < places; ++at) note(unproven_[at], address_of(lock), targets[at]);
}

// By a line that is proven, which is the first from now on.
bool LikelySums::is_known(std::uint64_t lock, const AddingTarget& target) {
  const auto known =
      std::ranges::find_if(proven_, [&](const Line& line) { return line.meets(lock, target); });
  if (known == proven_.end()) return false;
  known->widen(lock);
  std::rotate(proven_.begin(), known, known + 1);
  return true;
}

void LikelySums::note(Line& unproven, std::uint64_t lock, const AddingTarget& target) {
  if (is_known(lock, target) || (lock == unproven.lock && target == unproven.target)) return;
  if (unproven.meets(lock, target)) {
    unproven.widen(lock);
    ++unproven.points;
  } else {
    unproven = through(unproven, lock, target);
  }
  if (unproven.points < kProof) return;
  proven_.insert(proven_.begin(), unproven);
  if (proven_.size() > kMostLines) proven_.pop_back();
}

std::vector<LockId> LikelySums::behind(LockId lock, std::uint32_t most) const {
  const std::uint64_t here = address_of(lock);
  const auto around = std::ranges::find_if(
      proven_, [&](const Line& line) { return line.low <= here && here < line.high; });
  std::vector<LockId> found;
  if (around == proven_.end()) return found;
  for (std::uint64_t next = here + around->stride; next <= around->high && found.size() < most;
       next += around->stride) {
    found.push_back(LockId(lock.value() + ((next - here) << kLockKindBits)));
  }
  return found;
}

AddingTargets LikelySums::of(LockId lock) const {
  AddingTargets likely;
  for (const Line& line : proven_) {
    if (!line.is_close(address_of(lock))) continue;
    const std::optional<AddingTarget> target = line.at(address_of(lock));
    if (target && !covers(likely, *target)) likely.push_back(*target);
  }
  return likely;
}

}  // namespace weft

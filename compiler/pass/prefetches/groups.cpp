// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/groups.hpp"

#include <cstdlib>

#include "compiler/pass/ranges/writes.hpp"

namespace weft::pass {
namespace {

// Farther apart, what lies between would be fetched in vain.
constexpr std::int64_t kBeside = 4096;

constexpr std::int64_t kMostSteps = 4;

// Shorter ones are records, and others beside are parts of the same.
constexpr std::int64_t kShortestRow = 512;

// By the longest strides first. Not both ways: a row beside is a step, or some bytes.
std::optional<Way> way_of(std::int64_t distance, llvm::ArrayRef<Stride> strides) {
  Way way;
  way.steps.resize(strides.size());
  llvm::SmallVector<std::pair<std::int64_t, unsigned>, 4> lengths;
  for (const auto& [index, stride] : llvm::enumerate(strides)) {
    const auto length = constant_of(stride.bytes);
    if (length && *length != 0) lengths.push_back({*length, static_cast<unsigned>(index)});
  }
  llvm::sort(lengths, [](auto& a, auto& b) { return std::abs(a.first) > std::abs(b.first); });
  for (const auto& [length, index] : lengths) {
    const std::int64_t half = std::abs(length) / 2;
    const std::int64_t steps = (distance + (distance < 0 ? 1 - half : half - 1)) / length;
    const bool is_between = std::abs(length) < kShortestRow && steps * length != distance;
    if (std::abs(steps) > kMostSteps || is_between) continue;
    way.steps[index] = steps;
    distance -= steps * length;
  }
  if (std::abs(distance) > kBeside) return std::nullopt;
  way.bytes = distance;
  return way;
}

// Where the strides are not known to the compiler: a step or two of one of them, or one of each of
// two.
std::optional<Way> guess_way(const llvm::SCEV* distance, llvm::ArrayRef<Stride> strides,
                             llvm::ScalarEvolution& evolution) {
  Way way;
  way.steps.resize(strides.size());
  const auto without = [&](const llvm::SCEV* from, unsigned index, std::int64_t steps) {
    const llvm::SCEV* stride = strides[index].bytes;
    const llvm::SCEV* factor =
        evolution.getConstant(stride->getType(), static_cast<std::uint64_t>(steps), true);
    return evolution.getMinusSCEV(from, evolution.getMulExpr(stride, factor));
  };
  const auto is_left = [&](const llvm::SCEV* rest) {
    const auto bytes = constant_of(rest);
    if (!bytes || std::abs(*bytes) > kBeside) return false;
    const std::optional<Way> known = way_of(*bytes, strides);
    if (!known) return false;
    for (const auto& [steps, more] : llvm::zip(way.steps, known->steps)) steps += more;
    way.bytes = known->bytes;
    return true;
  };
  for (unsigned index = 0; index < strides.size(); ++index) {
    for (const std::int64_t steps : {1, -1, 2, -2}) {
      way.steps[index] = steps;
      if (is_left(without(distance, index, steps))) return way;
    }
    way.steps[index] = 0;
  }
  for (unsigned index = 0; index < strides.size(); ++index) {
    for (const std::int64_t steps : {1, -1}) {
      const llvm::SCEV* rest = without(distance, index, steps);
      way.steps[index] = steps;
      for (unsigned other = index + 1; other < strides.size(); ++other) {
        for (const std::int64_t other_steps : {1, -1}) {
          way.steps[other] = other_steps;
          if (is_left(without(rest, other, other_steps))) return way;
        }
        way.steps[other] = 0;
      }
    }
    way.steps[index] = 0;
  }
  return std::nullopt;
}

// Whether each of these strides is one of those, in the same order.
bool are_among(llvm::ArrayRef<Stride> these, llvm::ArrayRef<Stride> those) {
  for (const Stride& each : those) {
    if (!these.empty() && these.front() == each) these = these.drop_front();
  }
  return these.empty();
}

}  // namespace

bool Group::has(const Way& way) const {
  return bytes_.has(way.bytes) && llvm::all_of(llvm::zip(reach_, way.steps), [](const auto& each) {
           return std::get<0>(each).has(std::get<1>(each));
         });
}

bool Group::touches(std::int64_t at) const {
  const auto length = constant_of(shape_.bytes);
  return length && *length >= kShortestRow && bytes_.from - *length <= at &&
         at <= bytes_.to + *length;
}

bool Group::take(llvm::Instruction& access, const Shape& shape, bool is_stored,
                 llvm::ScalarEvolution& evolution) {
  if (shape.loop != shape_.loop || shape.bytes != shape_.bytes ||
      !are_among(shape.strides, shape_.strides)) {
    return false;
  }
  const llvm::SCEV* distance = evolution.getMinusSCEV(shape.first, shape_.first);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(distance)) return false;
  const auto known = constant_of(distance);
  std::optional<Way> found;
  if (!known) {
    found = guess_way(distance, shape_.strides, evolution);
  } else if (touches(*known)) {
    found = Way{llvm::SmallVector<std::int64_t, 4>(reach_.size()), *known};
  } else {
    found = way_of(*known, shape_.strides);
  }
  if (!found) return false;
  const Way& way = *found;
  const auto is_far = [](std::int64_t steps) { return std::abs(steps) > kMostSteps; };
  if (llvm::any_of(way.steps, is_far)) return false;
  if (stores && !is_stored && !has(way)) return false;
  bytes_.include(way.bytes);
  for (const auto& [reach, steps] : llvm::zip(reach_, way.steps)) reach.include(steps);
  accesses.push_back(&access);
  return true;
}

Shape Group::shape(llvm::ScalarEvolution& evolution) const {
  Shape whole = shape_;
  llvm::Type* type = shape_.bytes->getType();
  const auto number = [&](std::int64_t value) {
    return evolution.getConstant(type, static_cast<std::uint64_t>(value), true);
  };
  whole.bytes = evolution.getAddExpr(shape_.bytes, number(bytes_.to - bytes_.from));
  const llvm::SCEV* back = number(bytes_.from);
  for (const auto& [stride, reach] : llvm::zip(whole.strides, reach_)) {
    if (reach.from == reach.to) continue;
    back = evolution.getAddExpr(back, evolution.getMulExpr(stride.bytes, number(reach.from)));
    stride.count = evolution.getAddExpr(stride.count, number(reach.to - reach.from));
  }
  whole.first = evolution.getAddExpr(shape_.first, back);
  return whole;
}

}  // namespace weft::pass

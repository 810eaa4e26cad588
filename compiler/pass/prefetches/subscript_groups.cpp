// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/subscript_groups.hpp"

#include <algorithm>
#include <cstdlib>

#include "compiler/pass/ranges/writes.hpp"

namespace weft::pass {
namespace {

constexpr std::int64_t kBeside = 4096;

std::optional<std::int64_t> distance(const llvm::SCEV* from, const llvm::SCEV* to,
                                     llvm::ScalarEvolution& evolution) {
  if (from->getType() != to->getType()) return std::nullopt;
  const llvm::SCEV* way = evolution.getMinusSCEV(to, from);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(way)) return std::nullopt;
  const auto bytes = constant_of(way);
  return bytes && std::abs(*bytes) <= kBeside ? bytes : std::nullopt;
}

// Makes [first, first + bytes) reach so far as to have `others` at this distance.
void include(const llvm::SCEV*& first, const llvm::SCEV*& bytes, std::int64_t at,
             std::int64_t others, llvm::ScalarEvolution& evolution) {
  const std::int64_t own = *constant_of(bytes);
  const std::int64_t from = std::min<std::int64_t>(0, at), to = std::max(own, at + others);
  const auto number = [&](std::int64_t value) {
    return evolution.getConstant(bytes->getType(), static_cast<std::uint64_t>(value), true);
  };
  first = evolution.getAddExpr(first, number(from));
  bytes = number(to - from);
}

}  // namespace

bool SubscriptGroup::take(llvm::Instruction& access, const Shape& other, bool is_stored,
                          llvm::ScalarEvolution& evolution) {
  if (other.loop != shape.loop || is_stored != stores || other.strides != shape.strides ||
      other.indirections.size() != shape.indirections.size()) {
    return false;
  }
  if (!take_part(other, evolution) && !take_neighbour(other, evolution)) return false;
  accesses.push_back(&access);
  return true;
}

// By the same values.
bool SubscriptGroup::take_part(const Shape& other, llvm::ScalarEvolution& evolution) {
  Indirection& own = shape.indirections.back();
  const Indirection& last = other.indirections.back();
  Indirection like = last;
  like.base = own.base;
  like.bytes = own.bytes;
  const llvm::ArrayRef<Indirection> these(shape.indirections), those(other.indirections);
  if (other.first != shape.first || other.bytes != shape.bytes || !(like == own) ||
      these.drop_back() != those.drop_back()) {
    return false;
  }
  const auto at = distance(own.base, last.base, evolution);
  const auto bytes = constant_of(last.bytes);
  if (!at || !(own.bytes == last.bytes ? *at == 0 || bytes : bytes && constant_of(own.bytes)))
    return false;
  if (bytes) include(own.base, own.bytes, *at, *bytes, evolution);
  return true;
}

// Values without a gap: what lies between might be anything.
bool SubscriptGroup::take_neighbour(const Shape& other, llvm::ScalarEvolution& evolution) {
  const Indirection& first = shape.indirections.front();
  if (other.indirections != shape.indirections ||
      constant_of(first.step) != std::abs(first.loaded)) {
    return false;
  }
  const auto at = distance(shape.first, other.first, evolution);
  const auto own = constant_of(shape.bytes), others = constant_of(other.bytes);
  if (!at || !own || !others || *at > *own || *at < -*others || *at % first.loaded != 0)
    return false;
  include(shape.first, shape.bytes, *at, *others, evolution);
  return true;
}

}  // namespace weft::pass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetch_calls/sizes.hpp"

#include <llvm/ADT/MapVector.h>

#include <algorithm>
#include <optional>

#include "base/ids.hpp"
#include "compiler/pass/ranges/declarations.hpp"

namespace weft::pass {
namespace {

constexpr std::size_t kMostComparisons = 2;

// The access may be enough if the value is so large.
struct Least {
  llvm::Value* value;
  std::uint64_t least;
};

std::optional<std::uint64_t> constant(const llvm::Value* value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number == nullptr ? std::nullopt : std::optional(number->getLimitedValue());
}

// The least count of pieces of `bytes` each, `step` apart if that is known, that may be enough.
std::uint64_t least_count(std::uint64_t bytes, const llvm::ConstantInt* step) {
  const std::uint64_t fewest = fewest_bytes();
  const std::uint64_t pages_of_one = (bytes / kPageBytes) + 2;
  const std::uint64_t by_pages = llvm::divideCeil(fewest / kPageBytes, pages_of_one);
  if (step == nullptr || bytes >= fewest) return by_pages;
  const std::uint64_t apart = step->getValue().abs().getLimitedValue();
  if (apart == 0) return by_pages;
  return std::max(by_pages, llvm::divideCeil(fewest - bytes, apart) + 1);
}

std::optional<Least> least_of(const PrefetchValues& access) {
  if (access.strides.empty()) return Least{access.bytes, fewest_bytes()};
  const auto bytes = constant(access.bytes);
  if (access.strides.size() > 1 || !bytes) return std::nullopt;
  const auto& [step, count] = access.strides.front();
  return Least{count, least_count(*bytes, llvm::dyn_cast<llvm::ConstantInt>(step))};
}

}  // namespace

llvm::Value* may_be_enough(llvm::IRBuilder<>& builder, llvm::ArrayRef<PrefetchValues> accesses) {
  if (fewest_bytes() < kPageBytes) return nullptr;
  llvm::SmallMapVector<llvm::Value*, std::uint64_t, kMostComparisons> least_values;
  for (const PrefetchValues& each : accesses) {
    const std::optional<Least> found = each.indirections.empty() ? least_of(each) : std::nullopt;
    if (!found) return nullptr;
    auto [known, is_new] = least_values.insert({found->value, found->least});
    if (!is_new) known->second = std::min(known->second, found->least);
  }
  if (least_values.size() > kMostComparisons) return nullptr;
  llvm::Value* any = nullptr;
  for (const auto& [value, least] : least_values) {
    llvm::Value* enough =
        builder.CreateICmpUGE(value, llvm::ConstantInt::get(value->getType(), least));
    any = any == nullptr ? enough : builder.CreateOr(any, enough);
  }
  return any;
}

}  // namespace weft::pass

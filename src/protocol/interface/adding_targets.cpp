// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/interface/adding_targets.hpp"

#include <algorithm>

namespace weft {
namespace {

bool clashes(const AddingTarget& one, const AddingTarget& other) {
  return overlap(one.where.bytes(), one.size, other.where.bytes(), other.size) && one != other;
}

bool fits(const AddingTargets& known, const AddingTarget& target) {
  return known.size() < kMostAddingTargets &&
         std::ranges::none_of(
             known, [&](const AddingTarget& each) { return clashes(each, target); });
}

}  // namespace

void put_value(WireWriter& wire, const AddingTarget& target) {
  wire(target.where.bytes(), target.size, target.operation, target.type);
}

void get_value(WireReader& wire, AddingTarget& target) {
  std::uint64_t where = 0;
  wire(where, target.size, target.operation, target.type);
  target.where = GlobalOffset(where);
}

AddingTarget target_of(const AtomicRequest& update) {
  AtomicOperation operation = update.operation;
  if (operation == AtomicOperation::kSubtract) operation = AtomicOperation::kAdd;
  if (operation == AtomicOperation::kFloatSubtract) operation = AtomicOperation::kFloatAdd;
  return {update.where, update.size, operation, update.type};
}

bool covers(const AddingTargets& all, const AddingTarget& target) {
  return std::ranges::find(all, target) != all.end();
}

bool covers(const AddingTargets& all, const AddingTargets& some) {
  return std::ranges::all_of(some, [&](const AddingTarget& each) { return covers(all, each); });
}

void join_targets(AddingTargets& known, const AddingTargets& more) {
  for (const AddingTarget& target : more) {
    if (covers(known, target)) continue;
    if (!fits(known, target)) known.clear();
    known.push_back(target);
  }
}

void add_likely(AddingTargets& known, const AddingTargets& likely) {
  for (const AddingTarget& target : likely) {
    if (!covers(known, target) && fits(known, target)) known.push_back(target);
  }
}

}  // namespace weft

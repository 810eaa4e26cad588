// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/reads.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/pass/ranges/guards.hpp"

namespace weft::pass {
namespace {

// More comparisons before a loop are not made.
constexpr unsigned kMostIntervals = 16;

llvm::MemoryLocation any_iteration(const llvm::Instruction& writer) {
  const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&writer);
  const llvm::MemoryLocation here =
      copy != nullptr ? llvm::MemoryLocation::getForDest(copy) : llvm::MemoryLocation::get(&writer);
  // Scopes may be opened anew in each iteration; those of the reads are looked at.
  return llvm::MemoryLocation::getBeforeOrAfter(here.Ptr, here.AATags);
}

}  // namespace

const char* Reads::obstacle(const Write& write, const Interval& range, Order order,
                            const llvm::Loop* loop, llvm::ArrayRef<Read> reads,
                            Conditions& conditions) {
  for (const Read& read : reads) {
    if (is_elsewhere(write, read) || is_behind(write, read, order)) continue;
    const std::optional<Interval> interval = interval_of(read, loop, conditions.no_wraps);
    if (!interval) return "a load that may be of the same memory";
    switch (overlap(*interval, range, evolution_)) {
      case Overlap::kNever:
        continue;
      case Overlap::kAlways:
        return "a load of the same memory before it is stored";
      case Overlap::kSometimes:
        add_interval(conditions.apart, *interval, evolution_);
    }
    if (conditions.apart.size() > kMostIntervals)
      return "too many loads that may be of the same memory";
  }
  return nullptr;
}

// Not where any of the stores writes, in whichever iteration.
bool Reads::is_elsewhere(const Write& write, const Read& read) {
  if (read.by->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return true;
  llvm::BatchAAResults aliases(aliases_);
  aliases.enableCrossIterationMode();
  if (!llvm::isModSet(aliases.getModRefInfoMask(read.where))) return true;
  return llvm::all_of(write.by, [&](const llvm::Instruction* writer) {
    return aliases.isNoAlias(any_iteration(*writer), read.where);
  });
}

// In this iteration, one of the stores has just written the bytes.
bool Reads::is_just_stored(const Write& write, llvm::LoadInst& load) {
  const std::int64_t bytes = *constant_of(bytes_of_access(load, evolution_));
  const llvm::SCEV* address = evolution_.getSCEV(load.getPointerOperand());
  return llvm::any_of(write.by, [&](llvm::Instruction* writer) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(writer);
    if (store == nullptr || !dominators_.dominates(store, &load)) return false;
    const auto distance = constant_of(
        evolution_.getMinusSCEV(address, evolution_.getSCEV(store->getPointerOperand())));
    const std::int64_t stored = *constant_of(bytes_of_access(*store, evolution_));
    return distance && *distance >= 0 && *distance + bytes <= stored;
  });
}

// The bytes have been written when they are read: in this iteration, or in those before it.
bool Reads::is_behind(const Write& write, const Read& read, Order order) {
  auto* load = llvm::dyn_cast<llvm::LoadInst>(read.by);
  if (load == nullptr || bytes_of_access(*load, evolution_) == nullptr) return false;
  if (loops_.getLoopFor(load->getParent()) != loops_.getLoopFor(write.by[0]->getParent())) {
    return false;
  }
  if (is_just_stored(write, *load)) return true;
  const std::int64_t bytes = *constant_of(bytes_of_access(*load, evolution_));
  const llvm::SCEV* address = evolution_.getSCEV(load->getPointerOperand());
  const auto distance = constant_of(evolution_.getMinusSCEV(address, write.first));
  const auto written = constant_of(write.bytes);
  if (!distance || !written) return false;
  if (order == Order::kUpwards) return *distance + bytes <= 0;
  return order == Order::kDownwards && *distance >= *written;
}

// In each iteration of all loops around it, up to this one; or in none of them.
bool Reads::is_each_time(const llvm::Instruction& by, const llvm::Loop& loop) const {
  llvm::SmallVector<Guard, 4> guards;
  const llvm::BasicBlock* block = by.getParent();
  for (const llvm::Loop* each = loops_.getLoopFor(block);; each = each->getParentLoop()) {
    if (!runs_each_time(*block, *each, loop, dominators_, guards)) return false;
    if (each == &loop) return true;
    block = each->getLoopPreheader();
    if (block == nullptr) return false;
  }
}

std::optional<Interval> Reads::interval_of(const Read& read, const llvm::Loop* loop,
                                           NoWraps& no_wraps) {
  llvm::Type* type = llvm::Type::getInt64Ty(read.by->getContext());
  const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(read.by);
  const llvm::SCEV* bytes = copy == nullptr ? bytes_of_access(*read.by, evolution_)
                                            : evolution_.getTruncateOrZeroExtend(
                                                  evolution_.getSCEV(copy->getLength()), type);
  if (bytes == nullptr || read.where.Ptr->getType()->getPointerAddressSpace() != 0) {
    return std::nullopt;
  }
  const Interval access = {evolution_.getSCEV(const_cast<llvm::Value*>(read.where.Ptr)), bytes};
  if (loop == nullptr) return access;
  return swept(access, *loops_.getLoopFor(read.by->getParent()), *loop,
               is_each_time(*read.by, *loop), evolution_, no_wraps);
}

}  // namespace weft::pass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/writes.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

#include "compiler/pass/ranges/intervals.hpp"

namespace weft::pass {
namespace {

// More stores in one loop are not looked at: each is compared with the first of each group.
constexpr unsigned kMostStores = 64;

// One store, and where it is relative to the first of its group.
struct Part {
  llvm::Instruction* by;
  std::int64_t offset;
  std::int64_t bytes;
};

// Stores of one loop that advance alike, at constant distances.
struct Group {
  const llvm::SCEV* first;  // of the first part
  const llvm::SCEV* step;
  llvm::SmallVector<Part, 4> parts;
};

std::optional<std::int64_t> constant(const llvm::SCEV* value) {
  const auto* known = llvm::dyn_cast<llvm::SCEVConstant>(value);
  if (known == nullptr || known->getAPInt().getSignificantBits() > 48) return std::nullopt;
  return known->getAPInt().getSExtValue();
}

bool is_plain(const llvm::StoreInst& store) {
  return store.isSimple() && store.getPointerAddressSpace() == 0;
}

const llvm::SCEV* length_of(const llvm::MemIntrinsic& copy, llvm::ScalarEvolution& evolution) {
  llvm::Type* type = llvm::Type::getInt64Ty(copy.getContext());
  return evolution.getTruncateOrZeroExtend(evolution.getSCEV(copy.getLength()), type);
}

void add_copy(llvm::MemIntrinsic& copy, WritesOfBlocks& found, llvm::ScalarEvolution& evolution) {
  if (copy.isVolatile() || copy.getDestAddressSpace() != 0) return;
  found.writes.push_back(
      {{&copy}, evolution.getSCEV(copy.getRawDest()), length_of(copy, evolution)});
}

// Fortran's descriptors have the strides of arrays: mostly an element, or a record if several parts
// of one are stored. The program compares then.
bool may_leave_no_gap(const llvm::SCEV* step, std::size_t parts, std::int64_t bytes) {
  const std::optional<std::int64_t> known = constant(step);
  if (!known) return parts > 1 || llvm::isa<llvm::SCEVUnknown>(step);
  return *known != 0 && std::abs(*known) <= bytes;
}

class Groups {
 public:
  Groups(const llvm::Loop& loop, llvm::ScalarEvolution& evolution)
      : loop_(loop), evolution_(evolution) {}

  // False if it does not advance by the same step each time.
  bool add(llvm::StoreInst& store) {
    const llvm::SCEV* first = evolution_.getSCEV(store.getPointerOperand());
    const llvm::SCEV* size = bytes_of_access(store, evolution_);
    llvm::SmallVector<const llvm::SCEVPredicate*, 2> no_wraps;
    const llvm::SCEVAddRecExpr* moving = advancing(first, loop_, evolution_, no_wraps);
    if (moving == nullptr || size == nullptr) return false;
    const llvm::SCEV* step = moving->getStepRecurrence(evolution_);
    for (Group& group : groups_) {
      if (group.step != step) continue;
      const std::optional<std::int64_t> offset =
          constant(evolution_.getMinusSCEV(first, group.first));
      if (!offset) continue;
      // By their offsets.
      auto* place = llvm::upper_bound(
          group.parts, *offset,
          [](std::int64_t value, const Part& part) { return value < part.offset; });
      group.parts.insert(place, {&store, *offset, *constant(size)});
      return true;
    }
    groups_.push_back({first, step, {{&store, 0, *constant(size)}}});
    return true;
  }

  void join(WritesOfBlocks& found) {
    for (Group& group : groups_) join(group, found);
  }

 private:
  // Parts without a gap between them are one write, if they leave none from turn to turn, either.
  void join(Group& group, WritesOfBlocks& found) {
    for (std::size_t begin = 0; begin < group.parts.size();) {
      std::size_t end = begin;
      std::int64_t covered = group.parts[begin].offset;
      for (; end < group.parts.size() && group.parts[end].offset <= covered; ++end) {
        covered = std::max(covered, group.parts[end].offset + group.parts[end].bytes);
      }
      const llvm::ArrayRef<Part> run(&group.parts[begin], end - begin);
      const std::int64_t bytes = covered - run.front().offset;
      if (may_leave_no_gap(group.step, run.size(), bytes)) {
        add_write(group, run, bytes, found);
      } else {
        for (const Part& part : run) found.scattered.push_back(part.by);
      }
      begin = end;
    }
  }

  void add_write(const Group& group, llvm::ArrayRef<Part> run, std::int64_t bytes,
                 WritesOfBlocks& found) {
    llvm::Type* type = evolution_.getEffectiveSCEVType(group.first->getType());
    Write write;
    for (const Part& part : run) write.by.push_back(part.by);
    write.first = evolution_.getAddExpr(
        group.first, evolution_.getConstant(type, static_cast<std::uint64_t>(run.front().offset),
                                            /*isSigned=*/true));
    write.bytes = evolution_.getConstant(type, static_cast<std::uint64_t>(bytes));
    found.writes.push_back(std::move(write));
  }

  const llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  llvm::SmallVector<Group, 4> groups_;
};

}  // namespace

const llvm::SCEV* bytes_of_access(llvm::Instruction& access, llvm::ScalarEvolution& evolution) {
  const llvm::TypeSize size =
      access.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access));
  if (size.isScalable()) return nullptr;
  return evolution.getConstant(llvm::Type::getInt64Ty(access.getContext()), size.getFixedValue());
}

WritesOfBlocks writes_of(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                         const llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution) {
  WritesOfBlocks found;
  Groups groups(loop, evolution);
  unsigned stores = 0;
  for (llvm::BasicBlock* block : loop.blocks()) {
    if (loops.getLoopFor(block) != &loop) continue;
    const bool each_time = dominators.dominates(block, loop.getLoopLatch());
    for (llvm::Instruction& instruction : *block) {
      if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
        add_copy(*copy, found, evolution);
      }
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store == nullptr || !is_plain(*store)) continue;
      if (!each_time || ++stores > kMostStores || !groups.add(*store)) {
        found.scattered.push_back(store);
      }
    }
  }
  groups.join(found);
  return found;
}

WritesOfBlocks copies_of(llvm::BasicBlock& block, llvm::ScalarEvolution& evolution) {
  WritesOfBlocks found;
  for (llvm::Instruction& instruction : block) {
    if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      add_copy(*copy, found, evolution);
    }
  }
  return found;
}

std::optional<std::int64_t> constant_of(const llvm::SCEV* value) {
  constexpr unsigned kAddressBits = 48;
  const auto* known = llvm::dyn_cast<llvm::SCEVConstant>(value);
  if (known == nullptr || known->getAPInt().getSignificantBits() > kAddressBits) {
    return std::nullopt;
  }
  return known->getAPInt().getSExtValue();
}

}  // namespace weft::pass

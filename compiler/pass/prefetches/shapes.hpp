// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an access goes while loops run: a first address, and a stride for each of the loops.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "compiler/pass/prefetches/callees.hpp"
#include "compiler/pass/prefetches/guards.hpp"
#include "compiler/pass/prefetches/hints.hpp"

namespace weft::pass {

struct Stride {
  const llvm::SCEV* bytes;  // of 64 bits, as all here
  const llvm::SCEV* count;
  bool operator==(const Stride&) const = default;
};

// struct weft_indirection of base/compiler_abi.h.
struct Indirection {
  const llvm::SCEV* step = nullptr;
  std::int64_t loaded = 0;
  const llvm::SCEV* base = nullptr;  // a pointer, or a number
  const llvm::SCEV* scale = nullptr;
  const llvm::SCEV* bytes = nullptr;
  // Of rows.
  std::int64_t counted = 0;
  const llvm::SCEV* rate = nullptr;
  const llvm::SCEV* upper = nullptr;
  const llvm::SCEV* lower = nullptr;

  // All but `base` are of 64 bits.
  [[nodiscard]] llvm::SmallVector<const llvm::SCEV**, 7> values() {
    llvm::SmallVector<const llvm::SCEV**, 7> all = {&step, &base, &scale, &bytes};
    if (counted != 0) all.append({&rate, &upper, &lower});
    return all;
  }
  bool operator==(const Indirection&) const = default;
};

struct Shape {
  const llvm::SCEV* first = nullptr;  // a pointer
  const llvm::SCEV* bytes = nullptr;
  llvm::SmallVector<Stride, 4> strides;  // of the innermost loop first
  // By which values in that memory lead to the access, one after the other. None: it is in it.
  llvm::SmallVector<Indirection, 1> indirections;
  const llvm::Loop* loop = nullptr;  // before which all of that is known: the outermost such
  bool is_certain = true;            // no branch is only taken to lead to it
  // Of collapsed loops, the first and the last row, which may be used in part, are left out; or
  // else they are taken whole.
  bool whole_rows_only = false;
  bool is_collapsed = false;
  // Of a called function, by which it comes to the access.
  llvm::SmallVector<llvm::Value*, 2> conditions;
  unsigned levels = 0;  // of calls to the access
};

// Why a shape goes no farther outwards, often.
inline constexpr llvm::StringLiteral kSynchronises = "the loop synchronises";

class Shapes {
 public:
  Shapes(llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators,
         const llvm::LoopInfo& loops, const Callees& callees, Hints& hints)
      : evolution_(evolution),
        dominators_(dominators),
        loops_(loops),
        callees_(callees),
        hints_(hints),
        guards_(evolution, hints) {}

  // Of a plain load or store by itself. Nothing if its size is not known.
  std::optional<Shape> of(llvm::Instruction& access);
  // Of a call, by the numbers of its caller.
  Shape of(const Use& use);

  // While loops around the block run. `obstacle` is why the shape does not go farther outwards;
  // null if there is no loop left. Nothing if not even the innermost loop will do.
  std::optional<Shape> outwards(Shape shape, const llvm::BasicBlock& block, const char*& obstacle,
                                bool innermost_only);

 private:
  const char* extend(Shape& shape, const llvm::Loop& loop, const llvm::BasicBlock& block);
  // The way of the address, if it is one.
  const char* move(Shape& shape, const llvm::Loop& loop, const llvm::SCEV* count);
  enum class Runs : std::uint8_t { kSometimes, kEachTime, kUnlessRowIsEmpty };
  Runs runs_each_time(Shape& shape, const llvm::BasicBlock& block, const llvm::Loop& loop);
  // Just before an inner loop, where the branch stands that asks whether it has iterations;
  // whatever this one asks.
  static bool is_at_guards_place(const llvm::BranchInst& branch, const llvm::BasicBlock& block,
                                 const llvm::Loop& loop);
  // Wherever it stands before one, it asks for nothing else than that.
  bool only_guards(const llvm::BranchInst& branch, const llvm::BasicBlock& block,
                   const llvm::Loop& loop);
  // Whether a condition is the same in each iteration, as far as one can guess.
  bool is_steady(llvm::Value& condition, const llvm::Loop& loop);
  // From the first row to the last, of iterations from `lowest` to `highest` of rows of `length`.
  std::pair<const llvm::SCEV*, const llvm::SCEV*> rows_of(const llvm::SCEV* lowest,
                                                          const llvm::SCEV* highest,
                                                          const llvm::SCEV* length,
                                                          bool whole_rows_only);
  bool split_collapsed(Shape& shape, const llvm::SCEV* address, const llvm::SCEV* count,
                       const llvm::Loop& loop);
  const char* obstacle_in(const llvm::Loop& loop);

  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  const Callees& callees_;
  Hints& hints_;
  Guards guards_;
  llvm::DenseMap<const llvm::Loop*, const char*> obstacles_;
};

}  // namespace weft::pass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a call of __weft_prefetch_all, as formulas that the library computes (struct
// weft_uses). Most of such a number is needed by nothing else, and a byte for each step takes less
// room than its instructions. What the program loads from its variables, as the bounds in
// descriptors of Fortran's arrays, the library loads once more: else each would be kept in the
// frame, and copied to the call's values.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/compiler_abi.h"

namespace weft::pass {

class Formulas {
 public:
  // Of a call in `block`, which is only executed for that.
  explicit Formulas(const llvm::BasicBlock& block);

  void add_byte(std::uint64_t byte) { codes_.push_back(static_cast<std::uint8_t>(byte)); }
  // First all of them, then each where it comes.
  void expect(llvm::Value* number) { ++nodes_[node_of(number, 0)].uses; }
  void add(llvm::Value* number) { add_node(node_of(number, 0)); }

  // Whether the library can be told.
  [[nodiscard]] bool fit() const {
    return constants_.size() <= WEFT_CONSTANT && values_.size() <= WEFT_FORMULA;
  }
  [[nodiscard]] llvm::ArrayRef<std::uint8_t> codes() const { return codes_; }
  [[nodiscard]] llvm::ArrayRef<llvm::Constant*> constants() const { return constants_; }
  // Which the code stores before the call.
  [[nodiscard]] llvm::ArrayRef<llvm::Value*> values() const { return values_; }

 private:
  // An operator, a byte behind it, and operands. Without an operator it is its only operand.
  struct Step {
    std::optional<weft_formula> formula;
    std::optional<std::uint8_t> byte;
    llvm::SmallVector<llvm::Value*, 2> operands;
  };
  // A step once for all instructions that do the same; a value of the call; or a known number.
  struct Node {
    std::optional<weft_formula> formula;  // none of a value or a number
    std::optional<std::uint8_t> byte;
    std::vector<unsigned> operands;
    llvm::Value* value = nullptr;
    unsigned uses = 0;
    std::optional<std::uint8_t> kept;
  };
  using StepKey = std::tuple<weft_formula, std::uint8_t, std::vector<unsigned>>;

  unsigned node_of(llvm::Value* number, unsigned depth);
  unsigned new_node(llvm::Value* number, unsigned depth);
  unsigned node_of_step(const Step& step, unsigned depth);
  void add_node(unsigned which);
  void add_constant(const llvm::ConstantInt& number);
  [[nodiscard]] std::optional<Step> step_of(llvm::Value* value) const;
  [[nodiscard]] std::optional<Step> address_step(llvm::Value* value) const;
  [[nodiscard]] std::optional<Step> load_step(llvm::Value* value, weft_formula formula) const;
  [[nodiscard]] std::optional<Step> arithmetic_step(llvm::Instruction& value) const;
  [[nodiscard]] static Step shortened(Step step);
  [[nodiscard]] bool is_cheap(const Step& step) const;

  const llvm::BasicBlock& block_;
  const llvm::DataLayout& layout_;
  std::vector<Node> nodes_;
  llvm::DenseMap<llvm::Value*, unsigned> known_;
  std::map<StepKey, unsigned> known_steps_;
  std::uint8_t kept_count_ = 0;
  llvm::SmallVector<std::uint8_t, 256> codes_;
  llvm::SmallVector<llvm::Constant*, 16> constants_;
  llvm::SmallVector<llvm::Value*, 16> values_;
};

}  // namespace weft::pass

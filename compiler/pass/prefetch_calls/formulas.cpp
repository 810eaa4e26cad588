// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetch_calls/formulas.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace weft::pass {
namespace {

constexpr unsigned kWholeBits = 64;
// The library computes them by recursion.
constexpr unsigned kDeepest = 64;

bool is_whole(const llvm::Value& value) {
  return value.getType()->isIntegerTy(kWholeBits) || value.getType()->isPointerTy();
}

// There for as long as the function runs: of the module, or said of an argument.
bool stays(const llvm::Value& base, std::uint64_t bytes) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&base))
    return !variable->isThreadLocal();
  const auto* argument = llvm::dyn_cast<llvm::Argument>(&base);
  return argument != nullptr && argument->getDereferenceableBytes() >= bytes;
}

std::size_t place_of(auto* value, auto& among) {
  auto* place = llvm::find(among, value);
  if (place == among.end()) {
    among.push_back(value);
    place = among.end() - 1;
  }
  return place - among.begin();
}

}  // namespace

Formulas::Formulas(const llvm::BasicBlock& block)
    : block_(block), layout_(block.getModule()->getDataLayout()) {}

// --- steps ---

std::optional<Formulas::Step> Formulas::step_of(llvm::Value* value) const {
  if (!is_whole(*value)) return std::nullopt;
  if (llvm::isa<llvm::GEPOperator>(value)) return address_step(value);
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return std::nullopt;
  if (llvm::isa<llvm::LoadInst>(value)) return load_step(value, WEFT_LOAD);
  if (llvm::isa<llvm::PtrToIntInst, llvm::IntToPtrInst, llvm::FreezeInst>(value))
    return is_whole(*instruction->getOperand(0))
               ? std::optional(Step{{}, {}, {instruction->getOperand(0)}})
               : std::nullopt;
  if (llvm::isa<llvm::SExtInst>(value) ||
      (llvm::isa<llvm::ZExtInst>(value) && instruction->hasNonNeg())) {
    return load_step(instruction->getOperand(0), WEFT_LOAD_INT);
  }
  return arithmetic_step(*instruction);
}

// Base and one index, as ScalarEvolution writes them; or the base and a known distance.
std::optional<Formulas::Step> Formulas::address_step(llvm::Value* value) const {
  auto* address = llvm::cast<llvm::GEPOperator>(value);
  llvm::APInt distance(kWholeBits, 0);
  if (address->accumulateConstantOffset(layout_, distance)) {
    auto* bytes = llvm::ConstantInt::get(value->getContext(), distance);
    return Step{WEFT_ADD, {}, {address->getPointerOperand(), bytes}};
  }
  if (address->getNumIndices() != 1 || !address->getSourceElementType()->isIntegerTy(8))
    return std::nullopt;
  llvm::Value* index = *address->idx_begin();
  if (!is_whole(*index)) return std::nullopt;
  return Step{WEFT_ADD, {}, {address->getPointerOperand(), index}};
}

std::optional<Formulas::Step> Formulas::load_step(llvm::Value* value, weft_formula formula) const {
  auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (load == nullptr || !load->isSimple() || load->getPointerAddressSpace() != 0)
    return std::nullopt;
  const std::uint64_t bytes = formula == WEFT_LOAD ? 8 : 4;
  if (load->getType()->isPointerTy() ? formula != WEFT_LOAD
                                     : !load->getType()->isIntegerTy(8 * bytes)) {
    return std::nullopt;
  }
  llvm::APInt distance(kWholeBits, 0);
  llvm::Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout_, distance, /*AllowNonInbounds=*/true);
  if (distance.isNegative() || distance.urem(bytes) != 0) return std::nullopt;
  const llvm::APInt words = distance.udiv(bytes);
  if (words.ugt(UINT8_MAX) || !stays(*base, distance.getZExtValue() + bytes)) return std::nullopt;
  return Step{formula, static_cast<std::uint8_t>(words.getZExtValue()), {base}};
}

std::optional<Formulas::Step> Formulas::arithmetic_step(llvm::Instruction& value) const {
  const auto of_both = [&](weft_formula formula) {
    return Step{formula, {}, {value.getOperand(0), value.getOperand(1)}};
  };
  switch (value.getOpcode()) {
    case llvm::Instruction::Add:
      return of_both(WEFT_ADD);
    case llvm::Instruction::Sub:
      return of_both(WEFT_SUBTRACT);
    case llvm::Instruction::Mul:
      return of_both(WEFT_MULTIPLY);
    case llvm::Instruction::UDiv:
      return of_both(WEFT_DIVIDE);
    case llvm::Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(value).isDisjoint()) return std::nullopt;
      return of_both(WEFT_ADD);
    case llvm::Instruction::Shl: {
      const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(value.getOperand(1));
      if (bits == nullptr || bits->getValue().uge(kWholeBits - 1)) return std::nullopt;
      auto* factor =
          llvm::ConstantInt::get(value.getType(), std::uint64_t{1} << bits->getZExtValue());
      return Step{WEFT_MULTIPLY, {}, {value.getOperand(0), factor}};
    }
    case llvm::Instruction::Call:
      if (const auto* chosen = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&value)) {
        if (chosen->getIntrinsicID() == llvm::Intrinsic::smin) return of_both(WEFT_SMALLER);
        if (chosen->getIntrinsicID() == llvm::Intrinsic::smax) return of_both(WEFT_GREATER);
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Of what other code needs, too: no longer than its value's place among the values.
bool Formulas::is_cheap(const Step& step) const {
  const auto is_variable = [](const llvm::Value* each) {
    return !llvm::isa<llvm::ConstantInt>(each) && !llvm::isa<llvm::GlobalVariable>(each);
  };
  if (step.formula == WEFT_LOAD || step.formula == WEFT_LOAD_INT) return true;
  if (llvm::count_if(step.operands, is_variable) > 1) return false;
  return llvm::all_of(step.operands, [&](llvm::Value* each) {
    if (!is_variable(each)) return true;
    const auto found = known_.find(each);
    if (found != known_.end() && nodes_[found->second].value != nullptr) return true;
    const std::optional<Step> below = step_of(each);
    return below && is_cheap(*below);
  });
}

// With a known operand, if there is an operator for that.
Formulas::Step Formulas::shortened(Step step) {
  if (step.operands.size() < 2 || step.formula == WEFT_DIVIDE) return step;
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(step.operands[1]);
  if (known == nullptr) return step;
  const llvm::APInt& number = known->getValue();
  if (step.formula == WEFT_MULTIPLY && number == 8) return {WEFT_EIGHTFOLD, {}, {step.operands[0]}};
  if (step.formula != WEFT_ADD || !number.isSignedIntN(8)) return step;
  return {WEFT_ADD_SMALL, static_cast<std::uint8_t>(number.getSExtValue()), {step.operands[0]}};
}

// --- nodes ---

unsigned Formulas::node_of(llvm::Value* number, unsigned depth) {
  if (const auto found = known_.find(number); found != known_.end()) return found->second;
  const unsigned which = new_node(number, depth);
  known_.insert({number, which});
  return which;
}

unsigned Formulas::new_node(llvm::Value* number, unsigned depth) {
  const bool is_known =
      llvm::isa<llvm::ConstantInt, llvm::ConstantPointerNull, llvm::UndefValue>(number);
  const std::optional<Step> step = is_known || depth >= kDeepest ? std::nullopt : step_of(number);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(number);
  const bool is_of_call = instruction == nullptr || instruction->getParent() == &block_;
  if (step && (is_of_call || is_cheap(*step))) return node_of_step(*step, depth);
  nodes_.emplace_back().value = number;
  return static_cast<unsigned>(nodes_.size() - 1);
}

unsigned Formulas::node_of_step(const Step& long_step, unsigned depth) {
  const Step step = shortened(long_step);
  std::vector<unsigned> operands;
  for (llvm::Value* each : step.operands) operands.push_back(node_of(each, depth + 1));
  if (!step.formula) return operands.front();
  const auto [place, is_new] = known_steps_.try_emplace(
      {*step.formula, step.byte.value_or(0), operands}, static_cast<unsigned>(nodes_.size()));
  if (is_new) {
    for (const unsigned each : operands) ++nodes_[each].uses;
    nodes_.push_back({step.formula, step.byte, operands, nullptr, 0, std::nullopt});
  }
  return place->second;
}

// --- codes ---

void Formulas::add_node(unsigned which) {
  Node& node = nodes_[which];
  if (node.value != nullptr) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(node.value))
      return add_constant(*constant);
    if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(node.value)) {
      codes_.append({WEFT_SMALL, 0});
      return;
    }
    return add_byte(place_of(node.value, values_));
  }
  if (node.kept) {
    codes_.append({WEFT_KEPT, *node.kept});
    return;
  }
  if (node.uses > 1 && kept_count_ < WEFT_MOST_KEPT) {
    node.kept = kept_count_++;
    codes_.push_back(WEFT_KEEP);
  }
  add_byte(*node.formula);
  if (node.byte) add_byte(*node.byte);
  for (const unsigned each : node.operands) add_node(each);
}

void Formulas::add_constant(const llvm::ConstantInt& number) {
  if (number.getValue().isSignedIntN(8)) {
    codes_.append({WEFT_SMALL, static_cast<std::uint8_t>(number.getSExtValue())});
    return;
  }
  llvm::Constant* whole = llvm::ConstantInt::get(llvm::Type::getInt64Ty(number.getContext()),
                                                 static_cast<std::uint64_t>(number.getSExtValue()));
  add_byte(WEFT_CONSTANT + place_of(whole, constants_));
}

}  // namespace weft::pass

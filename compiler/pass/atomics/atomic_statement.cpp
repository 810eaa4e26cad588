// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/atomic_statement.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/DerivedTypes.h>

#include <array>
#include <optional>
#include <string>

namespace weft::pass {
namespace {

using llvm::StringRef;

// The operands of a statement, $0, $1 and so on: outputs, then inputs.
struct Operand {
  bool is_output = false;
  bool is_memory = false;                 // its argument is an address
  bool is_tied = false;                   // it is in an output's register
  std::optional<unsigned> argument = {};  // of the call
  llvm::Type* type = nullptr;
};

llvm::SmallVector<Operand, 8> operands_of(const llvm::CallBase& call,
                                          const llvm::InlineAsm& statement) {
  llvm::SmallVector<Operand, 8> operands;
  unsigned argument = 0, result = 0;
  auto* const results = llvm::dyn_cast<llvm::StructType>(call.getType());
  for (const llvm::InlineAsm::ConstraintInfo& each : statement.ParseConstraints()) {
    if (each.Type != llvm::InlineAsm::isOutput && each.Type != llvm::InlineAsm::isInput) continue;
    Operand operand{.is_output = each.Type == llvm::InlineAsm::isOutput,
                    .is_memory = each.isIndirect,
                    .is_tied = !each.Codes.empty() && llvm::isDigit(each.Codes.front()[0])};
    if (operand.is_output && !each.isIndirect) {
      operand.type = results != nullptr ? results->getElementType(result++) : call.getType();
    } else {
      operand.argument = argument;
      operand.type = each.isIndirect ? call.getParamElementType(argument)
                                     : call.getArgOperand(argument)->getType();
      ++argument;
    }
    operands.push_back(operand);
  }
  return operands;
}

struct Instruction {
  bool has_lock = false;
  std::string name;
  llvm::SmallVector<StringRef, 3> operands;
};

llvm::SmallVector<StringRef, 3> split_operands(StringRef text) {
  llvm::SmallVector<StringRef, 3> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char sign = at < text.size() ? text[at] : ',';
    depth += sign == '(' || sign == '{' ? 1 : sign == ')' || sign == '}' ? -1 : 0;
    if (sign != ',' || (depth > 0 && at < text.size())) continue;
    const StringRef part = text.slice(begin, at).trim();
    if (!part.empty()) parts.push_back(part);
    begin = at + 1;
  }
  return parts;
}

// In the order in which they run. A prefix may stand before its instruction as one of its own.
llvm::SmallVector<Instruction, 4> instructions_of(StringRef text) {
  llvm::SmallVector<Instruction, 4> instructions;
  bool has_lock = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n;"), text.size());
    StringRef line = text.take_front(end).split('#').first.trim();
    text = text.drop_front(std::min(end + 1, text.size()));
    const auto [label, rest] = line.split(':');
    if (label.size() < line.size() && llvm::all_of(label, llvm::isAlnum)) {
      instructions.push_back({false, (label + ":").str(), {}});
      line = rest.trim();
    }
    if (line.starts_with_insensitive("lock") && (line.size() == 4 || llvm::isSpace(line[4]))) {
      has_lock = true;
      line = line.drop_front(4).trim();
    }
    if (line.empty()) continue;
    const std::size_t name = std::min(line.find_first_of(" \t"), line.size());
    instructions.push_back(
        {has_lock, line.take_front(name).lower(), split_operands(line.drop_front(name))});
    has_lock = false;
  }
  return instructions;
}

// Without suffixes. None is another's beginning.
constexpr std::array<StringRef, 17> kMayHaveLock = {"cmpxchg", "xchg", "xadd", "inc", "dec", "add",
                                                    "sub",     "adc",  "sbb",  "and", "xor", "or",
                                                    "neg",     "not",  "bts",  "btr", "btc"};

// The number in "$1" or "${1:b}", if the text is that and nothing else.
std::optional<unsigned> operand_named(StringRef text) {
  unsigned number = 0;
  if (!text.consume_front("$")) return std::nullopt;
  if (text.consume_front("{")) {
    if (!text.consume_back("}")) return std::nullopt;
    text = text.split(':').first;
  }
  if (text.getAsInteger(10, number)) return std::nullopt;
  return number;
}

class Reader {
 public:
  explicit Reader(const llvm::CallBase& call)
      : call_(call), statement_(*llvm::cast<llvm::InlineAsm>(call.getCalledOperand())) {}

  [[nodiscard]] AtomicStatement read() {
    operands_ = operands_of(call_, statement_);
    instructions_ = instructions_of(statement_.getAsmString());
    for (const Instruction& each : instructions_) {
      if (!is_atomic(each)) continue;
      if (!take_word(each)) return not_understood();
    }
    if (!word_) {
      const bool is_fence = llvm::any_of(instructions_, is_a_fence);
      return {is_fence ? AtomicStatement::Kind::kFence : AtomicStatement::Kind::kPlain, 0, {}};
    }
    const auto is_fine = [&](const Instruction& each) { return can_run_again(each); };
    if (!llvm::all_of(instructions_, is_fine)) return not_understood();
    return {AtomicStatement::Kind::kOneWord, bits_, addresses()};
  }

 private:
  static AtomicStatement not_understood() { return {AtomicStatement::Kind::kNotUnderstood, 0, {}}; }

  // In memory that an operand names: its number. As $1 where that is memory, else as ($1).
  [[nodiscard]] std::optional<unsigned> word_of(StringRef text) const {
    const bool is_pointer = text.ends_with(")");
    if (is_pointer) {
      text.consume_front("0");
      if (!text.consume_front("(")) return std::nullopt;
      text = text.drop_back();
    }
    const std::optional<unsigned> number = operand_named(text.trim());
    if (!number || *number >= operands_.size()) return std::nullopt;
    const Operand& operand = operands_[*number];
    const bool fits = is_pointer ? operand.type->isPointerTy() && !operand.is_output &&
                                       !operand.is_tied && !operand.is_memory
                                 : operand.is_memory;
    return fits ? number : std::nullopt;
  }
  [[nodiscard]] bool is_memory(StringRef text) const {
    const std::optional<unsigned> number = operand_named(text);
    return text.contains('(') ||
           (number && *number < operands_.size() && operands_[*number].is_memory);
  }
  [[nodiscard]] static bool is_on_stack(StringRef text) {
    return text.contains("%rsp") || text.contains("%esp");
  }
  [[nodiscard]] static bool is_a_fence(const Instruction& each) {
    return each.name == "mfence" || (each.has_lock && llvm::any_of(each.operands, is_on_stack));
  }
  [[nodiscard]] bool is_atomic(const Instruction& each) const {
    if (llvm::any_of(each.operands, is_on_stack)) return false;
    const bool has_memory =
        llvm::any_of(each.operands, [&](StringRef text) { return is_memory(text); });
    return each.has_lock || (StringRef(each.name).starts_with("xchg") && has_memory);
  }

  // False: it is not one of the instructions that may have a lock, or works on a second word.
  [[nodiscard]] bool take_word(const Instruction& each) {
    std::optional<unsigned> word;
    for (const StringRef text : each.operands) {
      if (is_memory(text)) word = word_of(text);
    }
    const unsigned bits = bits_of(each);
    if (!word || bits == 0 || (word_ && (*word_ != *word || bits_ != bits))) return false;
    word_ = word;
    bits_ = bits;
    return true;
  }

  // Of the word, by the instruction's suffix, or by the type of an operand. 0: unknown.
  [[nodiscard]] unsigned bits_of(const Instruction& each) const {
    StringRef suffix = each.name;
    const bool is_bit_test =
        suffix.starts_with("bts") || suffix.starts_with("btr") || suffix.starts_with("btc");
    // A bit number in a register may lead to another word.
    if (is_bit_test && !each.operands.front().starts_with("$$")) return 0;
    const bool is_known =
        llvm::any_of(kMayHaveLock, [&](StringRef begin) { return suffix.consume_front(begin); });
    if (!is_known) return 0;
    if (suffix.empty()) return bits_by_type(each);
    return llvm::StringSwitch<unsigned>(suffix)
        .Case("b", 8)
        .Case("w", 16)
        .Case("l", 32)
        .Case("q", 64)
        .Default(0);
  }
  [[nodiscard]] unsigned bits_by_type(const Instruction& each) const {
    for (const StringRef text : each.operands) {
      const std::optional<unsigned> number = operand_named(text);
      if (!number || *number >= operands_.size()) continue;
      if (const auto* type = llvm::dyn_cast<llvm::IntegerType>(operands_[*number].type)) {
        const unsigned bits = type->getBitWidth();
        return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
      }
    }
    return 0;
  }

  // Nothing leaves the statement or repeats a part of it; what it does to registers and other
  // memory is the same the second time; and it does not look at the word's address.
  [[nodiscard]] bool can_run_again(const Instruction& each) const {
    const StringRef name = each.name;
    if (name.contains(':') || name.starts_with("j") || name.starts_with("call") ||
        name.starts_with("loop") || name.starts_with(".") || name.starts_with("rep") ||
        name.starts_with("push") || name.starts_with("pop") || name.contains('(')) {
      return name == "rep" && (each.operands.empty() || each.operands.front() == "nop");
    }
    for (const StringRef text : each.operands) {
      const std::optional<unsigned> word = word_of(text);
      if (word == word_) continue;
      if (names_word(text)) return false;
    }
    if (each.operands.empty()) return true;
    const StringRef target = each.operands.back();
    const bool only_writes = name.starts_with("mov") || name.starts_with("set");
    const bool only_reads = name.starts_with("cmp") || name.starts_with("test");
    return !is_memory(target) || word_of(target) == word_ || (only_writes && !each.has_lock) ||
           (only_reads && !each.has_lock);
  }
  [[nodiscard]] bool names_word(StringRef text) const {
    for (std::size_t at = text.find('$'); at != StringRef::npos; at = text.find('$', at + 1)) {
      StringRef rest = text.drop_front(at + 1);
      rest.consume_front("{");
      unsigned number = 0;
      if (!rest.consumeInteger(10, number) && number == *word_ &&
          (at == 0 || text[at - 1] != '$')) {
        return true;
      }
    }
    return false;
  }

  // An operand that is read and written is two arguments.
  [[nodiscard]] llvm::SmallVector<unsigned, 2> addresses() const {
    const Operand& word = operands_[*word_];
    llvm::SmallVector<unsigned, 2> arguments = {*word.argument};
    for (const Operand& other : operands_) {
      if (word.is_memory && other.is_memory && other.argument != word.argument &&
          call_.getArgOperand(*other.argument) == call_.getArgOperand(*word.argument)) {
        arguments.push_back(*other.argument);
      }
    }
    return arguments;
  }

  const llvm::CallBase& call_;
  const llvm::InlineAsm& statement_;
  llvm::SmallVector<Operand, 8> operands_;
  llvm::SmallVector<Instruction, 4> instructions_;
  std::optional<unsigned> word_;
  unsigned bits_ = 0;
};

}  // namespace

AtomicStatement read_statement(const llvm::CallBase& call) { return Reader(call).read(); }

}  // namespace weft::pass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in of clang that plants mutants: mistakes in src/protocol, each behind a switch of its
// own, all in one build. So a run of thousands costs one compilation. Mistakes are of three kinds:
//
//   negated    a condition of a branch
//   shifted    a comparison: < for <=, >= for >, and so on
//   left out   a call without a result that is used
//
// Assertions and deliberate bugs are left alone: to weaken a check is no mistake in a rule.
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::mutants {
namespace {

using llvm::Instruction;
using llvm::Value;

// The text of source files, by line.
class Sources {
 public:
  [[nodiscard]] std::string line(const std::string& path, unsigned number) {
    auto [found, is_new] = lines_.try_emplace(path);
    if (is_new) read(path, found->second);
    return number == 0 || number > found->second.size() ? "" : found->second[number - 1];
  }

 private:
  static void read(const std::string& path, std::vector<std::string>& lines) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) return;
    llvm::SmallVector<llvm::StringRef> parts;
    (*buffer)->getBuffer().split(parts, '\n');
    for (const llvm::StringRef part : parts) lines.push_back(part.trim().str());
  }

  std::map<std::string, std::vector<std::string>> lines_;
};

// Objects are made and ended in pairs: without one of the two the program is no program.
bool is_of_lifetime(llvm::StringRef name) {
  llvm::ItaniumPartialDemangler function;
  return !function.partialDemangle(name.str().c_str()) && function.isCtorOrDtor();
}

// The other comparison that differs for equal operands alone.
std::optional<llvm::CmpInst::Predicate> shifted(llvm::CmpInst::Predicate predicate) {
  if (!llvm::ICmpInst::isRelational(predicate)) return std::nullopt;
  return llvm::CmpInst::getFlippedStrictnessPredicate(predicate);
}

bool is_of_tests(llvm::StringRef path) {
  return path.ends_with("_test.cpp") || path.ends_with("/test_surroundings.hpp");
}

class Planter {
 public:
  explicit Planter(llvm::Module& module) : module_(module) {}

  bool plant() {
    std::vector<Instruction*> places;
    for (llvm::Function& function : module_) {
      for (llvm::BasicBlock& block : function) {
        for (Instruction& instruction : block) places.push_back(&instruction);
      }
    }
    for (Instruction* const place : places) plant_at(*place);
    llvm::appendToCompilerUsed(module_, table_);
    return !table_.empty();
  }

 private:
  void plant_at(Instruction& place) {
    if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&place)) {
      // Deliberate bugs are constants here.
      if (branch->isConditional() && !llvm::isa<llvm::Constant>(branch->getCondition()))
        negate(*branch);
    } else if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&place)) {
      shift(*comparison);
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&place)) {
      leave_out(*call);
    }
  }

  void negate(llvm::BranchInst& branch) {
    Value* const active = switch_of(branch, "negated");
    if (active == nullptr) return;
    llvm::IRBuilder<> builder(&branch);
    branch.setCondition(builder.CreateXor(branch.getCondition(), active));
  }

  void shift(llvm::ICmpInst& comparison) {
    const auto other = shifted(comparison.getPredicate());
    if (!other) return;
    Value* const active = switch_of(comparison, "shifted");
    if (active == nullptr) return;
    llvm::IRBuilder<> builder(comparison.getNextNode());
    Value* const wrong =
        builder.CreateICmp(*other, comparison.getOperand(0), comparison.getOperand(1));
    Value* const either = builder.CreateSelect(active, wrong, &comparison);
    comparison.replaceUsesWithIf(either,
                                 [either](llvm::Use& use) { return use.getUser() != either; });
  }

  static bool may_be_left_out(const llvm::CallBase& call) {
    if (llvm::isa<llvm::IntrinsicInst>(call) || call.isInlineAsm() || !call.use_empty())
      return false;
    if (call.doesNotReturn() || call.hasStructRetAttr() || call.isMustTailCall()) return false;
    const llvm::Function* const callee = call.getCalledFunction();
    if (callee == nullptr) return true;
    return callee->getName().starts_with("_ZN") && !is_of_lifetime(callee->getName());
  }

  void leave_out(llvm::CallBase& call) {
    if (!may_be_left_out(call)) return;
    Value* const active = switch_of(call, "left out");
    if (active == nullptr) return;
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) return pass_by(*invoke, active);
    llvm::IRBuilder<> builder(&call);
    Instruction* const end =
        llvm::SplitBlockAndInsertIfThen(builder.CreateNot(active), call.getIterator(), false);
    call.moveBefore(end->getIterator());
  }

  // As if the call had returned.
  static void pass_by(llvm::InvokeInst& invoke, Value* active) {
    llvm::BasicBlock* const before = invoke.getParent();
    llvm::BasicBlock* const with = llvm::SplitBlock(before, invoke.getIterator());
    llvm::BasicBlock* const target = invoke.getNormalDest();
    auto* const without =
        llvm::BasicBlock::Create(invoke.getContext(), "", before->getParent(), with);
    llvm::BranchInst::Create(target, without);
    for (llvm::PHINode& phi : target->phis()) {
      phi.addIncoming(phi.getIncomingValueForBlock(with), without);
    }
    before->getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(without, with, active, before);
  }

  // A new mutant's switch, read where the instruction is; none if there is to be none.
  Value* switch_of(Instruction& place, const char* kind) {
    const std::optional<std::string> name = name_of(place, kind);
    if (!name) return nullptr;
    llvm::IRBuilder<> builder(&place);
    llvm::Type* const byte = builder.getInt8Ty();
    auto* const type = llvm::StructType::get(byte, byte, builder.getPtrTy());
    auto* const text = builder.CreateGlobalString(*name, "weft.mutant.name", 0, &module_);
    auto* const mutant = new llvm::GlobalVariable(
        module_, type, false, llvm::GlobalValue::PrivateLinkage,
        llvm::ConstantStruct::get(type, builder.getInt8(0), builder.getInt8(0), text),
        "weft.mutant");
    mutant->setSection("weft_mutants");
    mutant->setAlignment(llvm::Align(8));
    table_.push_back(mutant);
    builder.CreateStore(builder.getInt8(1), builder.CreateStructGEP(type, mutant, 1), true);
    Value* const active = builder.CreateLoad(byte, mutant, true);
    return builder.CreateICmpNE(active, builder.getInt8(0));
  }

  std::optional<std::string> name_of(const Instruction& place, const char* kind) {
    const llvm::DebugLoc& at = place.getDebugLoc();
    if (!at || at.getLine() == 0) return std::nullopt;
    const auto* const file = llvm::cast<llvm::DIScope>(at.getScope())->getFile();
    const std::string path = file->getDirectory().empty() || file->getFilename().starts_with("/")
                                 ? file->getFilename().str()
                                 : (file->getDirectory() + "/" + file->getFilename()).str();
    const std::size_t inside = path.rfind("src/protocol/");
    if (inside == std::string::npos || is_of_tests(path)) return std::nullopt;
    const std::string line = sources_.line(path, at.getLine());
    if (line.find("WEFT_ASSERT") != std::string::npos) return std::nullopt;
    return path.substr(inside) + ":" + std::to_string(at.getLine()) + ":" +
           std::to_string(at.getCol()) + ": " + kind + ": " + line;
  }

  llvm::Module& module_;
  Sources sources_;
  std::vector<llvm::GlobalValue*> table_;
};

class PlantPass : public llvm::PassInfoMixin<PlantPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    return Planter(module).plant() ? llvm::PreservedAnalyses::none()
                                   : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Before anything is inlined: every place of the source is there once.
void register_pass(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
        manager.addPass(PlantPass());
      });
}

}  // namespace
}  // namespace weft::mutants

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "WeftMutants", LLVM_VERSION_STRING,
          weft::mutants::register_pass};
}

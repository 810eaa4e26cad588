// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/atomics.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <array>
#include <optional>

#include "compiler/pass/atomics/slow_path.hpp"
#include "compiler/pass/atomics/span_flags.hpp"

namespace weft::pass {
namespace {

// On operations that are guarded already: bitcode may come through here twice.
constexpr const char* kGuarded = "weft.guarded";

bool is_between_threads(const llvm::Instruction& instruction) {
  const std::optional<llvm::SyncScope::ID> scope = llvm::getAtomicSyncScopeID(&instruction);
  return scope.has_value() && *scope != llvm::SyncScope::SingleThread;
}

// Whether anything but the function's own accesses may use the variable. LLVM's analysis has it
// that a volatile access shows where the variable is; but it lets nobody else name it.
bool is_named_elsewhere(const llvm::Value& variable) {
  struct Tracker final : llvm::CaptureTracker {
    bool is_named = false;
    void tooManyUses() override { is_named = true; }
    Action captured(const llvm::Use* use, llvm::UseCaptureInfo) override {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(use->getUser());
      if (user != nullptr && user->isVolatile() &&
          llvm::getLoadStorePointerOperand(user) == use->get() &&
          use->getOperandNo() == (llvm::isa<llvm::StoreInst>(user) ? 1U : 0U)) {
        return ContinueIgnoringReturn;
      }
      is_named = true;
      return Stop;
    }
  } tracker;
  llvm::PointerMayBeCaptured(&variable, &tracker);
  return tracker.is_named;
}

// The variable whose address in the calling thread this is, if it is one.
const llvm::GlobalVariable* thread_local_at(const llvm::Value* address) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(address);
  if (intrinsic == nullptr || intrinsic->getIntrinsicID() != llvm::Intrinsic::threadlocal_address) {
    return nullptr;
  }
  return llvm::dyn_cast<llvm::GlobalVariable>(intrinsic->getArgOperand(0));
}

// A thread-local variable whose address nobody takes.
bool is_of_one_thread(const llvm::GlobalVariable& variable) {
  return variable.hasLocalLinkage() && llvm::all_of(variable.users(), [&](const llvm::User* user) {
           return thread_local_at(user) == &variable && !is_named_elsewhere(*user);
         });
}

// Memory that no other thread can name.
bool is_private(const llvm::Value* pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer, 0);
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
  if (variable == nullptr) variable = thread_local_at(object);
  if (variable != nullptr) return variable->isThreadLocal() && is_of_one_thread(*variable);
  return llvm::isa<llvm::AllocaInst>(object) && !is_named_elsewhere(*object);
}

const llvm::Value* pointer_of(const llvm::Instruction& instruction) {
  if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) return pointer;
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return update->getPointerOperand();
  }
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return exchange->getPointerOperand();
  }
  return nullptr;
}

llvm::AtomicOrdering ordering_of(const llvm::Instruction& operation) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&operation)) return load->getOrdering();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&operation)) return store->getOrdering();
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&operation)) {
    return update->getOrdering();
  }
  return llvm::AtomicOrdering::Monotonic;
}

// Programs wait for each other's volatile flags: such accesses must reach other nodes, in order, as
// they would reach other processors. Only what can be a flag: numbers are volatile for
// measurements.
bool is_volatile_flag(const llvm::Instruction& instruction) {
  if (!instruction.isVolatile() || instruction.isAtomic()) return false;
  if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) return false;
  const llvm::Type* type = llvm::getLoadStoreType(&instruction);
  if (!type->isIntegerTy() && !type->isPointerTy()) return false;
  const auto bytes =
      instruction.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&instruction));
  return bytes <= 8 && llvm::isPowerOf2_64(bytes) &&
         llvm::getLoadStoreAlignment(&instruction).value() >= bytes &&
         !llvm::isa<llvm::ConstantPointerNull>(llvm::getLoadStorePointerOperand(&instruction));
}

bool needs_guard(const llvm::Instruction& instruction) {
  if (instruction.hasMetadata(kGuarded)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    const std::optional<LibraryCall> form = recognise_library_call(*call);
    return form.has_value() && !is_private(form->pointer(*call));
  }
  if (!is_volatile_flag(instruction) &&
      (!instruction.isAtomic() || !is_between_threads(instruction))) {
    return false;
  }
  if (llvm::isa<llvm::FenceInst>(instruction)) return true;
  const llvm::Value* pointer = pointer_of(instruction);
  return pointer->getType()->getPointerAddressSpace() == 0 && !is_private(pointer);
}

// The front ends write OpenMP's flush after an atomic construct with a memory order. Across nodes
// the operation has done that already, for its order, and a flush of everything costs several
// messages: such a flush belongs to the ordinary instruction alone.
llvm::CallInst* flush_after(const llvm::Instruction& operation) {
  if (!operation.isAtomic() || !llvm::isStrongerThanMonotonic(ordering_of(operation))) {
    return nullptr;
  }
  auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(
      const_cast<llvm::Instruction*>(operation.getNextNode()));
  if (call == nullptr || call->getCalledFunction() == nullptr) return nullptr;
  return call->getCalledFunction()->getName() == "__kmpc_flush" ? call : nullptr;
}

// Whether the processor does it at once wherever it is done: on one node, or by the run-time
// library (weft_atomic_is_native). All others may take a lock, which must be the same for all
// threads.
bool is_native(const llvm::Instruction& operation) {
  constexpr unsigned kMostBytes = 8;
  if (llvm::isa<llvm::FenceInst>(operation)) return true;
  const llvm::Type* type = nullptr;
  llvm::Align alignment;
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&operation)) {
    type = update->getType();
    alignment = update->getAlign();
  } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&operation)) {
    type = exchange->getNewValOperand()->getType();
    alignment = exchange->getAlign();
  } else if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(operation)) {
    type = llvm::getLoadStoreType(&operation);
    alignment = llvm::getLoadStoreAlignment(&operation);
  } else {
    return false;  // a call
  }
  const auto bytes = operation.getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(type));
  return bytes <= kMostBytes && llvm::isPowerOf2_64(bytes) && alignment.value() >= bytes;
}

// Guards the operations of one function.
class Guards {
 public:
  explicit Guards(llvm::Function& function) : function_(function) {}

  bool add_all() {
    llvm::SmallVector<llvm::Instruction*, 16> found;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (needs_guard(instruction)) found.push_back(&instruction);
    }
    if (found.empty()) return false;
    slow_path_.emplace(function_);
    for (const SpanFlag flag : {SpanFlag::kThreadsElsewhere, SpanFlag::kSpansNodes}) {
      if (any_in_loop(found, flag)) hoisted(flag) = load_at_entry(flag);
    }
    for (llvm::Instruction* instruction : found) {
      if (is_native(*instruction)) slow_path_->announce(*instruction);
    }
    for (llvm::Instruction* instruction : found) guard(as_plain_instruction(instruction));
    return true;
  }

 private:
  static SpanFlag flag_of(const llvm::Instruction& operation) {
    return is_native(operation) ? SpanFlag::kThreadsElsewhere : SpanFlag::kSpansNodes;
  }
  llvm::Value*& hoisted(SpanFlag flag) { return hoisted_[static_cast<std::size_t>(flag)]; }

  bool any_in_loop(llvm::ArrayRef<llvm::Instruction*> instructions, SpanFlag flag) {
    const llvm::DominatorTree dominators(function_);
    const llvm::LoopInfo loops(dominators);
    return llvm::any_of(instructions, [&](const llvm::Instruction* instruction) {
      return flag_of(*instruction) == flag && loops.getLoopFor(instruction->getParent()) != nullptr;
    });
  }

  // None of the library functions throws, but a call of one may have been written as if.
  static llvm::Instruction* as_plain_instruction(llvm::Instruction* instruction) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(instruction);
    return invoke != nullptr ? llvm::changeToCall(invoke) : instruction;
  }

  llvm::Value* load_at_entry(SpanFlag flag) {
    llvm::BasicBlock& entry = function_.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    builder.SetCurrentDebugLocation(llvm::DebugLoc());
    return load_flag(flag, builder);
  }

  void guard(llvm::Instruction* operation) {
    llvm::LLVMContext& context = function_.getContext();
    llvm::IRBuilder<> builder(operation);
    const SpanFlag flag = flag_of(*operation);
    llvm::Value* spans = hoisted(flag) != nullptr ? hoisted(flag) : load_flag(flag, builder);
    llvm::Instruction* slow = nullptr;
    llvm::Instruction* fast = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(spans, operation->getIterator(), &slow, &fast,
                                        llvm::MDBuilder(context).createUnlikelyBranchWeights());
    llvm::BasicBlock* after = operation->getParent();
    llvm::CallInst* flush = flush_after(*operation);
    operation->moveBefore(fast->getIterator());
    if (flush != nullptr) flush->moveBefore(fast->getIterator());
    operation->setMetadata(kGuarded, llvm::MDNode::get(context, {}));

    builder.SetInsertPoint(slow);
    builder.SetCurrentDebugLocation(operation->getDebugLoc());
    llvm::Value* across_nodes = slow_path_->emit(builder, *operation);
    if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(operation)) {
      fence->setSyncScopeID(llvm::SyncScope::System);  // the processor knows no other
    }
    if (operation->use_empty()) return;
    llvm::PHINode* result = llvm::PHINode::Create(operation->getType(), 2, "", after->begin());
    result->setDebugLoc(operation->getDebugLoc());
    operation->replaceAllUsesWith(result);
    result->addIncoming(across_nodes, builder.GetInsertBlock());
    result->addIncoming(operation, fast->getParent());
  }

  llvm::Function& function_;
  std::optional<SlowPath> slow_path_;         // of a function that has any
  std::array<llvm::Value*, 2> hoisted_ = {};  // by SpanFlag
};

// Resolvers run while the dynamic linker is still at work, when the flag may not be found yet.
llvm::SmallPtrSet<const llvm::Function*, 4> resolvers(const llvm::Module& module) {
  llvm::SmallPtrSet<const llvm::Function*, 4> found;
  for (const llvm::GlobalIFunc& ifunc : module.ifuncs()) found.insert(ifunc.getResolverFunction());
  return found;
}

}  // namespace

llvm::PreservedAnalyses AtomicsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const llvm::Triple& target = module.getTargetTriple();
  if (!target.isOSBinFormatELF() || !target.isArch64Bit()) return llvm::PreservedAnalyses::all();
  const auto excluded = resolvers(module);
  bool changed = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || excluded.contains(&function)) continue;
    if (function.hasFnAttribute(llvm::Attribute::Naked)) continue;
    changed |= Guards(function).add_all();
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass

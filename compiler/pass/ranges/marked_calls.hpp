// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that say something of the loop behind them are made in jobs of several nodes only. While
// optimisations are under way they are *markers*: one call without control flow, of a function that
// no linker knows, as a branch before a loop hides from them which comparisons hold in it.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace weft::pass {

// Whether there is room for such calls, and a library that has the functions.
bool may_have_calls(const llvm::Function& function);

// The function of that name, which returns, does not synchronise, and touches memory that the
// program does not see and nothing else.
llvm::Function* marker(llvm::Module& module, llvm::StringRef name, llvm::FunctionType* type);

// Whether it is a call of the marker of that name.
bool is_marker(const llvm::Value& value, llvm::StringRef name);

// A marker of this name gives a value, and may be computed later or not at all.
inline constexpr const char* kHint = "weft.hint";
bool is_hint(const llvm::Value& value);

// Those that say something.
inline constexpr const char* kOverwrites = "weft.overwrites";
inline constexpr const char* kPrefetches = "weft.prefetches";

// With -fweft-check-ranges: the range that is the marker's next one is for these accesses. They and
// the marker have a node of their own for it (compiler/pass/checks).
bool is_checking();
void note_range(llvm::CallInst& marker, llvm::ArrayRef<llvm::Instruction*> accesses);
llvm::SmallVector<const llvm::MDNode*, 2> noted_ranges(const llvm::Instruction& instruction);
void forget_ranges(llvm::Instruction& instruction);

// Puts the marker behind a branch that is taken if __weft_spans_nodes, with all that only it needs.
// Returns the end of the block that it is in.
llvm::Instruction* move_behind_flag(llvm::CallInst& marker, llvm::Module& module);
// The same by a condition, which is computed right before the marker.
llvm::Instruction* move_behind(llvm::Value* condition, llvm::CallInst& marker,
                               llvm::MDNode* weights = nullptr);

// A call of a function of libweft's, seldom made.
llvm::CallInst* call_library(llvm::IRBuilder<>& builder, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> arguments);

// One with WEFT_KEEPS_REGISTERS (base/compiler_abi.h).
llvm::CallInst* call_keeping_registers(llvm::IRBuilder<>& builder, llvm::StringRef name,
                                       llvm::ArrayRef<llvm::Value*> arguments);

// Calls `replace`, which erases it, for each marker of that name. False if there is none.
bool replace_markers(llvm::Module& module, llvm::StringRef name,
                     llvm::function_ref<void(llvm::CallInst&)> replace);

}  // namespace weft::pass

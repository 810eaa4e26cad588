// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/marked_fences.hpp"

#include <optional>
#include <utility>

namespace weft::pass {
namespace {

constexpr std::pair<FenceMark, const char*> kScopes[] = {
    {FenceMark::kPolled, "weft.polled"},
    {FenceMark::kOriginal, "weft.original"},
};

}  // namespace

void put_fence(llvm::IRBuilder<>& builder, FenceMark mark) {
  for (const auto& [each, scope] : kScopes) {
    if (each != mark) continue;
    const auto ordering =
        mark == FenceMark::kPolled ? llvm::AtomicOrdering::Acquire : llvm::AtomicOrdering::Release;
    builder.CreateFence(ordering, builder.getContext().getOrInsertSyncScopeID(scope));
  }
}

FenceMark mark_of(const llvm::FenceInst& fence) {
  const std::optional<llvm::StringRef> name =
      fence.getContext().getSyncScopeName(fence.getSyncScopeID());
  for (const auto& [mark, scope] : kScopes) {
    if (name == scope) return mark;
  }
  return FenceMark::kNone;
}

}  // namespace weft::pass

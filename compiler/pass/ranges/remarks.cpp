// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/remarks.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/FormatVariadic.h>

#include <string>

#include "compiler/pass/ranges/declarations.hpp"

namespace weft::pass {
namespace {

constexpr const char* kPass = "weft";  // -Rpass=weft

bool is_call(const llvm::Instruction& access) { return llvm::isa<llvm::CallBase>(access); }

std::string amount(const llvm::SCEV* bytes) {
  const auto* known = llvm::dyn_cast<llvm::SCEVConstant>(bytes);
  if (known == nullptr) return "a range";
  return std::to_string(known->getAPInt().getZExtValue()) + " bytes";
}

std::string line_of(const llvm::Loop& loop) {
  const llvm::DebugLoc& place = loop.getStartLoc();
  return place ? " of line " + std::to_string(place.getLine()) : "";
}

}  // namespace

bool Remarks::is_news(const llvm::Instruction& of, const std::string& what) {
  if (!emitter_.enabled()) return false;
  std::string where;
  if (const llvm::DebugLoc& place = of.getDebugLoc())
    where = llvm::formatv("{0}:{1}:{2}:", place->getFilename(), place.getLine(), place.getCol());
  return said_.insert(where + what).second;
}

void Remarks::declared(const Write& write, const Level& level) {
  emitter_.emit([&] {
    llvm::OptimizationRemark remark(kPass, "Overwrites", write.by.front());
    remark << "overwrites " << amount(level.range.bytes) << " whole: not fetched";
    if (!llvm::isa<llvm::SCEVConstant>(level.range.bytes)) {
      remark << " if it has " << std::to_string(fewest_bytes()) << " bytes";
      if (!level.equalities.empty()) remark << " and no gaps";
      if (!level.of_reads.apart.empty()) remark << " and nothing of it is read";
    } else if (!level.of_reads.apart.empty()) {
      remark << " if nothing of it is read";
    }
    return remark;
  });
}

void Remarks::prefetched(const llvm::Instruction& access, const llvm::Loop& loop) {
  if (!is_news(access, "prefetched" + line_of(loop))) return;
  emitter_.emit([&] {
    llvm::OptimizationRemark remark(kPass, "Prefetched", &access);
    remark << (is_call(access) ? "what is used in the call is fetched before the loop"
                               : "fetched before the loop")
           << line_of(loop);
    return remark;
  });
}

void Remarks::by_subscripts(const llvm::Instruction& access, const llvm::Loop& loop) {
  if (!is_news(access, "by subscripts" + line_of(loop))) return;
  emitter_.emit([&] {
    llvm::OptimizationRemark remark(kPass, "Inspected", &access);
    remark << "fetched by the values that lead there, before the loop" << line_of(loop);
    return remark;
  });
}

void Remarks::not_prefetched(const llvm::Instruction& access, llvm::StringRef why) {
  if (!is_news(access, "touched, " + why.str())) return;
  emitter_.emit([&] {
    return llvm::OptimizationRemarkMissed(kPass, "Touched", &access)
           << (is_call(access) ? "what is used in the call is fetched there: "
                               : "fetched when it is touched: ")
           << why;
  });
}

void Remarks::missed(const llvm::Instruction& writer, llvm::StringRef why) {
  if (!is_news(writer, "fetched, " + why.str())) return;
  emitter_.emit([&] {
    return llvm::OptimizationRemarkMissed(kPass, "Fetched", &writer)
           << "fetched before it is overwritten: " << why;
  });
}

}  // namespace weft::pass

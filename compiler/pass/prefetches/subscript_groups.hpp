// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that go by the same subscripts, to parts of the same element, or by subscripts side by
// side, as those of a loop that is unrolled: one call for all of them.
#pragma once

#include "compiler/pass/prefetches/shapes.hpp"

namespace weft::pass {

class SubscriptGroup {
 public:
  SubscriptGroup(llvm::Instruction& first, Shape shape, bool is_stored)
      : accesses({&first}), stores(is_stored), shape(std::move(shape)) {}

  // False if it goes elsewhere.
  bool take(llvm::Instruction& access, const Shape& other, bool is_stored,
            llvm::ScalarEvolution& evolution);

  llvm::SmallVector<llvm::Instruction*, 4> accesses;
  bool stores;
  Shape shape;  // of all accesses together

 private:
  bool take_part(const Shape& other, llvm::ScalarEvolution& evolution);
  bool take_neighbour(const Shape& other, llvm::ScalarEvolution& evolution);
};

}  // namespace weft::pass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that go the same way side by side, as a[i - 1], a[i] and a[i + 1], or the neighbours in
// a grid: one prefetch for all of them.
#pragma once

#include "compiler/pass/prefetches/shapes.hpp"

namespace weft::pass {

class Group {
 public:
  Group(llvm::Instruction& first, const Shape& shape)
      : access(&first), shape_(shape), reach_(shape.strides.size()) {}

  // Of no more loops. False if it goes another way.
  bool take(const Shape& shape, llvm::ScalarEvolution& evolution);

  // Of all accesses together.
  [[nodiscard]] Shape shape(llvm::ScalarEvolution& evolution) const;

  llvm::Instruction* access;  // the first

 private:
  struct Reach {
    std::int64_t from = 0, to = 0;
    void include(std::int64_t at) {
      from = std::min(from, at);
      to = std::max(to, at);
    }
  };

  Shape shape_;  // of the first access
  // How far from it the others are: in bytes, and in steps of each stride.
  Reach bytes_;
  llvm::SmallVector<Reach, 4> reach_;
};

}  // namespace weft::pass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that go the same way side by side, as a[i - 1], a[i] and a[i + 1], or the neighbours in
// a grid: one prefetch for all of them.
#pragma once

#include "compiler/pass/prefetches/shapes.hpp"

namespace weft::pass {

// From one access to another: steps of each stride, and bytes that are left.
struct Way {
  llvm::SmallVector<std::int64_t, 4> steps;
  std::int64_t bytes = 0;
};

class Group {
 public:
  // `is_stored`: all of its pages are stored to.
  Group(llvm::Instruction& first, const Shape& shape, bool is_stored)
      : accesses({&first}), stores(is_stored), shape_(shape), reach_(shape.strides.size()) {}

  // Of no more loops. False if it goes another way; or if it is only loaded, where this group does
  // not store to it.
  bool take(llvm::Instruction& access, const Shape& shape, bool is_stored,
            llvm::ScalarEvolution& evolution);

  // Of all accesses together.
  [[nodiscard]] Shape shape(llvm::ScalarEvolution& evolution) const;

  llvm::SmallVector<llvm::Instruction*, 4> accesses;
  bool stores;

 private:
  struct Reach {
    std::int64_t from = 0, to = 0;
    [[nodiscard]] bool has(std::int64_t at) const { return from <= at && at <= to; }
    void include(std::int64_t at) {
      from = std::min(from, at);
      to = std::max(to, at);
    }
  };

  [[nodiscard]] bool has(const Way& way) const;
  // Whether a row, so far from the first one, leaves no gap: copies of a loop that was unrolled
  // lie side by side.
  [[nodiscard]] bool touches(std::int64_t at) const;

  Shape shape_;  // of the first access
  // How far from it the others are: in bytes, and in steps of each stride.
  Reach bytes_;
  llvm::SmallVector<Reach, 4> reach_;
};

}  // namespace weft::pass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses whose addresses a loop loads: a[b[i]], the rows of a sparse matrix, pointers in an
// array. Such a shape becomes an indirection, behind the shape of the loads (struct
// weft_indirection).
//
//     for (i = 0; i < n; i++)
//       for (k = first[i]; k < first[i + 1]; k++) sum += x[column[k]];
//
//     x[column[k]]      an indirection of column[k]: base x, scale 8
//     while k runs      column + 4 * first[i], stride 4, first[i + 1] - first[i] times
//     while i runs      an indirection of first[i] before that one: base column, scale 4, and rows
//                       that end 4 bytes later; and first, stride 4, n times
//
// Guesses suffice, as for hints: an address or a length is taken to depend on a value in a straight
// line if it does so for some values.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <optional>

#include "compiler/pass/prefetches/shapes.hpp"

namespace weft::pass {

class Subscripts {
 public:
  Subscripts(llvm::ScalarEvolution& evolution, Hints& hints)
      : evolution_(evolution), hints_(hints) {}

  // Turns the shape, which the loop moves by a value that it loads, into one of these loads.
  // False if it is moved otherwise; then the shape stays as it is.
  bool follow(Shape& shape, const llvm::Loop& loop);

 private:
  // A value that the loop loads, from an address that it moves.
  struct Loaded {
    llvm::Value* value = nullptr;
    const llvm::SCEV* address = nullptr;  // as it is known before the loop
    llvm::Type* type = nullptr;
  };
  // How many elements a row has, for the values that count them.
  struct Count {
    const llvm::SCEV* factor;  // elements for kUnit of difference
    const llvm::SCEV* rest;    // elements more
    Loaded upper;
    std::optional<Loaded> lower;
  };

  std::optional<Loaded> loaded(llvm::Value& value, const llvm::Loop& loop);
  std::optional<llvm::SmallVector<Loaded, 2>> loaded_in(const llvm::SCEV* expression,
                                                        const llvm::Loop& loop);
  bool is_written_in(const Loaded& loaded, const llvm::Loop& loop);
  bool find_base(const llvm::SCEV* address, const Loaded& subscript, const llvm::Loop& loop,
                 Indirection& made);
  std::optional<Count> find_count(const llvm::SCEV* count, const llvm::Loop& loop);
  bool find_bytes(const Shape& shape, const Loaded& subscript, const llvm::Loop& loop,
                  Indirection& made);
  bool add_row(const Stride& row, const Loaded& subscript, const llvm::Loop& loop,
               Indirection& made);
  std::optional<const llvm::SCEV*> way(const Loaded& from, const Loaded& to,
                                       const llvm::Loop& loop);
  const llvm::SCEV* number(std::int64_t value);

  llvm::ScalarEvolution& evolution_;
  Hints& hints_;
};

}  // namespace weft::pass

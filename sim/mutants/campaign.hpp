// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges many mutants, on all processors.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/mutants/judge.hpp"

namespace weft::mutants {

// The verdict on each of the places, in their order. Prints now and then how far it has come.
[[nodiscard]] std::vector<Judged> judge_all(const Judge& judge, const std::vector<Place>& places,
                                            std::size_t jobs);

}  // namespace weft::mutants

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft run --spread auto` for programs that make their threads themselves: where all nodes are
// slower than one, the threads come together on node 0 (gathering_choice.hpp), and new ones begin
// there. Each thread measures itself, at its points (runtime/interface/move_points.hpp), and moves
// there.
//
//   a thread, node 1                 node 0                     node 2
//   account_for_time
//   └ lost a tenth ─── kLoses ─────► a round is over
//     ◄─────────────── kAsks ──────┴────── kAsks ─────────────►
//     ──────────────── kTells ─────► sums ◄────── kTells ──────
//                                    judge
//     ◄─────────────── kTogether ──┴────── kTogether ─────────►
//   at its next point: move_to(0)
#pragma once

#include "runtime/interface/node.hpp"

namespace weft::pthread {

// On every node, before the program runs, by its main thread.
void start_gathering(Node& node);

}  // namespace weft::pthread

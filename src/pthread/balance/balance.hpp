// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft run --balance`: the program's own threads go on at other nodes by themselves, as
// weft_migrate would move them (pthread/moving). A thread asks for itself, at a point
// (runtime/interface/move_points.hpp), and only if it holds no lock:
//
//   its last 64 page faults: 48 and more at one other node ─────► may I come for my data?
//   else, at some points: more threads with work than processors ► may I come for a processor?
//                                                                  (some other nodes, in turn)
// The node that is asked answers at once (admission.hpp), and the thread moves or stays.
//
// Rejected: a node that orders others about, as it would always be late, and the loads of all nodes
// would have to be told to it; and moving a thread where it faults, as a fault may come anywhere.
#pragma once

#include "runtime/interface/node.hpp"

namespace weft::pthread {

// On every node, before the program runs, by its main thread.
void start_balance(Node& node);

}  // namespace weft::pthread

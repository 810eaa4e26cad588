// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is to be done about signals holds on all nodes, as in one process: what the program says on
// one of them is passed on to the others (libc/signals/signals.cpp).
#pragma once

#include <csignal>

#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

// As it is passed on.
struct SharedAction {
  int number = 0;
  ByteView bytes;  // a struct sigaction
  WEFT_FIELDS(self.number, self.bytes)
};

// On each node, once, before the program runs.
void serve_actions(Node& node);

// Passes on what was set here, and waits until it is in force. A handler in a library of others
// stays here: it may be at another address elsewhere, or not at all.
void share_action(Node& node, int number, const struct sigaction& action);

}  // namespace weft

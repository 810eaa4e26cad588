// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on this node's registered memory that other nodes ask for by messages. They are done
// as they come, by whichever thread handles the message. An append to a FIFO that is full has to
// wait until the reader takes a message; its answer comes then.
#pragma once

#include <cstdint>

#include "runtime/interface/node.hpp"

namespace weft::remote {

// On each node, once, before the program runs.
void serve_operations(Node& node);
// The FIFO has room, or is closed: appends that wait are tried again.
void try_waiting_appends(std::uint32_t number);

}  // namespace weft::remote

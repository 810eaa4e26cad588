// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multicast to more than a few nodes goes by a tree: each node passes it on to four at most, and
// answers when these have. So the origin sends four messages and gets four answers.
//
// Operations of a thread on one node are done in order all the same. What leaves for a node behind
// a multicast that goes there by way of others waits until that is over. A multicast goes by the
// tree only if nothing that it might overtake is under way: to nodes that it reaches by way of
// others, and by other trees. Else it goes to each node by itself. Packets that are passed on wait
// for nothing of the node's own, or two multicasts could wait for each other.
#pragma once

#include <cstdint>
#include <span>

#include "api/remote/messages.hpp"
#include "api/remote/records.hpp"
#include "base/remote/remote_abi.hpp"

namespace weft::remote {

// As send_operation, of a put to all of these, by a thread of the program.
void send_multicast(std::span<const Target> targets, const Operation& operation, Record& record);

// --- under the node's lock ---

// Passes on what has come. `error`: of this node's own part. Answers when all is over.
void pass_on(NodeId from, const Request& request, ByteView data, int error);
// What was passed on of a packet goes.
void send_passed_on();

}  // namespace weft::remote

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on their way to nodes whose memory is not mapped here. Small ones are combined: the
// first goes at once, and those that come while it is under way go together when its answer is
// here, when there are enough of them, or when a thread waits. So nothing stays here for long, and
// no clock is needed (J. Nagle, RFC 896).
//
// Of messages, the program waits for what they bring about, not for their end (Operation::
// is_message). Answers to a packet of these alone wait at the target for the next packet that goes
// back. The operations behind it need not wait for them: their packet goes at once, and asks for
// all answers.
#pragma once

#include <cstddef>
#include <optional>

#include "api/remote/messages.hpp"
#include "api/remote/records.hpp"
#include "runtime/interface/node.hpp"

namespace weft::remote {

// --- for threads of the program, on their runtime stacks ---

// Of the calling thread; it counts as one operation until end_sending.
[[nodiscard]] Record& begin_record();
// Reads what the operation puts. `notice`: for that node, or null. Blocks while too much is under
// way to the node.
void send_operation(NodeId to, const Operation& operation, const Notice* notice, Record& record);
// `error`: of operations that were not sent. Without a request the record may be gone at once.
void end_sending(Record& record, int error, const std::optional<Notice>& notice, bool has_request);
// What waits to be combined goes now; `with_messages`: answers that may wait are asked for.
void hurry_operations(bool with_messages);
// Blocks until it is over; returns its error, and deletes it.
int wait_for_record(Record& record);
// weft_fence of the calling thread.
int wait_for_account(std::size_t at_most);

// Before the program runs.
void make_links(Node& node);

// --- under the node's lock ---

// What came of operations, and data behind it.
void take_answers(NodeId from, const Answered& answered, ByteView data);
// Begin or end to do what a packet from there asks for.
void note_answering(NodeId to, bool begins);
// What came of that node's, without data: until a packet goes there.
void hold_answers(NodeId to, Answered answered);
[[nodiscard]] Answered take_held_answers(NodeId to);

}  // namespace weft::remote

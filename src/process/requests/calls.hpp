// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job is one process to its program. What POSIX gives a process once (environment, working
// directory, sequence of random numbers ...) is kept in one of these ways; the table for users is
// docs/reference/process.md.
//
//   everywhere(request)   changes: node 0 does it, then has each other node do it, one change at a
//                         time; the caller waits for all. So whoever hears of the call, by whatever
//                         synchronisation, finds it done, and all nodes see changes in one order.
//   ask_node(k, request)  what one node has, or what is summed over nodes
//   a token (token.hpp)   what changes with each use
//
//   setter              node 0                     others
//   everywhere ───────► performs it ─────────────► perform it
//   ◄────────────────── all have answered ◄──────
//
// Requests are performed by threads that may block (runtime/services/delegation.hpp), so nodes that
// wait in a barrier or a lock answer all the same, and several may change at once. Asking is a
// release and the answer another: a request may name memory of the program. A performer may read
// it, but not write to it: its node may be at rest in a barrier.
//
// Rejected: sending changes along with the next barrier, region or lock. Each way by which threads
// synchronise (atomics, flags, pipes between them) would have to carry them; the calls are rare.
#pragma once

#include <cstdint>

#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft::process {

enum class Call : std::uint8_t {
  kEverywhere,  // of node 0: performs what is inside, and has the others do so
  kBegin,       // start.cpp
  kRun,         // a: a function of the program, b: its argument
  // environment.cpp
  kPutVariable,     // a: the string, b: whether in place of a present one
  kRemoveVariable,  // bytes: the name
  kClearVariables,
  // directory.cpp
  kChangeDirectory,   // bytes: the path
  kPathOfDescriptor,  // a; the path comes back
  kFileMask,          // a
  // locales.cpp
  kSetLocale,   // a: the category, bytes: the name
  kNewLocale,   // a: categories, b: the base, bytes: the name
  kCopyLocale,  // a
  kFreeLocale,  // a
  // logging.cpp
  kOpenLog,  // a: the name before messages, b: options, c: facility
  kCloseLog,
  kLogMask,     // a
  kTextDomain,  // bytes: the name
  kBindTextDomain,
  kTextCodeset,
  // identity.cpp
  kSetIds,      // a: which call, bytes: the ids
  kSetGroups,   // bytes: the ids
  kSetSession,  // of node 0
  kSetGroupOfProcesses,
  kGetGroupOfProcesses,  // a: a process of node 0's host; 0: node 0
  kGetSession,           // likewise
  kSetPriority,          // a: of the main thread
  kKernelCall,           // kernel_call.cpp: bytes: a system call
  // limits.cpp
  kSetLimit,  // a: which, bytes: an rlimit64
  kGetLimit,
  // prctl.cpp
  kControl,  // a: which, bytes: four numbers
  // timers.cpp, of node 0
  kAlarm,  // a
  kSetInterval,
  kGetInterval,
  kMakeTimer,
  kSetTimer,
  kGetTimer,
  kDeleteTimer,
  kTimerOverrun,
  // endings.cpp, of node 0
  kKeepEnding,  // a: the handler, b: its argument, c: of which kind
  kTakeEnding,  // a: whether of quick_exit
  kClaimEnd,    // a: the thread that calls exit
  // endings.cpp, of any
  kFlushStreams,
  kAddForkHandlers,  // fork_handlers.cpp; a, b, c: before, in the parent, in the child; or 0
  // usage.cpp
  kUsage,  // a: RUSAGE_SELF or RUSAGE_CHILDREN
  kClock,
  kHeapBytes,  // heap_numbers.cpp
  // children.cpp
  kWait,      // a: the process, b: options
  kWaitById,  // a: of which kind, b: which, c: options
  // output.cpp
  kRedirect,  // a: the descriptor, b: an original one or -1, c: the node that has done it, bytes: a
              // path
  kCloseStandard,  // closing.cpp; a: the descriptor, b: whether its stream, too
  // token.cpp
  kTakeToken,  // a: which; of node 0
  kGiveToken,  // a: which
  kCount,
};

struct Request {
  Call call = {};
  std::int64_t a = 0, b = 0, c = 0;
  ByteView bytes = {};
  WEFT_FIELDS(self.call, self.a, self.b, self.c, rest(self.bytes))
};

struct Answer {
  std::int64_t result = 0;
  int error = 0;  // an errno: the call has failed
  Bytes bytes = {};
  WEFT_FIELDS(self.result, self.error, rest(self.bytes))
};

using Performer = Answer (*)(const Request& request);
// Before the program runs.
void perform(Call call, Performer performer);

// The node whose program makes this call; null if there is no job of several, in the child of a
// fork, and for callers that are not the program's: Weft, libomp, the transport.
[[nodiscard]] Node* job_of_caller(const void* return_address);
#define WEFT_JOB_OF_CALLER() ::weft::process::job_of_caller(__builtin_return_address(0))

// False in the child of a vfork, which has its parent's memory, but is a process of its own.
[[nodiscard]] bool is_process_of_node();

// On any stack.
[[nodiscard]] Answer everywhere(Node& node, const Request& request);
[[nodiscard]] Answer ask_node(Node& node, NodeId whom, const Request& request);

// What a C function returns: the result; or -1, with errno set.
[[nodiscard]] std::int64_t result_of(const Answer& answer);
// The answer of a C function that has just returned this.
[[nodiscard]] Answer answer_of(std::int64_t result);

[[nodiscard]] inline ByteView bytes_of(const void* begin, std::size_t bytes) {
  return {static_cast<const std::byte*>(begin), bytes};
}
// With the end of the string.
[[nodiscard]] ByteView bytes_of_text(const char* text);
[[nodiscard]] inline const char* text_of(const Request& request) {
  return reinterpret_cast<const char*>(request.bytes.data());
}

// Serves the other nodes; once, on each node, before the program runs.
void serve_calls(Node& node);
// From here on the program runs, and its calls are the job's.
void begin_calls();

}  // namespace weft::process

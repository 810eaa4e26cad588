// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes tell each other about tasks. The first byte of a message is its kind. Those that pass
// on what the program has written travel as posts (kGive, kEnded, kFulfil), the others plainly.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "openmp/tasks/task.hpp"

namespace weft::openmp::tasks {

enum class MessageKind : std::uint8_t {
  kAsk,     // a thread of the sender has nothing to do
  kGive,    // here are tasks
  kEnded,   // tasks that the receiver gave have ended
  kFulfil,  // the event of a task of the receiver's is fulfilled
  kCancel,  // a task group is cancelled
  kUsed,    // there are tasks before the coming barrier: see quiet_phase.hpp
  kQuiet,
  kGo,
};

struct Ask {
  std::uint64_t interval = 0;
  std::uint32_t asker = 0;  // a slot of the sender's: a later ask takes the place of an earlier one
  Number descendants_of = 0;  // wanted are only these; 0: any
  bool operator==(const Ask&) const = default;
};

struct GivenTask {
  Number number = 0;
  std::uint32_t level = 0;
  std::vector<Number> ancestors;  // innermost first
  std::vector<GroupName> groups;  // innermost first
  bool cancelled = false;
  bool tied = true, is_final = false, has_destructors = false;
  std::int32_t priority = 0;
  std::uintptr_t block = 0, routine = 0;
  bool is_range = false;
  TaskloopShape shape;
  std::uint64_t first = 0, count = 0;
  // What a tool (OMPT) knows of it, if one watches.
  bool has_tool_data = false;
  std::uint64_t tool_data = 0;
  std::uint32_t tool_flags = 0, block_bytes = 0;
};

struct Give {
  std::uint64_t interval = 0;
  std::uint32_t asker = 0;
  std::vector<GivenTask> tasks;
};

// A thread's private copy of a reduction variable.
struct ReductionCopy {
  std::uint32_t item = 0;
  std::uintptr_t address = 0;
  bool operator==(const ReductionCopy&) const = default;
};
struct GroupCopies {
  Number group = 0;
  std::vector<ReductionCopy> copies;
};

struct Ended {
  Number number = 0;
  bool body = false;                // it, and its event if it has one here
  bool subtree = false;             // and all that descends from it
  std::vector<GroupCopies> copies;  // with `subtree`
};

// Of kFulfil, kCancel: a number. Of kUsed, kQuiet, kGo: an interval and a flag.
struct Notice {
  std::uint64_t number = 0;
  bool flag = false;
};

[[nodiscard]] Bytes encode(const Ask& ask);
[[nodiscard]] Bytes encode(const Give& give);
[[nodiscard]] Bytes encode(const Ended& ended);
[[nodiscard]] Bytes encode(MessageKind kind, const Notice& notice);

// Of a message without its first byte; nothing if it is malformed.
[[nodiscard]] std::optional<Ask> decode_ask(ByteView body);
[[nodiscard]] std::optional<Give> decode_give(ByteView body);
[[nodiscard]] std::optional<Ended> decode_ended(ByteView body);
[[nodiscard]] std::optional<Notice> decode_notice(ByteView body);

}  // namespace weft::openmp::tasks

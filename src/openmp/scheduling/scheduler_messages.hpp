// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes tell each other about tasks. The first byte of a message is its kind, then come the
// fields: to_bytes(kind, message). Those that pass on what the program has written travel as posts
// (kGive, kEnded, kFulfil), the others plainly.
#pragma once

#include <cstdint>
#include <vector>

#include "base/codec.hpp"
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
  std::uint64_t barrier = 0;  // the coming one, by its number
  std::uint32_t asker = 0;  // a slot of the sender's: a later ask takes the place of an earlier one
  Number descendants_of = 0;  // wanted are only these; 0: any
  WEFT_FIELDS(self.barrier, self.asker, self.descendants_of)
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

  template <typename Self, typename Wire>
  static void fields(Self& self, Wire& wire) {
    wire(self.number, self.level, self.ancestors, self.groups, self.cancelled, self.tied,
         self.is_final, self.has_destructors, self.priority, self.block, self.routine,
         self.is_range, self.has_tool_data);
    if (self.is_range) wire(self.shape, self.first, self.count);
    if (self.has_tool_data) wire(self.tool_data, self.tool_flags, self.block_bytes);
  }
};

struct Give {
  std::uint64_t barrier = 0;
  std::uint32_t asker = 0;
  std::vector<GivenTask> tasks;
  WEFT_FIELDS(self.barrier, self.asker, self.tasks)
};

// A thread's private copy of a reduction variable.
struct ReductionCopy {
  std::uint32_t item = 0;
  std::uintptr_t address = 0;
  WEFT_FIELDS(self.item, self.address)
  bool operator==(const ReductionCopy&) const = default;
};
struct GroupCopies {
  Number group = 0;
  std::vector<ReductionCopy> copies;
  WEFT_FIELDS(self.group, self.copies)
};

struct Ended {
  Number number = 0;
  bool body = false;                // it, and its event if it has one here
  bool subtree = false;             // and all that descends from it
  std::vector<GroupCopies> copies;  // with `subtree`
  WEFT_FIELDS(self.number, self.body, self.subtree, self.copies)
};

// Of kFulfil, kCancel: a number. Of kUsed, kQuiet, kGo: the number of a barrier, and a flag.
struct SchedulerNotice {
  std::uint64_t number = 0;
  bool flag = false;
  WEFT_FIELDS(self.number, self.flag)
};

}  // namespace weft::openmp::tasks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that bring writes to their homes, and those of eager releases (protocol/updates.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/effects.hpp"
#include "protocol/messages/message_type.hpp"
#include "protocol/messages/page_parts.hpp"
#include "protocol/messages/records.hpp"
#include "protocol/messages/wire.hpp"

namespace weft {

struct Update {
  UpdateSequence sequence;
  bool final = false;                 // the last of its writer for this epoch
  std::vector<StreamPosition> after;  // others' updates that come before it
  std::vector<AtomicRequest> merged;  // done before the diffs are applied
  std::vector<PageBytes> diffs;
  WEFT_MESSAGE(kUpdate, self.sequence, self.final, self.after, self.merged, self.diffs)
};

// A part of an update of many pages (protocol/epochs.md). The diffs end the message, one behind the
// other.
struct UpdatePart {
  UpdateSequence sequence;
  bool final = false;
  std::vector<StreamPosition> after;
  std::vector<AtomicRequest> merged;
  std::vector<DiffSize> sizes;
  LentBytes diffs;
  WEFT_MESSAGE(kUpdatePart, self.sequence, self.final, self.after, self.merged, self.sizes,
               self.diffs)
};
// With views into the message, which is refused if its sizes do not add up.
[[nodiscard]] Update whole_update(const UpdatePart& part);

// Several, in the order of the stream.
struct Updates {
  std::vector<Update> updates;
  WEFT_MESSAGE(kUpdates, self.updates)
};

// The sender needs, at this home, updates that the receiver has deferred.
struct UpdateDemand {
  NodeId home;
  WEFT_MESSAGE(kUpdateDemand, self.home)
};

// Eagerly: others' copies of these pages, homed at the receiver, are to be taken away.
struct Release {
  std::uint64_t number = 0;
  PageSet pages;
  std::vector<Update> updates;  // at most one: with diffs of them
  UpdateSequence last;          // of the sender's updates to the receiver: their diffs are in those
  WEFT_MESSAGE(kRelease, self.number, self.pages, self.updates, self.last)
};

// To whoever may have copies of these pages, and the answer.
struct Recall {
  std::uint64_t id = 0;
  PageSet pages;
  WEFT_MESSAGE(kRecall, self.id, self.pages)
};

struct Recalled {
  std::uint64_t id = 0;
  WEFT_MESSAGE(kRecalled, self.id)
};

// The answer to a Release.
struct Released {
  std::uint64_t number = 0;
  WEFT_MESSAGE(kReleased, self.number)
};

// What one interval changed in pages that locks protect, of one home.
struct CarriedUpdate {
  NodeId writer;
  IntervalNumber interval;
  NodeId home;
  UpdateSequence sequence;  // if complete, as is `after`: of the update to the home
  bool complete = false;    // the update has these diffs and nothing else
  std::vector<StreamPosition> after;
  std::vector<PageBytes> diffs;
  WEFT_FIELDS(self.writer, self.interval, self.home, self.sequence, self.complete, self.after,
              self.diffs)
};

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of locks, of the pages that they bring, and of rights to add under them.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/adding_targets.hpp"
#include "protocol/messages/message_type.hpp"
#include "protocol/messages/notices.hpp"
#include "protocol/messages/page_parts.hpp"
#include "protocol/messages/records.hpp"
#include "protocol/messages/update_messages.hpp"
#include "protocol/messages/wire.hpp"

namespace weft {

// To the manager. A try-acquire is answered by LockBusy where the lock is not free.
struct LockRequest {
  LockId lock;
  bool try_only = false;
  VectorClock clock;
  PageSet wanted;
  PageSet absent;  // those of them that the asker has not got
  // Of the adding section that it is for: a right to add will do. Empty: no other section.
  AddingTargets adding;
  WEFT_MESSAGE(kLockRequest, self.lock, self.try_only, self.clock, self.wanted, self.absent,
               self.adding)
};

// From the manager to the node that asked last. The clock means what it meant in `asker_epoch`.
struct LockForward {
  LockId lock;
  bool try_only = false;
  NodeId asker;
  Epoch asker_epoch;
  VectorClock clock;
  PageSet wanted, absent;
  AddingTargets adding;
  WEFT_MESSAGE(kLockForward, self.lock, self.try_only, self.asker, self.asker_epoch, self.clock,
               self.wanted, self.absent, self.adding)
};

// A right to add that comes with another one.
struct RightAhead {
  LockId lock;
  AddingTargets targets;
  WEFT_FIELDS(self.lock, self.targets)
};

struct LockGrant {
  LockId lock;
  std::vector<Record> records;
  std::vector<CarriedUpdate> carried;  // of those records, each after those that it follows
  std::vector<PageBytes> pages;        // as they are at the granter
  PageSet lent;                        // those of them that came to it in lent replies
  VectorClock clock;                   // with pages: what is in them
  bool returned = false;               // to the lock's home, which has not asked
  NodeId home;                         // of the lock, if it has one; may be new
  PageSet bound;                       // to the lock, if it has a home
  bool is_right = false;               // not the lock, but the right to add under it
  AddingTargets targets;               // of sections that add under it
  std::vector<RightAhead> ahead;       // with a right: those under locks that lie behind
  WEFT_MESSAGE(kLockGrant, self.lock, self.records, self.carried, self.pages, self.lent, self.clock,
               self.returned, self.home, self.bound, self.is_right, self.targets, self.ahead)
};

// From a lock's keeper to a node that has the right to add under it.
struct RightRecall {
  LockId lock;
  VectorClock clock;
  WEFT_MESSAGE(kRightRecall, self.lock, self.clock)
};

// And the answer: the sender adds no more, and this is what it has written. Also unasked, of locks
// under which it has not added for long.
struct RightReturn {
  std::vector<LockId> locks;
  std::vector<Record> records;
  WEFT_MESSAGE(kRightReturn, self.locks, self.records)
};

// A lock's home asks a page's directory whether the page may belong to its locks.
struct PageClaim {
  LockId lock;
  PageSet pages;
  WEFT_MESSAGE(kPageClaim, self.lock, self.pages)
};

struct PageClaimReply {
  LockId lock;
  PageSet granted;
  std::vector<Notice> refused;  // they belong to locks of these nodes
  WEFT_MESSAGE(kPageClaimReply, self.lock, self.granted, self.refused)
};

struct LockBusy {
  LockId lock;
  WEFT_MESSAGE(kLockBusy, self.lock)
};

// Tells the manager whether the try, or request of an adding section, that it forwarded moves the
// token to the asker.
struct LockTryResult {
  LockId lock;
  bool granted = false;
  NodeId asker;
  WEFT_MESSAGE(kLockTryResult, self.lock, self.granted, self.asker)
};

}  // namespace weft

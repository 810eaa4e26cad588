// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages between engines: one struct each, named as in docs/internals/protocol/messages.md.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/adding_targets.hpp"
#include "protocol/interface/effects.hpp"
#include "protocol/interface/home_facts.hpp"
#include "protocol/messages/link.hpp"
#include "protocol/messages/message_type.hpp"
#include "protocol/messages/notices.hpp"
#include "protocol/messages/page_parts.hpp"
#include "protocol/messages/records.hpp"
#include "protocol/messages/rhythm.hpp"
#include "protocol/messages/wire.hpp"

namespace weft {

// Declares a message's type and its fields.
#define WEFT_MESSAGE(type, ...)                           \
  static constexpr MessageType kType = MessageType::type; \
  WEFT_FIELDS(__VA_ARGS__)

// Pages of the sender's for the phase that begins with the next epoch, unasked.
struct Push {
  PhaseKey phase;
  std::vector<PageBytes> pages = {};
  PageSet ended = {};                       // not pushed in this phase any more
  std::vector<PagesInRhythm> rhythms = {};  // of pages that do not come at each beginning
  WEFT_MESSAGE(kPush, self.phase, self.pages, self.ended, self.rhythms)
};

// Pages of one home on their way along the barrier's tree, from one that gets them to the next.
struct SharedPush {
  NodeId home;
  std::vector<NodeId> consumers;
  Push push;
  WEFT_MESSAGE(kPush, self.home, self.consumers, self.push)
};

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

// `others` in these: the nodes on which threads outside the team run, ascending.
struct BarrierArrive {
  std::vector<Notice> notices;
  std::vector<NodeId> others;
  std::uint8_t votes = 0;
  std::uint64_t contribution_bytes = 0;
  ByteView contribution;        // all of it, or nothing if it travels in parts
  std::vector<Record> records;  // what the parent acquires with the contribution
  std::vector<SettledNotice> settled;
  std::vector<SharedPush> pushed;
  std::vector<Update> updates;  // at most one: the sender's final update, if it can be sent so soon
  std::vector<Link> links;      // of the sender's subtree, now and then
  std::vector<Notice> offers;   // "this node could be the home of these pages"
  PhaseKey next;                // from the root alone, to its only child
  PageSet whole;                // pages of which `updates` has all that the sender wrote
  PageSet replaced;             // other nodes' pages that somebody wrote most of
  WEFT_MESSAGE(kBarrierArrive, self.notices, self.others, self.votes, self.contribution_bytes,
               self.contribution, self.records, self.settled, self.pushed, self.updates, self.links,
               self.offers, self.next, self.whole, self.replaced)
};

// The next bytes of a long contribution; they may come before the arrival or after it.
struct BarrierPart {
  ByteView bytes;
  WEFT_MESSAGE(kBarrierPart, self.bytes)
};

struct BarrierDepart {
  PhaseKey next;
  std::vector<Notice> notices;
  std::vector<NodeId> others;
  std::uint8_t votes = 0;
  std::vector<SettledNotice> settled;
  Push pushed;                     // by the sender
  std::vector<SharedPush> shared;  // by others
  std::vector<Update> updates;     // as in BarrierArrive
  std::vector<NodeId> tree;  // from the next epoch on: the parents of nodes 1, 2, ...; or as before
  std::vector<Notice> moves;  // "this node is the home of these pages" from the next epoch on
  PageSet replaced;           // as in BarrierArrive
  WEFT_MESSAGE(kBarrierDepart, self.next, self.notices, self.others, self.votes, self.settled,
               self.pushed, self.shared, self.updates, self.tree, self.moves, self.replaced)
};

struct Publish {
  PhaseKey next;
  std::vector<Notice> notices;
  std::vector<NodeId> others;
  ByteView payload;
  Push pushed;
  std::vector<Update> updates;  // as in BarrierArrive
  WEFT_MESSAGE(kPublish, self.next, self.notices, self.others, self.payload, self.pushed,
               self.updates)
};

// Several messages in one, as if each had come by itself.
struct Together {
  std::vector<ByteView> messages;
  WEFT_MESSAGE(kTogether, self.messages)
};

// To node 0: it may hold a departure that the sender cannot wait for.
struct DepartureWish {
  WEFT_MESSAGE(kDepartureWish)
};

struct FetchRequest {
  std::uint32_t request = 0;
  PageSet pages;
  bool descending = false, reads = false;  // wants the highest first; reads contents at the home
  std::vector<StreamPosition> requirement;
  PhaseKey phase;                     // in which the asker is
  std::vector<PageVersion> versions;  // what the asker still has of some of these pages
  WEFT_MESSAGE(kFetchRequest, self.request, self.pages, self.descending, self.requirement,
               self.phase, self.versions, self.reads)
};

struct FetchReply {
  std::uint32_t request = 0;
  PhaseKey phase;  // in which these pages will be pushed from now on; 0: in none
  Rhythm rhythm;   // and how often
  std::vector<PageIndex> pages = {};
  std::vector<PageBlocks> parts = {};  // with write vectors, in place of pages
  bool lent = false;                   // contents are read later than the reply is made
  bool at_home = false;                // they are not here: the asker reads them at their home
  LentBytes contents = {};             // of all pages, one behind the other
  WEFT_MESSAGE(kFetchReply, self.request, self.phase, self.rhythm, self.pages, self.parts,
               self.lent, self.at_home, self.contents)
};

// The sender does not use these pages in this phase.
struct Unsubscribe {
  PhaseKey phase;
  PageSet pages;
  WEFT_MESSAGE(kUnsubscribe, self.phase, self.pages)
};

// To the directory of the pages in this leaf of the page table, and what it knows of all of them.
struct HomeAsk {
  PageIndex leaf;  // its first page
  WEFT_MESSAGE(kHomeAsk, self.leaf)
};

struct HomeReply {
  PageIndex leaf;
  std::vector<HomeRun> homes;
  WEFT_MESSAGE(kHomeReply, self.leaf, self.homes)
};

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
  WEFT_MESSAGE(kLockGrant, self.lock, self.records, self.carried, self.pages, self.lent, self.clock,
               self.returned, self.home, self.bound, self.is_right, self.targets)
};

// From a lock's keeper to a node that has the right to add under it.
struct RightRecall {
  LockId lock;
  VectorClock clock;
  WEFT_MESSAGE(kRightRecall, self.lock, self.clock)
};

// And the answer: the sender adds no more, and this is what it has written.
struct RightReturn {
  LockId lock;
  std::vector<Record> records;
  WEFT_MESSAGE(kRightReturn, self.lock, self.records)
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

struct Advance {
  SequencerId sequencer;
  std::uint64_t value = 0;
  std::vector<Record> records;
  WEFT_MESSAGE(kAdvance, self.sequencer, self.value, self.records)
};

struct Await {
  SequencerId sequencer;
  std::uint64_t value = 0;
  WaitId wait;
  VectorClock clock;
  WEFT_MESSAGE(kAwait, self.sequencer, self.value, self.wait, self.clock)
};

struct AwaitReply {
  WaitId wait;
  std::uint64_t count = 0;  // the records cover all that was released up to it
  std::vector<Record> records;
  WEFT_MESSAGE(kAwaitReply, self.wait, self.count, self.records)
};

struct Post {
  std::vector<Record> records;
  ByteView payload;
  WEFT_MESSAGE(kPost, self.records, self.payload)
};

// An explicit flush acquires.
struct FenceAsk {
  WaitId wait;
  bool insistent = false;  // also what was not flushed
  VectorClock clock;
  PageSet wanted;  // pages that are needed behind flags, as the sender has learnt lately
  WEFT_MESSAGE(kFenceAsk, self.wait, self.insistent, self.clock, self.wanted)
};

struct FenceReply {
  WaitId wait;
  std::vector<Record> records;
  std::vector<CarriedUpdate> carried;  // of those records, as in LockGrant
  WEFT_MESSAGE(kFenceReply, self.wait, self.records, self.carried)
};

struct AtomicAsk {
  WaitId wait;
  Ordering ordering = Ordering::kRelaxed;
  AtomicRequest request;
  std::vector<StreamPosition> requirement;
  std::vector<Record> records;         // with release order
  std::vector<CarriedUpdate> carried;  // of those records, as in LockGrant
  VectorClock clock;                   // with acquire order
  bool late = false;                   // the asker has arrived at a barrier: not in its notices
  bool patient = false;                // a load, not to be answered while the value is the operand
  bool flushes = false;                // the answer is to have all records of what was flushed
  bool current = false;                // the asker has seen nothing that is not in the records
  PageSet wanted;                      // as in FenceAsk
  WEFT_MESSAGE(kAtomicAsk, self.wait, self.ordering, self.request, self.requirement, self.records,
               self.carried, self.clock, self.late, self.patient, self.flushes, self.current,
               self.wanted)
};

struct AtomicReply {
  WaitId wait;
  AtomicResult result;
  std::vector<Record> records;
  std::vector<CarriedUpdate> carried;  // of those records, as in LockGrant
  bool current = false;                // they are all that can be told from the result
  PageSet wanted;                      // as in FenceAsk
  WEFT_MESSAGE(kAtomicReply, self.wait, self.result, self.records, self.carried, self.current,
               self.wanted)
};

// The page's home has moved; the asker knows where to once it is in this message's epoch.
struct AtomicRetry {
  WaitId wait;
  WEFT_MESSAGE(kAtomicRetry, self.wait)
};

// The sender's patient load is to be answered now, if it was not.
struct AtomicHurry {
  WaitId wait;
  WEFT_MESSAGE(kAtomicHurry, self.wait)
};

#undef WEFT_MESSAGE

}  // namespace weft

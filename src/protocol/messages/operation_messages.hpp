// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of sequencers, posts, flushes and atomic operations.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/effects.hpp"
#include "protocol/messages/message_type.hpp"
#include "protocol/messages/records.hpp"
#include "protocol/messages/update_messages.hpp"
#include "protocol/messages/wire.hpp"

namespace weft {

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

// A store that nobody waits for: an update of the sender's stream, and the records of what it
// releases.
struct AtomicStore {
  Update update;                       // the store alone
  std::vector<Record> records;         // with release order
  std::vector<CarriedUpdate> carried;  // of those records, as in LockGrant
  bool current = false;                // as in AtomicAsk
  PageSet wanted;                      // as in FenceAsk
  WEFT_MESSAGE(kAtomicStore, self.update, self.records, self.carried, self.current, self.wanted)
};

// The records that a word was stored behind, of its home: to a node that will load it there.
struct AtomicTold {
  std::uint64_t where = 0;  // of the word, a GlobalOffset; and its bytes
  std::uint8_t size = 0;
  std::vector<Record> records;
  std::vector<CarriedUpdate> carried;  // of those records, as in LockGrant
  PageSet wanted;                      // as in FenceAsk
  WEFT_MESSAGE(kAtomicTold, self.where, self.size, self.records, self.carried, self.wanted)
};

}  // namespace weft

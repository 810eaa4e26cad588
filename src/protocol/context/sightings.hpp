// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this node may have seen of others without their records (protocol/operations.md, 21: "Who
// need not ask"). A node is current if there is no such thing since it has asked all others last:
// then a flush can acquire nothing that this node has not got.
//
// All messages count but those that are known to show nothing, or to come with the records. So a
// new kind of message makes nodes ask, until somebody proves that they need not.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/ids.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/messages/message.hpp"

namespace weft {

class Sightings {
 public:
  // A message of this kind was handled.
  void note(MessageType type) {
    if (!shows_nothing(type)) note_seen();
  }
  // Contents or values of others have come without records; or others may not see yet what this
  // node's threads have seen done.
  void note_seen() { seen_ = true; }

  // An explicit flush begins. Soon after, atomic operations of this node come with records.
  void note_flush(Epoch epoch) { flushed_in_ = epoch; }
  [[nodiscard]] bool flushes_in(Epoch epoch) const {
    constexpr std::uint32_t kSoon = 16;  // epochs
    return flushed_in_ && epoch.value() - flushed_in_->value() < kSoon;
  }

  // All others are asked, and all have answered.
  void begin_asking() {
    seen_ = false;
    ++asking_;
  }
  void end_asking() { --asking_; }
  // A barrier has told all of all.
  void end_barrier() { seen_ = looked_ = unrecorded_look_ = false; }

  // A thread of this node has learnt something that shows in which order others did what they did,
  // and may have come without their records: the result of an atomic operation, or a record of a
  // node that has. (Contents of pages show nothing to a program without races.)
  void note_look() { looked_ = unrecorded_look_ = true; }
  [[nodiscard]] bool has_looked() const { return looked_ && !WEFT_BUG(kOverlookLooks); }
  // Since this was called last: the next record is to say so, though it has nothing else.
  [[nodiscard]] bool take_look() { return std::exchange(unrecorded_look_, false); }

  [[nodiscard]] bool is_current() const {
    return (!seen_ || WEFT_BUG(kOverlookSights)) && (asking_ == 0 || WEFT_BUG(kTrustQuestions));
  }

 private:
  // Requests, and what atomic operations and updates look at themselves. (Records bring no
  // contents; the answer to a flush, and a collection, have nothing else.)
  [[nodiscard]] static bool shows_nothing(MessageType type) {
    switch (type) {
      case MessageType::kUpdate:
      case MessageType::kUpdates:
      case MessageType::kUpdatePart:
      case MessageType::kUpdateDemand:
      case MessageType::kFetchRequest:
      case MessageType::kUnsubscribe:
      case MessageType::kHomeAsk:
      case MessageType::kHomeReply:
      case MessageType::kLockRequest:
      case MessageType::kLockForward:
      case MessageType::kRightRecall:
      case MessageType::kRightReturn:
      case MessageType::kFenceAsk:
      case MessageType::kFenceReply:
      case MessageType::kAtomicAsk:
      case MessageType::kAtomicReply:
      case MessageType::kAtomicRetry:
      case MessageType::kAtomicHurry:
      case MessageType::kAtomicStore:
      case MessageType::kAtomicTold:
      case MessageType::kCollectAsk:
      case MessageType::kCollectReply:
      case MessageType::kCollect:
        return true;
      default:
        return false;
    }
  }

  bool seen_ = false;
  bool looked_ = false, unrecorded_look_ = false;
  unsigned asking_ = 0;
  std::optional<Epoch> flushed_in_;
};

}  // namespace weft

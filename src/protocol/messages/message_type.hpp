// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of messages between engines, and which of them their receivers need not be woken for.
#pragma once

#include <cstdint>

namespace weft {

enum class MessageType : std::uint8_t {
  kBarrierArrive,
  kBarrierPart,
  kBarrierDepart,
  kPublish,
  kTogether,
  kDepartureWish,
  kUpdate,
  kUpdates,
  kUpdatePart,
  kUpdateDemand,
  kRelease,
  kRecall,
  kRecalled,
  kReleased,
  kFetchRequest,
  kFetchReply,
  kPush,
  kExchangeRound,
  kUnsubscribe,
  kHomeAsk,
  kHomeReply,
  kLockRequest,
  kLockForward,
  kLockGrant,
  kLockBusy,
  kLockTryResult,
  kRightRecall,
  kRightReturn,
  kPageClaim,
  kPageClaimReply,
  kAdvance,
  kAwait,
  kAwaitReply,
  kPost,
  kFenceAsk,
  kFenceReply,
  kAtomicAsk,
  kAtomicReply,
  kAtomicRetry,
  kAtomicHurry,
  kAtomicStore,
  kAtomicTold,
  kCollectAsk,
  kCollectReply,
  kCollect,
};
inline constexpr MessageType kLastMessageType = MessageType::kCollect;

[[nodiscard]] const char* message_name(MessageType type);

// Messages that nobody needs but who waits for them where they arrive, with all that they carry
// (Engine::awaits_others): their receiver need not be woken while it waits for nothing. Requests
// are not among them, as somebody else waits for the answer.
[[nodiscard]] constexpr bool may_wait(MessageType type) {
  switch (type) {
    case MessageType::kBarrierArrive:
    case MessageType::kBarrierDepart:
    case MessageType::kPublish:
    case MessageType::kTogether:  // the last two
    case MessageType::kUpdate:
    case MessageType::kUpdates:
    case MessageType::kUpdatePart:
    case MessageType::kAtomicStore:
    case MessageType::kAtomicTold:
      return true;
    default:
      return false;
  }
}

// Declares a message's type and its fields.
#define WEFT_MESSAGE(type, ...)                           \
  static constexpr MessageType kType = MessageType::type; \
  WEFT_FIELDS(__VA_ARGS__)

}  // namespace weft

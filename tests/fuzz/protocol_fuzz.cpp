// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages between engines, each by its type; a number above theirs stands for a part of what
// nodes bring to a barrier.
#include "fuzz/fuzzed.hpp"
#include "protocol/messages/message_codec.hpp"
#include "protocol/tree/contributions.hpp"

namespace {

using namespace weft;

template <typename Message>
void check_message(ByteView body) {
  Message message;
  WireReader wire(body);
  Message::fields(message, wire);
  if (!wire.finished()) return;
  const Bytes sent = encode(Epoch(7), message);
  WireReader again(sent);
  const MessageHeader header = read_header(again);
  WEFT_ASSERT(header.type == Message::kType && header.epoch == Epoch(7), "another header");
  WEFT_ASSERT(encode(Epoch(7), decode<Message>(again)) == sent,
              "a message changes when it is sent");
}

template <typename... Messages>
void check_by_type(MessageType type, ByteView body) {
  (void)((type == Messages::kType && (check_message<Messages>(body), true)) || ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteView bytes = fuzzed::input(data, size);
  const auto type = static_cast<MessageType>(fuzzed::choice(bytes));
  if (type > kLastMessageType) return fuzzed::check_value<PassedOn>(bytes), 0;
  check_by_type<Push, ExchangeRound, Update, Updates, UpdateDemand, Release, Recall, Recalled,
                Released, BarrierArrive, BarrierPart, BarrierDepart, Publish, Together,
                DepartureWish, FetchRequest, FetchReply, Unsubscribe, HomeAsk, HomeReply,
                LockRequest, LockForward, LockGrant, PageClaim, PageClaimReply, LockBusy,
                LockTryResult, RightRecall, RightReturn, Advance, Await, AwaitReply, Post, FenceAsk,
                FenceReply, AtomicAsk, AtomicReply, AtomicRetry, AtomicHurry, AtomicStore,
                AtomicTold, UpdatePart, CollectAsk, CollectReply, Collect>(type, bytes);
  return 0;
}

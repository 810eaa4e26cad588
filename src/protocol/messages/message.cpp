// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/messages/message.hpp"

#include <array>

#include "protocol/messages/message_codec.hpp"

namespace weft {

const char* message_name(MessageType type) {
  static constexpr std::array kNames = {
      "BarrierArrive", "BarrierPart", "BarrierDepart", "Publish",      "Together",
      "DepartureWish", "Update",      "Updates",       "UpdatePart",   "UpdateDemand",
      "Release",       "Recall",      "Recalled",      "Released",     "FetchRequest",
      "FetchReply",    "Push",        "ExchangeRound", "Unsubscribe",  "HomeAsk",
      "HomeReply",     "LockRequest", "LockForward",   "LockGrant",    "LockBusy",
      "LockTryResult", "RightRecall", "RightReturn",   "PageClaim",    "PageClaimReply",
      "Advance",       "Await",       "AwaitReply",    "Post",         "FenceAsk",
      "FenceReply",    "AtomicAsk",   "AtomicReply",   "AtomicRetry",  "AtomicHurry",
      "AtomicStore",   "AtomicTold",  "CollectAsk",    "CollectReply", "Collect",
  };
  const auto index = static_cast<std::size_t>(type);
  return index < kNames.size() ? kNames[index] : "unknown message";
}

namespace {

std::size_t size_of(const std::vector<PageBytes>& pages) {
  constexpr std::size_t kAround = 16;  // the numbers beside the bytes
  std::size_t size = kAround;
  for (const PageBytes& page : pages) size += page.bytes.size() + kAround;
  return size;
}

std::size_t size_of(const std::vector<SharedPush>& pushes) {
  std::size_t size = 0;
  for (const SharedPush& shared : pushes) size += size_of(shared.push.pages);
  return size;
}

std::size_t size_of(const std::vector<Update>& updates) {
  std::size_t size = 0;
  for (const Update& update : updates) size += size_of(update.diffs);
  return size;
}

}  // namespace

Update whole_update(const UpdatePart& part) {
  Update update{part.sequence, part.final, part.after, part.merged, {}};
  ByteView rest = part.diffs.bytes;
  for (const DiffSize& size : part.sizes) {
    if (size.bytes > rest.size()) break;
    update.diffs.push_back({size.page, rest.first(size.bytes)});
    rest = rest.subspan(size.bytes);
  }
  const bool adds_up = rest.empty() && update.diffs.size() == part.sizes.size();
  if (!adds_up) fail_unreadable(message_name(UpdatePart::kType), part.diffs.bytes.size());
  return update;
}

std::size_t size_hint(const BarrierArrive& arrival) {
  return 64 + arrival.contribution.size() + size_of(arrival.pushed) + size_of(arrival.updates);
}
std::size_t size_hint(const BarrierPart& part) { return 64 + part.bytes.size(); }
std::size_t size_hint(const BarrierDepart& departure) {
  return 64 + size_of(departure.pushed.pages) + size_of(departure.shared) +
         size_of(departure.updates);
}
std::size_t size_hint(const Publish& publication) {
  return 64 + publication.payload.size() + size_of(publication.pushed.pages) +
         size_of(publication.updates);
}
std::size_t size_hint(const Push& push) { return size_of(push.pages); }
std::size_t size_hint(const ExchangeRound& round) {
  constexpr std::size_t kAround = 16;  // the numbers beside the bytes
  std::size_t size = kAround;
  for (const Envelope& each : round.envelopes) {
    size += each.message.size() + 2 * each.to.size() + kAround;
  }
  return size;
}
std::size_t size_hint(const LockGrant& grant) {
  std::size_t size = size_of(grant.pages);
  for (const CarriedUpdate& update : grant.carried) size += size_of(update.diffs);
  return size;
}
std::size_t size_hint(const Update& update) { return size_of(update.diffs); }
std::size_t size_hint(const Updates& updates) { return size_of(updates.updates); }
std::size_t size_hint(const Release& release) { return 64 + size_of(release.updates); }

MessageHeader read_header(WireReader& wire) {
  const std::size_t bytes = wire.bytes().remaining();
  MessageHeader header;
  wire(header.type, header.epoch);
  if (!wire.bytes().good() || header.type > kLastMessageType) [[unlikely]] {
    fail_unreadable("the header of a message", bytes);
  }
  return header;
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/message.hpp"

#include <array>

namespace weft {

const char* message_name(MessageType type) {
  static constexpr std::array kNames = {
      "BarrierArrive", "BarrierPart",   "BarrierDepart", "Publish",        "Update",
      "Updates",       "UpdateDemand",  "Release",       "Recall",         "Recalled",
      "Released",      "FetchRequest",  "FetchReply",    "Push",           "Unsubscribe",
      "HomeAsk",       "HomeReply",     "LockRequest",   "LockForward",    "LockGrant",
      "LockBusy",      "LockTryResult", "PageClaim",     "PageClaimReply", "Advance",
      "Await",         "AwaitReply",    "Post",          "AtomicAsk",      "AtomicReply",
      "AtomicRetry",
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

}  // namespace

std::size_t size_hint(const BarrierArrive& arrival) { return 64 + arrival.contribution.size(); }
std::size_t size_hint(const BarrierPart& part) { return 64 + part.bytes.size(); }
std::size_t size_hint(const Push& push) { return size_of(push.pages); }
std::size_t size_hint(const LockGrant& grant) {
  std::size_t size = size_of(grant.pages);
  for (const CarriedUpdate& update : grant.carried) size += size_of(update.diffs);
  return size;
}
std::size_t size_hint(const Update& update) { return size_of(update.diffs); }
std::size_t size_hint(const Updates& updates) {
  std::size_t size = 0;
  for (const Update& update : updates.updates) size += size_hint(update);
  return size;
}

std::size_t size_hint(const Release& release) {
  std::size_t size = 64;
  for (const Update& update : release.updates) size += size_hint(update);
  return size;
}

MessageHeader read_header(WireReader& wire) {
  MessageHeader header;
  wire(header.type, header.epoch);
  return header;
}

}  // namespace weft

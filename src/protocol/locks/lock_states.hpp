// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock at one node (protocol/locks.md, 9): where its token is, and which request of this node's
// is under way. The two go together unless locks have homes (protocol/comparisons.md, 19): then the
// token may come back while a request is still on its way.
#pragma once

#include "base/state_table.hpp"

namespace weft {

enum class TokenState : std::uint8_t { kAway, kFree, kHeld, kEntrusted, kLending, kRecalling };
enum class TokenEvent : std::uint8_t {
  kCame,
  kTaken,
  kReleased,
  kGiven,
  kEntrust,
  kFoundFree,
  kFoundHeld,
  kLend,
  kRecall,
  kReturned
};

struct TokenStates {
  using State = TokenState;
  using Event = TokenEvent;
  using enum TokenState;
  using enum TokenEvent;

  static constexpr std::string_view kSubject = "token";
  static constexpr auto kStateNames = std::to_array<std::string_view>(
      {"away", "free", "held", "entrusted", "lending", "recalling"});
  static constexpr auto kEventNames =
      std::to_array<std::string_view>({"came", "taken", "released", "given", "entrust",
                                       "found-free", "found-held", "lend", "recall", "returned"});
  static constexpr StateRow<State, Event> kRows[] = {
      {kAway, kCame, kFree, "*LockGrant*; a thread that waits takes it at once."},
      {kFree, kTaken, kHeld,
       "A thread acquires or tries, or the next one that waits here gets it."},
      {kHeld, kReleased, kFree, "Its holder releases it."},
      {kFree, kGiven, kAway, "*LockGrant* to the next node."},
      {kFree, kEntrust, kEntrusted,
       "Released, and no other node waits for it: this node's threads pass it on (23)."},
      {kEntrusted, kFoundFree, kFree,
       "Called back, as somebody asks for it, and no thread holds it."},
      {kEntrusted, kFoundHeld, kHeld, "The same, and a thread holds it."},
      {kFree, kLend, kLending, "A node asks for a section that only adds: it gets the right (26)."},
      {kLending, kLend, kLending, "Another one does."},
      {kLending, kRecall, kRecalling, "Somebody wants the lock itself: *RightRecall* to all."},
      {kRecalling, kReturned, kFree, "The last *RightReturn*; who waits is served."},
      {kLending, kReturned, kFree, "The same, unasked: no node has used its right for long."},
  };
};

enum class RequestState : std::uint8_t { kNone, kAsked, kTrying, kBoth };
enum class RequestEvent : std::uint8_t { kAsk, kTry, kGranted, kBusy, kServedHere };

struct RequestStates {
  using State = RequestState;
  using Event = RequestEvent;
  using enum RequestState;
  using enum RequestEvent;

  static constexpr std::string_view kSubject = "request";
  static constexpr auto kStateNames =
      std::to_array<std::string_view>({"none", "asked", "trying", "both"});
  static constexpr auto kEventNames =
      std::to_array<std::string_view>({"ask", "try", "granted", "busy", "served-here"});
  static constexpr StateRow<State, Event> kRows[] = {
      {kNone, kAsk, kAsked, "A thread acquires, and the token is away: *LockRequest*."},
      {kNone, kTry, kTrying, "A thread tries, and the token is away: *LockTry*."},
      {kAsked, kTry, kBoth, "The same, with homes (19): those that asked had the token meanwhile."},
      {kAsked, kGranted, kNone, "*LockGrant*: for the first thread that waits."},
      {kTrying, kGranted, kNone, "*LockGrant*: for the thread that tried; other tries fail."},
      {kTrying, kBusy, kNone, "*LockBusy*, or the try came back here (19): it fails."},
      {kBoth, kBusy, kAsked, "The same."},
      {kAsked, kServedHere, kNone, "The request came back to the lock's home, which is here (19)."},
      {kBoth, kServedHere, kTrying, "The same."},
  };
};

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where each event leads a page at one node (protocol/pages.md, 1). Whether the program has access
// to it is another fact (Page::mapped).
#pragma once

#include "base/state_table.hpp"
#include "protocol/interface/page_state.hpp"

namespace weft {

enum class PageEvent : std::uint8_t {
  kStale,
  kEvicted,
  kFetched,
  kPushed,
  kCarried,
  kOverwritten,
  kGivenAway,
  kLost,
  kKept,
  kHomeShared,
  kHomeAlone,
  kTakenOver,
};

struct PageStates {
  using State = PageState;
  using Event = PageEvent;
  using enum PageState;
  using enum PageEvent;

  static constexpr std::string_view kSubject = "page";
  static constexpr auto kStateNames =
      std::to_array<std::string_view>({"pristine", "valid", "invalid", "shared", "exclusive"});
  static constexpr auto kEventNames = std::to_array<std::string_view>(
      {"stale", "evicted", "fetched", "pushed", "carried", "overwritten", "given-away", "lost",
       "kept", "home-shared", "home-alone", "taken-over"});
  static constexpr StateRow<State, Event> kRows[] = {
      {kPristine, kStale, kInvalid, "A record names another writer, or the copy is recalled (20)."},
      {kValid, kStale, kInvalid,
       "The same; or this node's merged atomic operations are not in it."},
      {kInvalid, kStale, kInvalid, "The same: what was asked for before may lack this write."},
      {kPristine, kEvicted, kInvalid, "Memory is short (12)."},
      {kValid, kEvicted, kInvalid, "Memory is short; or it was written at its second chance (12)."},
      {kInvalid, kFetched, kValid, "The home's reply (6)."},
      {kInvalid, kPushed, kValid, "The home sent it unasked (14)."},
      {kInvalid, kCarried, kValid, "It came with a lock (15)."},
      {kInvalid, kOverwritten, kValid, "A thread is about to store to each byte of it (25)."},
      {kExclusive, kGivenAway, kShared, "A reply, a push or a lock takes a copy to another node."},
      {kExclusive, kOverwritten, kShared,
       "A diff shows that another node has overwritten it (25)."},
      {kPristine, kLost, kInvalid, "A notice names other writers."},
      {kValid, kLost, kInvalid, "The same."},
      {kInvalid, kLost, kInvalid, "The same: what was asked for before may lack this write."},
      {kShared, kLost, kInvalid, "The home moves to another node (7)."},
      {kExclusive, kLost, kInvalid, "The same, to a node that has overwritten it (25)."},
      {kShared, kKept, kShared, "A notice names another node alone; it keeps its copy (7)."},
      {kExclusive, kKept, kShared, "The same, and that node has overwritten it (25)."},
      {kShared, kHomeShared, kShared, "As home-alone, but it is about to be given away (7, 14)."},
      {kPristine, kHomeAlone, kExclusive, "A notice; the home is here, and no other copy (7)."},
      {kValid, kHomeAlone, kExclusive, "The same."},
      {kShared, kHomeAlone, kExclusive, "The same."},
      {kValid, kTakenOver, kShared, "Nobody wrote it, and this node offered to be its home (7)."},
  };
};

}  // namespace weft

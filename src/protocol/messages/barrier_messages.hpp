// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of barriers and publications, along the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/messages/exchange_messages.hpp"
#include "protocol/messages/link.hpp"
#include "protocol/messages/message_type.hpp"
#include "protocol/messages/notices.hpp"
#include "protocol/messages/page_messages.hpp"
#include "protocol/messages/records.hpp"
#include "protocol/messages/update_messages.hpp"
#include "protocol/messages/wire.hpp"

namespace weft {

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
  std::vector<PhaseTraffic> traffic;  // of the sender's subtree, since the last barrier
  WEFT_MESSAGE(kBarrierArrive, self.notices, self.others, self.votes, self.contribution_bytes,
               self.contribution, self.records, self.settled, self.pushed, self.updates, self.links,
               self.offers, self.next, self.whole, self.replaced, self.traffic)
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
  std::vector<Notice> moves;    // "this node is the home of these pages" from the next epoch on
  PageSet replaced;             // as in BarrierArrive
  ExchangeKinds exchanges = 0;  // with which the epoch ends
  WEFT_MESSAGE(kBarrierDepart, self.next, self.notices, self.others, self.votes, self.settled,
               self.pushed, self.shared, self.updates, self.tree, self.moves, self.replaced,
               self.exchanges)
};

struct Publish {
  PhaseKey next;
  std::vector<Notice> notices;
  std::vector<NodeId> others;
  ByteView payload;
  Push pushed;
  std::vector<Update> updates;  // as in BarrierArrive
  ExchangeKinds exchanges = 0;  // as in BarrierDepart
  WEFT_MESSAGE(kPublish, self.next, self.notices, self.others, self.payload, self.pushed,
               self.updates, self.exchanges)
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

}  // namespace weft

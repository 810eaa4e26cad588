// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policies and sizes of one node's engine.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

// Consecutive pages whose home, until somebody has written them, is this node.
struct InitialHome {
  PageRange pages;
  NodeId home;
};

// Where a page's home goes at a barrier when one node alone wrote it (protocol/homes.md, 7).
enum class HomePolicy : std::uint8_t {
  kSettle,  // to the writer, unless home and writer take turns with little of it
  kFollow,  // to the writer
  kStay,    // nowhere, once it has gone to the first writer
};

// Whether homes send pages ahead to the nodes that asked for them when the program was where it is
// (protocol/pushing.md, 14).
enum class PushPolicy : std::uint8_t {
  kOff,
  kWait,  // a node is in the next epoch when it has what it is to get
  kJoin,  // a thread that touches a page which is on its way waits for that alone
};

// What comes with a lock (protocol/locks.md, 15).
enum class LockPolicy : std::uint8_t {
  kPlain,        // the records of who wrote what
  kWriteVector,  // the same; of a page that was here before, its home sends what has changed since
  // Locks have homes, to which they return with what was written in the pages that belong to them,
  // and which hand that on. A page that is needed with locks of several homes belongs
  kRmp,    // to the first
  kRmpLm,  // to the first, and the other locks move there
  kRmpMh,  // to all
  kWeft,   // Locks stay where they were used last, and what was written goes from there
};

[[nodiscard]] constexpr bool carries_data(LockPolicy policy) {
  return policy != LockPolicy::kPlain && policy != LockPolicy::kWriteVector;
}

[[nodiscard]] constexpr bool gives_locks_homes(LockPolicy policy) {
  return carries_data(policy) && policy != LockPolicy::kWeft;
}

// When others hear of what an interval wrote (protocol/comparisons.md, 20).
enum class ReleasePolicy : std::uint8_t {
  kLazy,   // when they acquire
  kEager,  // when it ends: their copies are taken away before the release is complete
};

// Whether atomic updates whose result nobody wants are kept until the next release
// (protocol/updates.md, 16).
enum class AtomicPolicy : std::uint8_t { kEach, kMerge };

// How a page is read whose home is a node of the same host (protocol/exposure.md).
enum class ReadPolicy : std::uint8_t {
  kAsked,     // as everywhere: by a message, which the home answers
  kOneSided,  // from the home's memory, where the home exposes it
};

struct EngineConfig {
  NodeId self;
  std::uint16_t node_count = 1;
  std::uint64_t page_count = 0;
  std::vector<InitialHome> initial_homes;  // covers all pages, ascending
  // Children of a node in the barrier's tree, where there are more than `shaped_nodes` nodes. With
  // so few the tree is one level at first, and follows who sends to whom (protocol/tree.md, 7).
  std::uint32_t barrier_arity = 4;
  std::uint16_t shaped_nodes = 8;
  // So many barriers go by from one choice of the tree to the next.
  std::uint32_t barriers_per_tree = 8;
  // What a node brings to a barrier travels in parts of so many bytes if it is longer.
  std::uint32_t contribution_part_bytes = 64 * 1024;
  // How often threads of this node may pass a lock on among themselves while another node waits.
  std::uint32_t lock_fairness = 16;
  // So many releases since another node asked for a lock, until this node's threads pass it on
  // among themselves (protocol/locks.md, 23).
  std::uint32_t entrust_proof = 4;
  // Locks begin at node 0; and there they begin entrusted.
  bool entrusts_at_first = true;
  // Largest number of pages that one walk of a thread through memory asks for at once.
  std::uint32_t read_ahead_limit = 256;
  // So many faults in an epoch for single pages of a leaf until the rest of it is asked for.
  std::uint32_t scattered_proof = 16;
  HomePolicy home_policy = HomePolicy::kSettle;
  PushPolicy push_policy = PushPolicy::kWait;
  LockPolicy lock_policy = LockPolicy::kWeft;
  AtomicPolicy atomic_policy = AtomicPolicy::kMerge;
  ReleasePolicy release_policy = ReleasePolicy::kLazy;  // eager: of locks that carry no data
  ReadPolicy read_policy = ReadPolicy::kOneSided;
  // What some forced kinds of pages add to that (page_policy.hpp).
  bool pushes_for_good = false;    // to all who ever asked: nobody looks whether it is of use
  bool pushes_everywhere = false;  // in all phases, not in that alone in which it was asked for
  bool carries_all = false;        // with locks: diffs of all pages, not of those learnt alone
  bool fetches_leaves = false;     // with a page, its neighbours in the leaf
  // Pages are pushed in a rhythm that so many equal distances between requests have shown.
  std::uint32_t rhythm_proof = 2;
  // How often in a row a phase's barrier must have been one that could have crossed until it
  // does.
  std::uint32_t crossing_proof = 2;
  // How often in a row nobody must have had anything to tell at a barrier until nodes meet there
  // without messages.
  std::uint32_t empty_barrier_proof = 2;
  // What nodes bring to a barrier may then be of so many bytes, Meeting::kMostBrought at most.
  std::uint32_t met_contribution_bytes = 256;
  // Not with eager releases, which end before a barrier begins.
  bool meets = true;
  [[nodiscard]] bool may_meet() const { return meets && release_policy == ReleasePolicy::kLazy; }
  // A page that is pushed again and again stays watched through so many epochs that write it in
  // between.
  std::uint32_t watched_writes = 2;
  // So many pages may be pushed in one of the barrier's own messages: as many as in a message of
  // their own. The transport cuts either into frames.
  std::uint32_t barrier_pages = 512;
  // The same in a departure that is held, to a node that reads contents where they are: of more it
  // is told by a message of its own, which costs less than to carry them.
  std::uint32_t carried_to_readers = 4;
  // Where more pages than these are named to all, a node takes long to turn them. So those below it
  // hear of the departure before, and what is pushed to them comes by messages of its own.
  std::uint32_t quick_turn_pages = 64;
  // So many pages that a loop asks for at once are pushed to such a node from then on. For more the
  // request is little beside the reading, and a push has to watch whether it is of use.
  std::uint32_t few_prefetched = 64;
  // A departure of more bytes does not wait for a publication.
  std::uint32_t held_departure_bytes = 16 * 1024;
  // Nor does one that names more pages: other nodes go through them meanwhile.
  std::uint32_t held_pages = 64;
  // What is known of pages is kept by 2^leaf_shift of them; and of so many runs of pages that this
  // node has nothing to do with.
  std::uint32_t leaf_shift = 6;
  std::uint32_t remembered_homes = 128;
  // A diff of so many bytes is of a page that its writer replaces; and so many of its next notices
  // say so, until it makes a diff again.
  std::uint32_t replaced_bytes = kPageBytes / 2;
  std::uint32_t replaced_notices = 16;
  // So many of the pages fetched last stay when memory is short: threads are about to use them.
  std::uint32_t kept_pages = 1024;

  // So many requests for pages of a leaf until its home exposes the leaf to the nodes of its host.
  std::uint32_t exposure_proof = 2;
  // Not where homes send parts of pages, count on having been asked, or take copies away.
  [[nodiscard]] bool may_expose() const {
    const bool is_simple = lock_policy == LockPolicy::kPlain || lock_policy == LockPolicy::kWeft;
    return read_policy == ReadPolicy::kOneSided && is_simple &&
           release_policy == ReleasePolicy::kLazy;
  }

  // Locks with homes go back to them, and eager releases end intervals: in this epoch or the next
  // one that the lock sees.
  [[nodiscard]] bool may_entrust() const {
    return !gives_locks_homes(lock_policy) && release_policy != ReleasePolicy::kEager;
  }
  // Diffs come with atomic operations and flushes, too (protocol/operations.md, 24).
  [[nodiscard]] bool flags_carry_data() const { return lock_policy == LockPolicy::kWeft; }
  // Whether rights to add are lent (protocol/locks.md, 26). Locks with homes, and eager releases,
  // hand on what is written as soon as a section ends.
  bool lends_rights = true;
  // A right that was used less often than that before it was taken back has cost more than it has
  // saved: its node asks for the lock itself for a while.
  std::uint32_t right_uses = 8;
  // Each time that so many epochs have gone by, nodes look for rights that they do not use any
  // more, and give them back. 0: never.
  std::uint32_t right_rest = 256;
  // With a right come those under so many locks that lie behind, in an array.
  std::uint32_t rights_ahead = 15;
  [[nodiscard]] bool may_lend() const {
    return lends_rights && may_entrust() && atomic_policy == AtomicPolicy::kMerge;
  }
  // With so many records of one epoch a node begins to collect them (protocol/collecting.md, 32);
  // the last node with nearly twice as many, so that they seldom begin together. 0: never.
  std::uint32_t collected_records = 4096;
  [[nodiscard]] std::uint64_t records_to_collect() const {
    const std::uint64_t first = collected_records;
    return first + first * self.value() / node_count;
  }
  // Where this node's locks are at first that nobody has named yet.
  [[nodiscard]] bool begins_entrusted() const {
    return entrusts_at_first && may_entrust() && self == NodeId(0);
  }

  // An epoch ends with an exchange if that had saved so many percent of its own messages when the
  // same phase began last (protocol/exchange.md, 31). A round takes as long as so many messages of
  // one node: over TCP it takes 13 us, and messages follow each other every 4.2. To send so many
  // bytes costs as much as a message: they take 3.3 us at 5 GB/s.
  std::uint32_t exchange_percent = 100;
  std::uint32_t exchange_round_messages = 4;
  std::uint32_t exchange_message_bytes = 16 * 1024;
  // Where the tree follows the data, most goes in the barrier's own messages.
  [[nodiscard]] bool may_exchange() const { return !shapes_tree(); }

  [[nodiscard]] bool shapes_tree() const { return node_count <= shaped_nodes; }
  // What nodes bring to a barrier is not made one on its way to node 0.
  [[nodiscard]] bool passes_contributions_on() const { return shapes_tree(); }
};

}  // namespace weft

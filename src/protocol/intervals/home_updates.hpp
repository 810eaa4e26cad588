// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes from this node to the homes of pages (protocol/intervals.md, 3, 15 and 16): diffs,
// atomic updates that were merged, and updates that were deferred; and what comes here of it from
// others.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "protocol/comparisons/write_vectors.hpp"
#include "protocol/context/context.hpp"
#include "protocol/homes/copy_holders.hpp"
#include "protocol/intervals/epoch_writes.hpp"
#include "protocol/intervals/invalidation.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/pages/shown_words.hpp"
#include "protocol/updates/deferred_updates.hpp"
#include "protocol/updates/diff_chunk.hpp"
#include "protocol/updates/merged_atomics.hpp"
#include "protocol/updates/pending_atomics.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

// A final update that travels in a message of the barrier.
struct FinalUpdate {
  std::vector<AtomicRequest> merged;
  std::vector<std::pair<PageIndex, Bytes>> diffs;
  UpdateSequence sequence;
  std::vector<StreamPosition> after;
  std::vector<KeptUpdate> earlier;  // those that were deferred
  // Pages of which this has all that the node wrote in this epoch, but for what it did at their
  // home: nothing was sent before.
  PageSet whole;

  [[nodiscard]] std::vector<Update> updates() const;  // into this; none if there is no sequence
};

class HomeUpdates {
 public:
  using Diffs = LateWrites::Diffs;
  using DiffsByHome = std::map<NodeId, Diffs>;

  HomeUpdates(Context& context, PageTable& table, PageAccess& access, UpdateStreams& streams,
              DeferredUpdates& deferred, MergedAtomics& merged, PendingAtomics& pending_atomics,
              WriteVectors& vectors, EpochWrites& writes, Invalidation& invalidation,
              CopyHolders& holders, ShownWords& shown)
      : context_(context),
        table_(table),
        access_(access),
        streams_(streams),
        deferred_(deferred),
        merged_(merged),
        pending_atomics_(pending_atomics),
        vectors_(vectors),
        writes_(writes),
        invalidation_(invalidation),
        holders_(holders),
        shown_(shown) {}

  // --- diffs ---
  [[nodiscard]] Bytes make_diff(PageIndex page);
  // Sends diffs to one home, in several updates if they are many. `notice`: see UpdateStreams.
  void send_diffs(NodeId home, const Diffs& diffs, bool final, bool notice);
  void send_all(const DiffsByHome& diffs);
  // The same as a final update that somebody else sends, which is sent next.
  [[nodiscard]] FinalUpdate make_final(NodeId home, Diffs diffs, bool notice);

  // --- more than a message of the barrier carries, in parts ---
  // What the page has; nothing if it has none.
  void append_diff(PageIndex page, DiffChunk& chunk);
  [[nodiscard]] bool is_full(const DiffChunk& chunk) const;
  // The chunk is empty then. `final`: nothing follows for this home in this epoch.
  void send_part(NodeId home, DiffChunk& chunk, bool final);

  // --- updates that wait: a lock carries what is in them ---
  [[nodiscard]] DeferredUpdates& deferred() { return deferred_; }

  // --- atomic updates that need not be done at once ---
  void merge(const AtomicRequest& update);
  void promise(const AtomicRequest& update);
  // Sends those that are kept.
  void send_merged();
  // An atomic store, as the next update of its stream, for the caller to send. Done on the copy
  // that is here.
  [[nodiscard]] Update take_store(NodeId home, const AtomicRequest& store);
  // What comes of this page may lack what this node has just done at its home.
  void forget_unmapped(PageIndex page) { invalidation_.forget_unmapped(page); }

  // --- at a home ---
  void on_update(NodeId from, Epoch epoch, const Update& update);

  // This home was sent something in this epoch that was not final; or is about to be.
  [[nodiscard]] bool has_updated(NodeId home) const { return updated_.contains(home); }
  void note_updated(NodeId home) { updated_.insert(home); }
  void end_epoch() {
    deferred_.end_epoch();
    updated_.clear();
  }

 private:
  void note_diff(PageIndex page, std::size_t bytes);
  // Whether this node's loads of shown words come behind it.
  [[nodiscard]] bool is_before_looks(const Update& update) const;
  void send_behind_deferred(NodeId home, const Update& update);
  void note_overwritten(PageIndex page, NodeId by);
  void apply_merged(NodeId from, Epoch epoch, const Update& update);
  void perform_merged(NodeId from, const AtomicRequest& request);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  UpdateStreams& streams_;
  DeferredUpdates& deferred_;
  MergedAtomics& merged_;
  PendingAtomics& pending_atomics_;
  WriteVectors& vectors_;
  EpochWrites& writes_;
  Invalidation& invalidation_;
  CopyHolders& holders_;
  ShownWords& shown_;
  std::set<NodeId> updated_;
};

}  // namespace weft

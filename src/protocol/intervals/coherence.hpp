// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Releases and acquires of one node: closing intervals, and applying those of others
// (protocol/intervals.md, 3 and 4). Locks, sequencers, atomics and barriers are built on this.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/comparisons/eager_releases.hpp"
#include "protocol/comparisons/recalls.hpp"
#include "protocol/context/context.hpp"
#include "protocol/intervals/copies.hpp"
#include "protocol/intervals/epoch_writes.hpp"
#include "protocol/intervals/home_updates.hpp"
#include "protocol/intervals/interval_log.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/updates/carried_diffs.hpp"
#include "protocol/updates/merged_atomics.hpp"
#include "protocol/updates/pending_atomics.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class Coherence {
 public:
  Coherence(Context& context, PageTable& table, PageAccess& access, UpdateStreams& streams,
            CarriedDiffs& carried, MergedAtomics& merged, PendingAtomics& pending_atomics,
            EpochWrites& writes, EagerReleases& releases, Recalls& recalls, HomeUpdates& updates,
            Copies& copies);

  // --- release ---
  // `with_lock`: a lock is handed over, and carries what may be deferred.
  void close_interval(bool with_lock = false);
  // The same, before a step that hands over to others what was written. True: the caller takes the
  // step now. False: it is kept until what was released is complete.
  [[nodiscard]] bool release_or_keep(const auto& step) {
    close_interval();
    return releases_.complete_or_keep(step);
  }
  // A release by an operation that stays on this node. The interval is closed when somebody else
  // first acquires from it.
  void note_local_release() { release_pending_ = true; }
  void close_if_released() {
    if (release_pending_) releases_.is_on() ? add_record({}, false) : close_interval();
  }

  // A flush that others see if they flush explicitly, and not before (fences.hpp). What is written
  // until somebody asks for it may go with it.
  void note_flush() { flushed_ = !WEFT_BUG(kForgetFlush); }
  // `anyhow`: whether there was one or not.
  void close_if_flushed(bool anyhow) {
    if (flushed_ || release_pending_ || anyhow) close_interval();
  }

  // Whether an atomic store that nobody waited for is done at its home since the home has moved.
  [[nodiscard]] bool is_over(const UnansweredStores::ToConfirm& store) const;

  // --- eager releases (eager_interval.cpp; protocol/comparisons.md, 20) ---
  // The same before a step on this node that others may see.
  [[nodiscard]] bool release_here_or_keep(const auto& step) {
    if (releases_.is_on()) {
      close_interval();
    } else {
      note_local_release();
    }
    return WEFT_BUG(kShowUnreleased) || releases_.complete_or_keep(step);
  }
  // A thread releases a lock, whoever gets it next; and it is handed to another node.
  void release_lock() {
    if (releases_.is_on()) close_interval();
  }
  void close_for_grant(bool with_lock) {
    releases_.is_on() ? close_if_released() : close_interval(with_lock);
  }
  // A publication has ended the epoch first. What was released is carried over, as all that is
  // written at a node which waits for one.
  void abandon_releases() {
    if (releases_.is_empty()) return;
    note_local_release();
    releases_.abandon();
  }
  // The records that a node with this clock of this epoch lacks.
  [[nodiscard]] std::vector<Record> records_for(Epoch asker_epoch, const VectorClock& clock);
  // The records that were not sent to this node yet, by control messages of this epoch.
  [[nodiscard]] std::vector<Record> unsent_records(NodeId to);
  [[nodiscard]] const VectorClock& clock() const { return log_.clock(); }
  // This node has the records of all that was flushed before anything that it has seen.
  [[nodiscard]] bool is_current() const {
    // Others may have done something here that this node was not told of, and its threads have
    // seen.
    if (context_.exposed.take_operated() && !WEFT_BUG(kOverlookOperations)) {
      context_.sightings.note_seen();
    }
    return context_.sightings.is_current() && !streams_.has_unvouched();
  }
  // Pages written in this epoch of which this node knows, and one with this clock does not.
  [[nodiscard]] PageSet pages_beyond(const VectorClock& clock) const;
  // In all records of this epoch.
  [[nodiscard]] const PageSet& written_pages() const { return log_.pages(); }

  // --- records that all nodes have heard (protocol/collecting.md, 32) ---
  [[nodiscard]] std::uint64_t records_kept() const { return log_.kept(); }
  void drop_records(const VectorClock& heard);

  // --- acquire ---
  // Applies records that were sent in `epoch`. Those of an earlier epoch are known already by the
  // notices that ended it, all but late ones.
  void apply(Epoch epoch, const std::vector<Record>& records);

  // --- what travels with locks (carried_acquire.cpp; protocol/locks.md, 15) ---
  // Pages that are needed with locks.
  void learn_carried(const PageSet& pages);
  [[nodiscard]] bool travels(PageIndex page) const { return carried_.travels(page); }
  // An atomic operation changed the page, which is homed here.
  void forget_home_twin(PageIndex page) { access_.forget_home_twin(page); }
  // The diffs that belong to these records, as far as they are here.
  [[nodiscard]] std::vector<CarriedUpdate> carried_with(const std::vector<Record>& records) const;
  // The same for an operation of that node's: updates that it is sent are not among them.
  [[nodiscard]] std::vector<CarriedUpdate> carried_with_operation(
      NodeId to, const std::vector<Record>& records) const;
  // The pages of those records that are not known here.
  [[nodiscard]] PageSet unknown_pages(const std::vector<Record>& records) const;
  // An acquire with diffs that came along: copies of which all came are brought up to date where
  // they are. First, as apply() for the records. Nothing is returned if the diffs are of no use.
  struct Acquired {
    VectorClock before;  // what this node knew
    PageSet patched;     // copies that are to be brought up to date
  };
  [[nodiscard]] std::optional<Acquired> acquire(Epoch epoch, const std::vector<Record>& records,
                                                const std::vector<CarriedUpdate>& carried);
  // Then, for each of them in turn: returns an update (a view) that is to be applied here next. In
  // the end, what is still missing is to be demanded (DeferredUpdates).
  [[nodiscard]] std::optional<Update> take_carried(const Acquired& acquired,
                                                   const CarriedUpdate& carried);

  // --- the end of the epoch (epoch_end.cpp) ---
  // Nothing was written in this epoch by this node's threads, all of which wait at a barrier.
  [[nodiscard]] bool has_written_nothing(PhaseKey phase);
  // What this node wrote in the epoch, by the writer that counts. Makes no diffs. `others_here`:
  // threads outside the team run on this node. `tells_heard`: with what other nodes have written,
  // as far as this one has heard of it.
  [[nodiscard]] std::vector<Notice> close_epoch(PhaseKey phase, bool others_here, bool tells_heard);
  // Of the pages in these notices: those of other nodes of which this one has written most.
  [[nodiscard]] const PageSet& replaced() const { return writes_.replaced; }
  // After that: what this node still has for that home, if all of it can be taken to be owed to it.
  [[nodiscard]] std::optional<std::vector<PageIndex>> owed_early(NodeId home) const;
  // What this node has acquired of this writer's in this epoch.
  [[nodiscard]] PageSet acquired_from(NodeId writer) const {
    return WEFT_BUG(kPushAcquired) ? PageSet() : log_.pages_of(writer);
  }
  // Of these, the pages homed here that others may have copies of.
  [[nodiscard]] PageSet shared_here(const PageSet& pages) const;
  // Those diffs, or nothing if not. They count as sent.
  [[nodiscard]] FinalUpdate take_early_final(NodeId home);
  // The home that has this node's final update of this epoch already; kNoNode: none.
  [[nodiscard]] NodeId early_home() const { return early_home_; }
  // `with_others`: such threads run on any node.
  void begin_epoch(bool after_publication, bool with_others);

 private:
  using Diffs = HomeUpdates::Diffs;
  using DiffsByHome = HomeUpdates::DiffsByHome;
  struct Carried {
    bool complete = false;
    KeptUpdate update;
  };
  using CarriedByHome = std::map<NodeId, Carried>;
  // What tracking shows when an interval ends.
  struct Changes {
    PageSet pages;
    DiffsByHome diffs;
    Diffs home_diffs;
  };

  [[nodiscard]] Changes take_changes();
  void add_record(const Changes& changes, bool with_lock);
  void release_eagerly(Changes changes);
  void send_release(NodeId home, PageSet pages);
  [[nodiscard]] Carried carried_part(const Diffs& diffs, const PageSet& sent_before) const;
  [[nodiscard]] bool sends_at_once(NodeId home, const Carried& part) const;
  [[nodiscard]] bool release_diffs(const DiffsByHome& diffs, const PageSet& sent_before,
                                   bool with_lock, CarriedByHome& carried);
  void apply_records(Epoch epoch, const std::vector<Record>& records, const PageSet& spared);
  [[nodiscard]] PageSet patchable(const PageSet& covered, const std::vector<Record>& news) const;
  void patch(const CarriedUpdate& update, const PageSet& patched);
  void take_home_twin(PageIndex page);
  void take_home_diff(PageIndex page, Diffs& diffs);
  void reset_home_twins(const PageSet& written);
  void apply_one(const Record& record);
  void pass_on(const Record& record, bool is_old);
  [[nodiscard]] bool is_owed_to_home(const Page& entry, PageIndex page) const;
  void share_asked();
  void decline_homes();
  void note_replaced();
  void report_passed_on(std::map<NodeId, PageSet>& by_writer) const;
  [[nodiscard]] PageSet heard_of_others() const;
  void count_notices(const std::vector<Record>& records);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  UpdateStreams& streams_;
  CarriedDiffs& carried_;
  MergedAtomics& merged_;
  PendingAtomics& pending_atomics_;
  EpochWrites& writes_;
  EagerReleases& releases_;
  Recalls& recalls_;
  HomeUpdates& updates_;
  Copies& copies_;
  IntervalLog log_;
  std::map<NodeId, VectorClock> sent_clocks_;  // what each was sent, or said that it knows
  bool release_pending_ = false;
  bool flushed_ = false;  // since changes were last taken
  NodeId early_home_ = kNoNode;
};

}  // namespace weft

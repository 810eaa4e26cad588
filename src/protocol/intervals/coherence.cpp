// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/coherence.hpp"

#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {
Coherence::Coherence(Context& context, PageTable& table, PageAccess& access, UpdateStreams& streams,
                     CarriedDiffs& carried, MergedAtomics& merged, PendingAtomics& pending_atomics,
                     EpochWrites& writes, EagerReleases& releases, Recalls& recalls,
                     HomeUpdates& updates, Copies& copies)
    : context_(context),
      table_(table),
      access_(access),
      streams_(streams),
      carried_(carried),
      merged_(merged),
      pending_atomics_(pending_atomics),
      writes_(writes),
      releases_(releases),
      recalls_(recalls),
      updates_(updates),
      copies_(copies) {}

void Coherence::close_interval(bool with_lock) {
  Changes changes = take_changes();
  if (releases_.is_on()) release_eagerly(std::exchange(changes, {}));
  add_record(changes, with_lock);
}

Coherence::Changes Coherence::take_changes() {
  Changes changes;
  flushed_ = false;
  PageSet written = std::exchange(writes_.collected, {});
  // After the arrival only threads outside the team write.
  if (!writes_.late.has_arrived() || writes_.late.others_here()) {
    written.insert(access_.collect_written());
  }
  for (const PageRange& range : written.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const Page& entry = table_.at(page);
      if (entry.is_home()) {
        changes.pages.insert(page);
        return take_home_diff(page, changes.home_diffs);
      }
      if (!entry.mapped) return;  // invalidated since this node arrived, and flushed then
      Bytes diff = updates_.make_diff(page);
      if (diff.empty()) return;
      changes.pages.insert(page);
      changes.diffs[entry.home].emplace_back(page, std::move(diff));
    });
  }
  return changes;
}

// These, and what was sent or done at homes since the last record.
void Coherence::add_record(const Changes& changes, bool with_lock) {
  release_pending_ = false;
  PageSet changed = std::exchange(writes_.interval.here, {});
  const PageSet sent_before = changed;
  changed.insert(changes.pages);
  CarriedByHome carried;
  const bool is_deferred = release_diffs(changes.diffs, sent_before, with_lock, carried);
  Carried here = carried_part(changes.home_diffs, sent_before);
  here.complete = false;  // there is no update
  if (!writes_.late.has_arrived() && !here.update.diffs.empty())
    carried.emplace(context_.config.self, std::move(here));
  updates_.send_merged();
  writes_.epoch.here.insert(changed);
  const PageSet at_home = std::exchange(writes_.interval.at_home, {});
  writes_.epoch.at_home.insert(at_home);
  changed.insert(at_home);
  std::vector<StreamPosition> updates = streams_.take_unnoticed();
  const bool looked = context_.sightings.take_look();
  if (changed.empty() && updates.empty() && !looked) return;
  IntervalNumber number = clock_at(log_.clock(), context_.config.self);
  const bool late = writes_.late.is_late();
  WEFT_PROBE_IF(writes_.late.has_arrived(), context_, kOpenInterval);
  if (late) writes_.late.note(changed);
  WEFT_PROBE_IF(late, context_, kLateRecord);
  log_.add({.writer = context_.config.self,
            .number = ++number,
            .late = late && !WEFT_BUG(kLateRecordUnmarked),
            .deferred = is_deferred,
            .current = is_current(),
            .looked = looked,
            .pages = std::move(changed),
            .updates = std::move(updates),
            .stores = context_.stores.take_unrecorded(
                [this](const UnansweredStores::ToConfirm& store) { return is_over(store); })});
  context_.exposed.note_known(context_.config.self, number);
  for (auto& [home, part] : carried) {
    carried_.add(context_.config.self, number, home, part.complete, std::move(part.update));
  }
  ++context_.counters.intervals_closed;
}

// Homes move when an epoch ends, and then it was done.
bool Coherence::is_over(const UnansweredStores::ToConfirm& store) const {
  const NodeId now = table_.home_of(store.load.where.page());
  const bool is_of_before = store.epoch != context_.epoch || context_.is_departing();
  return now != store.home && (now != kNoNode || is_of_before);
}

std::vector<Record> Coherence::records_for(Epoch asker_epoch, const VectorClock& clock) {
  std::vector<Record> records = log_.since(asker_epoch == context_.epoch ? clock : VectorClock());
  if (WEFT_BUG(kForgetOthersRecords)) {
    std::erase_if(records, [this](const Record& r) { return !context_.is_self(r.writer); });
  }
  count_notices(records);
  return records;
}

std::vector<Record> Coherence::unsent_records(NodeId to) {
  VectorClock& sent = sent_clocks_[to];
  std::vector<Record> records = log_.since(sent);
  merge_clock(sent, log_.clock());
  count_notices(records);
  return records;
}

PageSet Coherence::pages_beyond(const VectorClock& clock) const { return log_.pages_since(clock); }

void Coherence::drop_records(const VectorClock& heard) {
  EngineCounters& counters = context_.counters;
  counters.records_most = std::max(counters.records_most, log_.kept());
  counters.records_dropped += log_.drop(heard);
  carried_.drop(heard);
}

void Coherence::count_notices(const std::vector<Record>& records) {
  for (const Record& record : records) {
    context_.counters.notices_sent += record.pages.range_count();
  }
}

void Coherence::apply(Epoch epoch, const std::vector<Record>& records) {
  apply_records(epoch, records, {});
  updates_.deferred().demand(context_.config.self);
}

void Coherence::apply_records(Epoch epoch, const std::vector<Record>& records,
                              const PageSet& spared) {
  const bool is_old = epoch < context_.epoch;
  PageSet invalid;
  for (const Record& record : records) {
    if (is_old && writes_.late.was_noticed(epoch, record.late, context_.epoch)) continue;
    if (!is_old && !log_.add(record)) continue;
    if (!is_old) context_.exposed.note_known(record.writer, record.number);
    context_.stores.note_heard(context_.config.self, record.stores, epoch);
    apply_one(record);
    if (is_old || record.late) pass_on(record, is_old);
    invalid.insert(record.pages);
  }
  for (const PageRange& range : spared.ranges()) invalid.erase(range);
  copies_.invalidate(invalid);
}

// This node sees to it that others hear of these pages in later epochs, too: by the notices of this
// one, or of the next if it is too late for that. In its own epoch the record itself is passed on.
void Coherence::pass_on(const Record& record, bool is_old) {
  if (is_old) writes_.interval.at_home.insert(record.pages);
  if (writes_.late.has_arrived()) {
    writes_.late.note(record.pages);
  } else {
    writes_.epoch.at_home.insert(record.pages);
  }
}

void Coherence::apply_one(const Record& record) {
  if (record.looked && !WEFT_BUG(kForgetLooks)) context_.sightings.note_look();
  for (const StreamPosition& update : record.updates) {
    if (context_.is_self(update.node)) {
      streams_.need(record.writer, update.sequence);
      if (record.current || WEFT_BUG(kTrustAnyRecord)) {
        streams_.vouch(record.writer, update.sequence);
      }
    } else {
      streams_.require(update.node, record.writer, update.sequence);
    }
    if (record.deferred && !context_.is_self(record.writer))
      updates_.deferred().note(update.node, record.writer, update.sequence);
  }
}

}  // namespace weft

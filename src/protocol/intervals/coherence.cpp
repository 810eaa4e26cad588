// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/coherence.hpp"

#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// An update is sent once it holds this many bytes of diffs: the receiver's work is spread. With one
// diff more it is still one piece to the networks (see the fetcher's replies).
constexpr std::size_t kUpdateBytes = 28 * 1024;

// So many atomic updates are kept for one home at most.
constexpr std::size_t kMostMerged = 4096;

}  // namespace

Coherence::Coherence(Context& context, PageTable& table, PageAccess& access, UpdateStreams& streams,
                     MergedAtomics& merged, PendingAtomics& pending_atomics, WriteVectors& vectors,
                     EpochWrites& writes, EagerReleases& releases)
    : context_(context),
      table_(table),
      access_(access),
      streams_(streams),
      merged_(merged),
      pending_atomics_(pending_atomics),
      vectors_(vectors),
      writes_(writes),
      releases_(releases) {}

void Coherence::close_interval(bool with_lock) {
  Changes changes = take_changes();
  if (releases_.is_on()) release_eagerly(std::exchange(changes, {}));
  add_record(std::move(changes), with_lock);
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
      Bytes diff = make_diff(page);
      if (diff.empty()) return;
      changes.pages.insert(page);
      changes.diffs[entry.home].emplace_back(page, std::move(diff));
    });
  }
  return changes;
}

// These, and what was sent or done at homes since the last record.
void Coherence::add_record(Changes changes, bool with_lock) {
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
  send_merged();
  writes_.epoch.here.insert(changed);
  const PageSet at_home = std::exchange(writes_.interval.at_home, {});
  writes_.epoch.at_home.insert(at_home);
  changed.insert(at_home);
  std::vector<StreamPosition> updates = streams_.take_unnoticed();
  if (changed.empty() && updates.empty()) return;
  IntervalNumber number = clock_at(log_.clock(), context_.config.self);
  const bool late = writes_.late.is_late();
  WEFT_PROBE_IF(writes_.late.has_arrived(), context_, kOpenInterval);
  if (late) writes_.late.note(changed);
  WEFT_PROBE_IF(late, context_, kLateRecord);
  log_.add({context_.config.self, ++number, late && !WEFT_BUG(kLateRecordUnmarked), is_deferred,
            std::move(changed), std::move(updates)});
  for (auto& [home, part] : carried) {
    carried_.add(context_.config.self, number, home, part.complete, std::move(part.update));
  }
  ++context_.counters.intervals_closed;
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

PageSet Coherence::pages_beyond(const VectorClock& clock) const {
  PageSet pages;
  for (const Record& record : log_.since(clock)) pages.insert(record.pages);
  return pages;
}

void Coherence::count_notices(const std::vector<Record>& records) {
  for (const Record& record : records) {
    context_.counters.notices_sent += record.pages.range_count();
  }
}

void Coherence::apply(Epoch epoch, std::vector<Record> records) {
  apply_records(epoch, std::move(records), {});
  demand(context_.config.self);
}

void Coherence::apply_records(Epoch epoch, std::vector<Record> records, const PageSet& spared) {
  const bool is_old = epoch < context_.epoch;
  PageSet invalid;
  for (Record& record : records) {
    if (is_old && writes_.late.was_noticed(epoch, record.late, context_.epoch)) continue;
    if (!is_old && !log_.add(record)) continue;
    apply_one(record);
    if (is_old || record.late) pass_on(record, is_old);
    invalid.insert(record.pages);
  }
  for (const PageRange& range : spared.ranges()) invalid.erase(range);
  invalidate(invalid);
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
  for (const StreamPosition& update : record.updates) {
    if (context_.is_self(update.node)) {
      streams_.need(record.writer, update.sequence);
    } else {
      streams_.require(update.node, record.writer, update.sequence);
    }
    if (record.deferred && !context_.is_self(record.writer))
      deferred_.note(update.node, record.writer, update.sequence);
  }
}

void Coherence::mark_invalid(PageRange pages, PageRuns& mapped, std::vector<PageIndex>& wanted) {
  const auto invalidate_entry = [&](Page& entry, PageIndex page) {
    if (entry.is_home()) return;
    if (entry.mapped) mapped.add(page);
    if (entry.is_held_back()) access_.drop(PageRange{page, 1});
    if (WEFT_BUG(kPristineSurvivesNotice) && entry.state == PageState::kPristine && !entry.mapped) {
      return;
    }
    entry.state = PageState::kInvalid;
    entry.owed = false;
    if (WEFT_BUG(kAcceptOvertakenReply) || (WEFT_BUG(kRecallKeepsFetch) && releases_.is_on()))
      return;
    entry.request = 0;
    if (std::exchange(entry.wanted, false)) wanted.push_back(page);
  };
  table_.note_written(pages, invalidate_entry, [](const HomeFacts& facts) { return facts; });
}

// Another thread of this node may be writing other bytes of these pages at this moment: unmap,
// then diff, then drop, so that none is lost.
void Coherence::invalidate(const PageSet& pages) {
  PageRuns mapped;
  std::vector<PageIndex> wanted;
  for (const PageRange& range : pages.ranges()) mark_invalid(range, mapped, wanted);
  DiffsByHome diffs;
  const auto take_diffs = [&](PageRange range) {
    for_each_page(range, [&](PageIndex page) {
      Bytes diff = make_diff(page);
      if (diff.empty()) return;
      if (!WEFT_BUG(kFlushWithoutNotice)) writes_.note_here(page);
      diffs[table_.at(page).home].emplace_back(page, std::move(diff));
    });
  };
  for (const PageRange& range : mapped) {
    if (WEFT_BUG(kDiffBeforeUnmap)) take_diffs(range);
    access_.unmap(range);
    if (!WEFT_BUG(kDiffBeforeUnmap)) take_diffs(range);
    for_each_page(range, [&](PageIndex page) {
      // What is promised and not sent is done again before the page is mapped.
      const bool has_promises =
          !merged_.empty() && !merged_.of_page(table_.home_of(page), page).empty();
      if (!has_promises || WEFT_BUG(kKeepPromised)) vectors_.keep(page);
    });
    access_.drop(range);
    context_.counters.pages_invalidated += range.count;
  }
  send_all(diffs);
  if (!wanted.empty()) on_wanted_invalidated(wanted);
}

void Coherence::flush(PageIndex page) {
  const Page& entry = table_.at(page);
  if (!entry.mapped || entry.is_home() || WEFT_BUG(kAtomicWithoutFlush)) return;
  Bytes diff = make_diff(page);
  if (diff.empty()) return;
  writes_.note_here(page);
  const NodeId home = entry.home;
  send_diffs(home, {{page, std::move(diff)}}, false, true);
}

void Coherence::merge(const AtomicRequest& update) {
  const PageIndex page = update.where.page();
  const Page& entry = table_.at(page);
  ++context_.counters.atomics_merged;
  WEFT_PROBE(context_, kMergedAtomic);
  if (!entry.is_home()) {
    if (entry.mapped) context_.memory.merge(update);
    pending_atomics_.note_merged(update);
    return promise(update);
  }
  access_.forget_home_base(page);
  (void)context_.memory.perform(update);
  if (entry.state == PageState::kShared) writes_.note_here(page);
}

// Counts as written by this node, whose last update the home then waits for at the barrier, and at
// the home, since this node's copy lacks what others add and must not be taken for the home's.
void Coherence::promise(const AtomicRequest& update) {
  const PageIndex page = update.where.page();
  const NodeId home = table_.home_of(page);
  if (merged_.add(home, update)) {
    if (!WEFT_BUG(kMergeWithoutNotice)) writes_.interval.here.insert(page);
    writes_.interval.at_home.insert(page);
  }
  if (merged_.count(home) >= kMostMerged) send_diffs(home, {}, false, true);
}

void Coherence::send_merged() {
  for (const NodeId home : merged_.homes()) send_diffs(home, {}, false, true);
}

void Coherence::forget_copies_without(const PageSet& sent) {
  if (WEFT_BUG(kMergeKeepsFetch)) return;
  PageSet pages;
  for (const PageRange& range : sent.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (!table_.at(page).mapped) pages.insert(page);
    });
  }
  if (!pages.empty()) invalidate(pages);
}

void Coherence::discard(PageIndex page) {
  invalidate(PageSet{PageRange{page, 1}});
  // As its only writer this node would become its home, and it has no copy any more.
  if (writes_.has(page) && !WEFT_BUG(kDiscardAsOnlyWriter)) writes_.note_at_home(page);
}

Bytes Coherence::make_diff(PageIndex page) {
  Bytes diff = context_.memory.make_diff(page);
  if (!diff.empty()) {
    ++context_.counters.diffs_made;
    context_.counters.diff_bytes += diff.size();
    // Another thread may have written a mapped page since.
    const bool is_mapped = table_.at(page).mapped && !WEFT_BUG(kHoldBeforeDiff);
    pending_atomics_.note_diff(
        page, is_mapped ? context_.memory.base(page) : context_.memory.contents(page));
  }
  return diff;
}

void Coherence::send_all(const DiffsByHome& diffs) {
  for (const auto& [home, pages] : diffs) send_diffs(home, pages, false, true);
}

void Coherence::send_diffs(NodeId home, const Diffs& diffs, bool final, bool notice) {
  Update update;
  update.merged = merged_.take(home);
  const PageSet merged = pages_of(update.merged);
  std::size_t bytes = 0;
  const auto send = [&](bool last) {
    update.sequence = streams_.next_to(home, notice);
    update.final = final && last;
    updated_.insert(home);
    update.after = streams_.order_at(home);
    ++context_.counters.updates_sent;
    send_behind_deferred(home, update);
    update.merged.clear();
    update.diffs.clear();
    bytes = 0;
  };
  for (const auto& [page, diff] : diffs) {
    if (bytes >= kUpdateBytes) send(false);
    update.diffs.push_back({page, diff});
    bytes += diff.size();
  }
  if (final || !update.diffs.empty() || !update.merged.empty()) send(true);
  if (!merged.empty() && !context_.departing) forget_copies_without(merged);
}

void Coherence::send_behind_deferred(NodeId home, const Update& update) {
  const std::vector<KeptUpdate> deferred = deferred_.take(home);
  if (deferred.empty()) return context_.send(home, Priority::kData, update);
  Updates message;
  for (const KeptUpdate& earlier : deferred) message.updates.push_back(earlier.view());
  message.updates.push_back(update);
  context_.send(home, Priority::kData, message);
}

void Coherence::on_update(NodeId from, Epoch epoch, const Update& update) {
  streams_.count_applied(from, update.sequence);
  if (!WEFT_BUG(kMergeAfterDiffs)) apply_merged(from, epoch, update);
  for (const PageBytes& diff : update.diffs) {
    const Page& entry = table_.at(diff.page);
    // An older epoch's diff of a page that was single-written then: it came with the home's move.
    const bool late = !entry.is_home() || epoch < entry.home_since;
    WEFT_ASSERT(!late || epoch < context_.epoch || context_.departing,
                "node {} sent a diff of page {} to node {}, which is not its home", from.value(),
                diff.page.value(), context_.config.self.value());
    WEFT_PROBE_IF(late, context_, kLateUpdate);
    if (late && !WEFT_BUG(kApplyLateUpdate)) continue;
    vectors_.look(diff.page);
    // Others' bytes are no difference of this node's.
    if (access_.has_home_base(diff.page) && !WEFT_BUG(kOthersAsHomes)) {
      context_.memory.patch_diff(diff.page, diff.bytes);
    } else {
      context_.memory.apply_diff(diff.page, diff.bytes);
    }
    vectors_.look(diff.page);
    ++context_.counters.diffs_applied;
  }
  if (WEFT_BUG(kMergeAfterDiffs)) apply_merged(from, epoch, update);
}

void Coherence::apply_merged(NodeId from, Epoch epoch, const Update& update) {
  for (const AtomicRequest& request : update.merged) {
    const Page& entry = table_.at(request.where.page());
    WEFT_ASSERT(entry.is_home() && epoch >= entry.home_since,
                "node {} sent an atomic update of page {} to node {}, which is not its home",
                from.value(), request.where.page().value(), context_.config.self.value());
    vectors_.look(request.where.page());
    access_.forget_home_base(request.where.page());
    (void)context_.memory.perform(request);
    vectors_.look(request.where.page());
  }
}

}  // namespace weft

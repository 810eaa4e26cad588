// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/home_updates.hpp"

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

std::vector<Update> FinalUpdate::updates() const {
  std::vector<Update> all;
  if (sequence == UpdateSequence()) return all;
  for (const KeptUpdate& update : earlier) all.push_back(update.view());
  Update& last = all.emplace_back(
      Update{.sequence = sequence, .final = true, .after = after, .merged = merged, .diffs = {}});
  for (const auto& [page, diff] : diffs) last.diffs.push_back({page, diff});
  return all;
}

Bytes HomeUpdates::make_diff(PageIndex page) {
  Bytes diff = context_.memory.make_diff(page);
  if (!diff.empty()) note_diff(page, diff.size());
  return diff;
}

void HomeUpdates::note_diff(PageIndex page, std::size_t bytes) {
  ++context_.counters.diffs_made;
  context_.counters.diff_bytes += bytes;
  const EngineConfig& config = context_.config;
  const bool replaces = bytes >= config.replaced_bytes;
  table_.at(page).note_replaced(replaces ? config.replaced_notices : 0);
  // Another thread may have written a mapped page since.
  const bool is_mapped = table_.at(page).mapped && !WEFT_BUG(kHoldBeforeDiff);
  pending_atomics_.note_diff(
      page, is_mapped ? context_.memory.twin(page) : context_.memory.contents(page));
}

void HomeUpdates::append_diff(PageIndex page, DiffChunk& chunk) {
  if (chunk.sizes.empty()) {
    // Else the diffs would be copied as they grow.
    chunk.bytes.reserve(kUpdateBytes + 2 * kPageBytes);
    chunk.sizes.reserve(kUpdateBytes / kPageBytes + 1);
  }
  const std::size_t before = chunk.bytes.size();
  if (!context_.memory.append_diff(page, chunk.bytes)) return;
  const std::size_t bytes = chunk.bytes.size() - before;
  note_diff(page, bytes);
  chunk.sizes.push_back({page, static_cast<std::uint32_t>(bytes)});
}

bool HomeUpdates::is_full(const DiffChunk& chunk) const {
  return chunk.bytes.size() >= kUpdateBytes || chunk.sizes.size() > context_.config.barrier_pages;
}

void HomeUpdates::send_part(NodeId home, DiffChunk& chunk, bool final) {
  deferred_.send(home);
  UpdatePart part{.sequence = streams_.next_to(home, false),
                  .final = final,
                  .after = streams_.order_at(home),
                  .merged = merged_.take(home),
                  .sizes = std::exchange(chunk.sizes, {}),
                  .diffs = {}};
  updated_.insert(home);
  ++context_.counters.updates_sent;
  context_.send_tail(home, Priority::kData, part, std::exchange(chunk.bytes, {}));
}

void HomeUpdates::send_all(const DiffsByHome& diffs) {
  for (const auto& [home, pages] : diffs) send_diffs(home, pages, false, true);
}

void HomeUpdates::send_diffs(NodeId home, const Diffs& diffs, bool final, bool notice) {
  Update update;
  update.merged = merged_.take(home);
  const PageSet merged = pages_of(update.merged);
  std::size_t bytes = 0;
  const auto send = [&](bool last) {
    update.sequence = streams_.next_to(home, notice, is_before_looks(update));
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
  if (!merged.empty() && !context_.is_departing()) invalidation_.forget_unmapped(merged);
}

bool HomeUpdates::is_before_looks(const Update& update) const {
  return !update.merged.empty() || std::ranges::any_of(update.diffs, [this](const PageBytes& diff) {
    return streams_.is_looked_at(diff.page);
  });
}

void HomeUpdates::send_behind_deferred(NodeId home, const Update& update) {
  const std::vector<KeptUpdate> deferred = deferred_.take(home);
  if (deferred.empty()) return context_.send(home, Priority::kData, update);
  Updates message;
  for (const KeptUpdate& earlier : deferred) message.updates.push_back(earlier.view());
  message.updates.push_back(update);
  context_.send(home, Priority::kData, message);
}

FinalUpdate HomeUpdates::make_final(NodeId home, Diffs diffs, bool notice) {
  ++context_.counters.updates_sent;
  FinalUpdate final{.merged = merged_.take(home),
                    .diffs = std::move(diffs),
                    .sequence = streams_.next_to(home, notice),
                    .after = streams_.order_at(home),
                    .earlier = deferred_.take(home),
                    .whole = {}};
  if (!context_.is_departing()) invalidation_.forget_unmapped(pages_of(final.merged));
  return final;
}

void HomeUpdates::merge(const AtomicRequest& update) {
  const PageIndex page = update.where.page();
  const Page& entry = table_.at(page);
  ++context_.counters.atomics_merged;
  WEFT_PROBE(context_, kMergedAtomic);
  if (!entry.is_home()) {
    if (entry.mapped) context_.memory.merge(update);
    pending_atomics_.note_merged(update);
    if (!WEFT_BUG(kOverlookPromised)) context_.sightings.note_seen();
    return promise(update);
  }
  access_.forget_home_twin(page);
  shown_.note_operation(context_.config.self, update);
  (void)context_.memory.perform(update);
  if (entry.state == PageState::kShared) writes_.note_here(page);
}

// Counts as written by this node, whose last update the home then waits for at the barrier, and at
// the home, since this node's copy lacks what others add and must not be taken for the home's.
void HomeUpdates::promise(const AtomicRequest& update) {
  const PageIndex page = update.where.page();
  const NodeId home = table_.home_of(page);
  // Made without the page, and so without waiting for what others wrote there before.
  if (!WEFT_BUG(kPromiseUnordered)) streams_.note_bypass(home);
  if (merged_.add(home, update)) {
    if (!WEFT_BUG(kMergeWithoutNotice)) writes_.interval.here.insert(page);
    writes_.interval.at_home.insert(page);
  }
  if (merged_.count(home) >= kMostMerged) send_diffs(home, {}, false, true);
}

void HomeUpdates::send_merged() {
  for (const NodeId home : merged_.homes()) send_diffs(home, {}, false, true);
}

// As a promise that is kept at once (operations.md, 8, "Stores that nobody waits for").
Update HomeUpdates::take_store(NodeId home, const AtomicRequest& store) {
  const PageIndex page = store.where.page();
  deferred_.prepare_to_read(home);
  Update update{
      .sequence = streams_.next_to(home, !WEFT_BUG(kStoreUnnamed), !WEFT_BUG(kLookPastOwn)),
      .final = false,
      .after = {},
      .merged = {store},
      .diffs = {}};
  if (!WEFT_BUG(kStoreUnordered)) update.after = streams_.others_at(home);
  updated_.insert(home);
  if (table_.at(page).mapped && !WEFT_BUG(kStoreBesideCopy)) context_.memory.merge(store);
  pending_atomics_.note_merged(store);
  if (!WEFT_BUG(kStoreKeepsFetch)) forget_unmapped(page);
  if (!WEFT_BUG(kAtomicWithoutNotice)) {
    writes_.interval.here.insert(page);
    writes_.note_at_home(page);
  }
  return update;
}

void HomeUpdates::on_update(NodeId from, Epoch epoch, const Update& update) {
  streams_.count_applied(from, update.sequence);
  if (!WEFT_BUG(kMergeAfterDiffs)) apply_merged(from, epoch, update);
  for (const PageBytes& diff : update.diffs) {
    const Page& entry = table_.at(diff.page);
    // An older epoch's diff of a page that was single-written then: it came with the home's move.
    const bool late = !entry.is_home() || epoch < entry.home_since;
    WEFT_ASSERT(!late || epoch < context_.epoch || context_.is_departing(),
                "node {} sent a diff of page {} to node {}, which is not its home", from.value(),
                diff.page.value(), context_.config.self.value());
    WEFT_PROBE_IF(late, context_, kLateUpdate);
    if (late && !WEFT_BUG(kApplyLateUpdate)) continue;
    if (entry.state == PageState::kExclusive && epoch == context_.epoch &&
        !context_.is_departing()) {
      note_overwritten(diff.page, from);
    }
    vectors_.look(diff.page);
    // Others' bytes are no difference of this node's.
    if (access_.has_home_twin(diff.page) && !WEFT_BUG(kOthersAsHomes)) {
      context_.memory.patch_diff(diff.page, diff.bytes);
    } else {
      context_.memory.apply_diff(diff.page, diff.bytes);
    }
    vectors_.look(diff.page);
    ++context_.counters.diffs_applied;
  }
  if (WEFT_BUG(kMergeAfterDiffs)) apply_merged(from, epoch, update);
  context_.exposed.note_applied(from, update.sequence);
}

// The page was this node's alone, as far as it knew, and its writes were not watched. Any that come
// after the other's, in the program's order, come after this.
void HomeUpdates::note_overwritten(PageIndex page, NodeId by) {
  if (WEFT_BUG(kOverwriteUnwatched)) return;
  Page& entry = table_.at(page);
  table_.turn(entry, page, PageEvent::kOverwritten);
  if (entry.mapped) access_.start_tracking(PageRange{page, 1});
  holders_.note(page, by);
}

void HomeUpdates::apply_merged(NodeId from, Epoch epoch, const Update& update) {
  for (const AtomicRequest& request : update.merged) {
    const Page& entry = table_.at(request.where.page());
    WEFT_ASSERT(entry.is_home() && epoch >= entry.home_since,
                "node {} sent an atomic update of page {} to node {}, which is not its home",
                from.value(), request.where.page().value(), context_.config.self.value());
    perform_merged(from, request);
  }
}

void HomeUpdates::perform_merged(NodeId from, const AtomicRequest& request) {
  const PageIndex page = request.where.page();
  vectors_.look(page);
  access_.forget_home_twin(page);
  shown_.note_operation(from, request);
  (void)context_.memory.perform(request);
  vectors_.look(page);
  // Others may find a store here and go on, and tell of it before its thread's node does. Between
  // two epochs it is among the notices.
  const bool is_store = request.operation == AtomicOperation::kStore;
  const bool is_shared = table_.at(page).state == PageState::kShared;
  if (is_store && is_shared && !context_.is_departing() && !WEFT_BUG(kAtomicWithoutNotice)) {
    writes_.note_performed(page, /*may_be_late=*/false);
  }
}

}  // namespace weft

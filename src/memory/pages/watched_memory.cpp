// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/pages/watched_memory.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/peers/sender.hpp"
#include "memory/diffs/diff.hpp"
#include "memory/pages/atomic_perform.hpp"
#include "memory/twins/copy_page.hpp"

namespace weft {

Result<std::unique_ptr<WatchedMemory>> WatchedMemory::create(Region& region,
                                                             std::unique_ptr<PageWatcher> watcher,
                                                             MemoryOptions options) {
  auto table = AccessTable::create(region.page_count());
  if (!table.ok()) return Failure{table.error()};
  return std::unique_ptr<WatchedMemory>(
      new WatchedMemory(region, std::move(watcher), std::move(table.value()), std::move(options)));
}

WatchedMemory::WatchedMemory(Region& region, std::unique_ptr<PageWatcher> watcher,
                             AccessTable table, MemoryOptions options)
    : region_(region),
      watcher_(std::move(watcher)),
      table_(std::move(table)),
      options_(std::move(options)) {}

void WatchedMemory::require(const Status& status) const {
  if (status) return;
  if (options_.fail) options_.fail(status.error());
  WEFT_ASSERT(false, "{}", status.error());
}

Status WatchedMemory::attach(const SegmentSpec& spec) {
  const Result<Segment> segment = region_.attach(spec);
  if (!segment) return Failure{segment.error()};
  return watcher_->watch(segment.value());
}

Status WatchedMemory::open_stage(unsigned stage) {
  const Result<std::vector<Segment>> opened = region_.open_stage(stage);
  if (!opened) return Failure{opened.error()};
  for (const Segment& segment : opened.value()) {
    if (const Status status = watcher_->watch(segment); !status) return status;
  }
  return {};
}

// --- faults ---

bool WatchedMemory::on_fault(PageIndex page, bool is_write) {
  const AccessWord word = table_[page];
  if (word.access() == Access::kAbsent) return false;
  const bool tracked = word.access() == Access::kTracked;
  if (is_write && open_sealed({page, 1})) return true;
  // If it is not even mapped, the thread is back at once, and served below.
  if (is_write && allow_write(page)) return true;
  ++counters_.refaults;
  search_need_.forget();
  // A page that the kernel reclaimed may have been written before.
  if (tracked && !traps()) {
    PageSet found;
    require(watcher_->collect_written({page, 1}, found));
    note_written(found);
    written_.insert(found);
  }
  require(watcher_->refault(page, tracked && !written_.contains(page)));
  return true;
}

bool WatchedMemory::is_ready(PageIndex page, bool is_write) {
  if (table_[page].access() == Access::kAbsent) return false;
  if (is_write && !open_sealed({page, 1})) allow_write(page);
  return true;
}

// Where writes trap: the first one to a tracked page is noted, and may go on. False: no such page.
bool WatchedMemory::allow_write(PageIndex page) {
  if (!traps() || table_[page].access() != Access::kTracked || written_.contains(page))
    return false;
  ++counters_.write_faults;
  hold_same_twin(page);
  written_.insert(page);
  require(watcher_->stop_tracking({page, 1}));
  return true;
}

// --- access ---

void WatchedMemory::set_access(PageRange pages, Access access) {
  if (!open_.empty()) open_.erase(pages);
  for (PageIndex page = pages.first; page < pages.end(); ++page) {
    AccessWord& word = table_[page];
    counters_.tracked_pages -= word.access() == Access::kTracked ? 1 : 0;
    counters_.untracked_pages -= word.access() == Access::kUntracked ? 1 : 0;
    word.set_access(access);
  }
  if (access == Access::kTracked) counters_.tracked_pages += pages.count;
  if (access == Access::kUntracked) counters_.untracked_pages += pages.count;
}

void WatchedMemory::map_tracked(PageRange pages, Twin twin) {
  if (expected_.empty()) return map_watched(pages, twin);
  const auto [to_open, others] = take_expected(pages);
  for (const PageRange& range : others) map_watched(range, twin);
  for (const PageRange& range : to_open) map_expected(range, twin);
}

void WatchedMemory::map_watched(PageRange pages, Twin twin) {
  const bool sealed = twin == Twin::kPresent && seal(pages);
  make_room(twin == Twin::kPresent && !traps() && !sealed ? 2 * pages.count : pages.count);
  dropped_.erase(pages);
  written_.erase(pages);
  // Before the program can write: what the twin is copied from must be what it started with.
  set_twins(pages, twin, sealed);
  counters_.pages_replaced += pages.count;
  for (const PageRange& missing : lingering_.outside(pages)) {
    counters_.pages_replaced -= missing.count;
    require(watcher_->map_tracked(missing));
  }
  lingering_.erase(pages);
  set_access(pages, Access::kTracked);
}

bool WatchedMemory::is_untracked(PageRange pages) const {
  bool are_all = true;
  table_.for_each_run(
      pages, [&](PageRange, Access access) { are_all = are_all && access == Access::kUntracked; });
  return are_all;
}

void WatchedMemory::map_untracked(PageRange pages) {
  make_room(pages.count);
  dropped_.erase(pages);
  unmap_lingering(pages);
  open_sealed(pages);
  std::vector<PageRange> closed;
  table_.for_each_run(pages, [&](PageRange run, Access access) {
    if (access == Access::kAbsent) require(watcher_->map_untracked(run));
    if (access != Access::kTracked) return;
    require(watcher_->stop_tracking(run));
    if (watcher_->traits().opens_by_fault)
      std::ranges::copy(open_.outside(run), std::back_inserter(closed));
  });
  written_.erase(pages);
  set_twins(pages, Twin::kNone);
  set_access(pages, Access::kUntracked);
  for (const PageRange& range : closed) {
    for (PageIndex page = range.first; page < range.end(); ++page) table_[page].set_closed();
  }
}

// A page without a twin that is written anyhow stays as it is.
void WatchedMemory::start_tracking(PageRange pages, Twin twin) {
  if (expected_.empty() || twin != Twin::kNone) return protect(pages, twin);
  const auto [open, others] = take_expected(pages);
  for (const PageRange& range : others) protect(range, twin);
  for (const PageRange& range : open) note_open(range);
}

void WatchedMemory::protect(PageRange pages, Twin twin) {
  // Protected first: a write that the copied twin misses is then noticed.
  require(watcher_->start_tracking(pages));
  written_.erase(pages);
  set_twins(pages, twin);
  set_access(pages, Access::kTracked);
}

void WatchedMemory::unmap(PageRange pages) {
  ++unmap_calls_;
  ++access_losses_;
  table_.for_each_run(pages, [&](PageRange run, Access access) {
    if (access == Access::kAbsent) return;
    if (paused_ && access == Access::kTracked) return lingering_.insert(run);
    PageSet written;
    require(watcher_->unmap(run, written));
    if (access != Access::kTracked) return;
    note_written(written);
    written_.insert(written);
  });
  set_access(pages, Access::kAbsent);
}

void WatchedMemory::unmap_lingering(PageRange pages) {
  const std::vector<PageRange> ranges = lingering_.intersection(pages);
  lingering_.erase(pages);
  PageSet none;  // what was written was collected before the pause
  for (const PageRange& range : ranges) require(watcher_->unmap(range, none));
}

void WatchedMemory::end_pause() {
  paused_ = false;
  for (const PageRange& range : lingering_.ranges()) unmap_lingering(range);
  for (const PageRange& range : to_seal_.ranges()) seal_own_twins(range);
  to_seal_.clear();
}

void WatchedMemory::drop(PageRange pages) {
  for (PageIndex page = pages.first; page < pages.end(); ++page) {
    WEFT_ASSERT(table_[page].access() == Access::kAbsent, "page {} is mapped", page.value());
    release_twin(page);
  }
  written_.erase(pages);
  dropped_.insert(pages);
}

// --- contents ---

ByteView WatchedMemory::contents(PageIndex page) const {
  return {region_.page_pointer(page), kPageBytes};
}

// A page that is its own twin cannot change before its first write has trapped.
ByteView WatchedMemory::twin(PageIndex page) const {
  const AccessWord word = table_[page];
  WEFT_ASSERT(word.twin() != TwinKind::kNone, "page {} has no twin", page.value());
  const bool is_page = word.twin() == TwinKind::kSame || word.twin() == TwinKind::kUnlike;
  return is_page ? contents(page) : ByteView{twin_of(page), kPageBytes};
}

void WatchedMemory::install(PageIndex page, ByteView contents) {
  require_in_region(page);
  if (contents.size() != kPageBytes) fail_unreadable("the contents of a page", contents.size());
  copy_page(room({page, 1}).data(), contents.data());
}

std::span<std::byte> WatchedMemory::room(PageRange absent) {
  table_.for_each_run(absent, [](PageRange run, Access access) {
    WEFT_ASSERT(access == Access::kAbsent, "page {} is mapped", run.first.value());
  });
  make_room(absent.count);
  dropped_.erase(absent);
  return {region_.page_pointer(absent.first), absent.count * kPageBytes};
}

Bytes WatchedMemory::make_diff(PageIndex page) {
  Bytes diff;
  (void)append_diff(page, diff);
  return diff;
}

bool WatchedMemory::append_diff(PageIndex page, Bytes& out) {
  const AccessWord word = table_[page];
  WEFT_ASSERT(word.twin() != TwinKind::kNone, "page {} has no twin", page.value());
  if (word.twin() == TwinKind::kSame) return false;
  if (word.access() == Access::kAbsent && !traps()) return append_diff_of_absent(page, out);
  alignas(64) std::byte snapshot[kPageBytes];
  const std::byte* contents = region_.page_pointer(page);
  if (!paused_) contents = static_cast<std::byte*>(std::memcpy(snapshot, contents, kPageBytes));
  const bool has_twin = word.twin() == TwinKind::kHeld || word.twin() == TwinKind::kUnlike;
  const bool differs = append_difference(page, contents, out);
  const bool may_be_written = word.access() != Access::kAbsent && written_.contains(page);
  if (has_twin && traps() && !may_be_written) {
    release_twin(page);  // the page cannot change without a trap: it is its own twin
    table_[page].set_twin(TwinKind::kSame);
  } else if (may_seal_later(page)) {
    table_[page].set_twin(TwinKind::kSame);
    to_seal_.insert(page);
  } else if (differs) {
    hold_twin(page, contents);
  }
  table_[page].set_may_differ(false);  // a later write is noticed
  if (word.access() == Access::kAbsent) written_.erase(page);
  return differs;
}

// Nobody can write the page: it needs no snapshot, and where nobody has written it, no look at it.
bool WatchedMemory::append_diff_of_absent(PageIndex page, Bytes& out) {
  if (!table_[page].may_differ()) return false;
  table_[page].set_may_differ(false);
  written_.erase(page);
  const bool is_unlike = table_[page].twin() == TwinKind::kUnlike;
  const bool differs = append_difference(page, region_.page_pointer(page), out);
  if (is_unlike) table_[page].set_twin(TwinKind::kSame);  // as nobody writes it
  return differs;
}

bool WatchedMemory::append_difference(PageIndex page, const std::byte* contents, Bytes& out) {
  if (table_[page].twin() == TwinKind::kUnlike) {
    append_whole(contents, out);
    return true;
  }
  ++counters_.pages_compared;
  return weft::append_diff(twin_of(page), contents, out);
}

void WatchedMemory::note_written(const PageSet& pages) {
  for (const PageRange& range : pages.ranges()) {
    for (PageIndex page = range.first; page < range.end(); ++page) {
      table_[page].set_may_differ(true);
    }
  }
}

AtomicResult WatchedMemory::perform(const AtomicRequest& request) {
  require_in_region(request.where.page());
  hold_same_twin(request.where.page());
  return perform_atomic(request, region_.runtime_address(request.where).pointer());
}

// Where the twin of these bytes is; null if the page's contents will be its twin.
std::byte* WatchedMemory::twin_of(GlobalOffset where, std::size_t size) {
  const PageIndex page = where.page();
  WEFT_ASSERT(where.within_page() + size <= kPageBytes, "a patch crosses page {}", page.value());
  if (table_[page].twin() == TwinKind::kInitial) hold_twin(page, region_.initial_contents(page));
  if (table_[page].twin() != TwinKind::kHeld) return nullptr;
  return twins_.contents(table_[page].slot()) + where.within_page();
}

void WatchedMemory::merge(const AtomicRequest& request) {
  std::byte* const twin = twin_of(request.where, request.size);
  if (twin != nullptr) (void)perform_atomic(request, twin);
  (void)perform_atomic(request, region_.runtime_address(request.where).pointer());
}

bool WatchedMemory::patch(GlobalOffset where, ByteView expected, ByteView bytes) {
  AtomicRequest exchange;
  exchange.size = static_cast<std::uint8_t>(bytes.size());
  exchange.operation = AtomicOperation::kCompareExchange;
  std::ranges::copy(expected, exchange.expected);
  std::ranges::copy(bytes, exchange.operand);
  const AtomicResult result = perform_atomic(exchange, region_.runtime_address(where).pointer());
  if (!std::ranges::equal(expected, ByteView(result.before).first(expected.size()))) return false;
  // What a thread writes from here on differs from the twin, as it should.
  std::byte* const twin = twin_of(where, bytes.size());
  if (twin != nullptr) std::ranges::copy(bytes, twin);
  return true;
}

MemoryCounters WatchedMemory::counters() const {
  MemoryCounters counters = counters_;
  counters.twins_held = twins_.used();
  counters.resident_bytes = resident_bytes();
  return counters;
}

}  // namespace weft

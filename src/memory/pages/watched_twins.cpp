// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WatchedMemory's twins, the diffs that other nodes have made of theirs, and the memory that twins
// and the region take.
#include <fmt/format.h>

#include "base/peers/sender.hpp"
#include "memory/diffs/diff.hpp"
#include "memory/pages/watched_memory.hpp"
#include "memory/twins/copy_page.hpp"

namespace weft {
namespace {

[[noreturn]] void fail_unreadable_diff(PageIndex page, ByteView diff) {
  fail_unreadable(fmt::format("a diff for page {}", page.value()), diff.size());
}

}  // namespace

void WatchedMemory::set_twins(PageRange pages, Twin twin, bool sealed) {
  for (PageIndex page = pages.first; page < pages.end(); ++page) {
    // What an initial twin is kept for may have been written before.
    table_[page].set_may_differ(twin == Twin::kInitial || twin == Twin::kUnlike);
    if (twin == Twin::kPresent && !traps() && !sealed) {
      hold_twin(page, region_.page_pointer(page));
      continue;
    }
    release_twin(page);
    if (twin == Twin::kPresent) table_[page].set_twin(TwinKind::kSame);
    if (twin == Twin::kInitial) table_[page].set_twin(TwinKind::kInitial);
    if (twin == Twin::kUnlike) table_[page].set_twin(TwinKind::kUnlike);
  }
}

bool WatchedMemory::seal(PageRange pages) {
  if (!watcher_->traits().seals) return false;
  if (sealed_.contains(pages)) return true;
  const PageRange all = sealed_.to_seal(pages, [this](PageIndex page) {
    return page.value() < table_.page_count() && table_[page].access() == Access::kAbsent;
  });
  if (all.count == 0) return false;
  require(watcher_->seal(all));
  sealed_.seal(all);
  return true;
}

bool WatchedMemory::open_sealed(PageRange pages) {
  if (!watcher_->traits().seals) return false;
  const std::vector<PageRange> opened = sealed_.open(pages);
  for (const PageRange& range : opened) {
    for (PageIndex page = range.first; page < range.end(); ++page) {
      if (table_[page].twin() == TwinKind::kSame) hold_twin(page, region_.page_pointer(page));
    }
    require(watcher_->unseal(range));
    quiet_.note_opened(range);
  }
  return !opened.empty();
}

void WatchedMemory::unseal(PageRange pages) {
  for (const PageRange& range : sealed_.take(pages)) {
    require(watcher_->unseal(range));
    quiet_.note_opened(range);
  }
}

bool WatchedMemory::may_seal_later(PageIndex page) const {
  return paused_ && watcher_->traits().seals && table_[page].twin() == TwinKind::kUnlike &&
         table_[page].access() == Access::kTracked;
}

void WatchedMemory::seal_own_twins(PageRange pages) {
  table_.for_each_run(pages, [this](PageRange run, Access access) {
    if (access != Access::kTracked) return;
    if (run.count >= SealedPages::kWorthwhilePages && sealed_.has_room()) {
      require(watcher_->seal(run));
      return sealed_.seal(run);
    }
    for (PageIndex page = run.first; page < run.end(); ++page) {
      if (table_[page].twin() == TwinKind::kSame) hold_twin(page, region_.page_pointer(page));
    }
  });
}

void WatchedMemory::hold_twin(PageIndex page, const std::byte* contents) {
  AccessWord& word = table_[page];
  if (word.twin() != TwinKind::kHeld) {
    const auto slot = twins_.take();
    if (!slot.ok()) require(Failure{slot.error()});
    word.set_twin(TwinKind::kHeld, slot.value());
  }
  copy_page_aside(twins_.contents(word.slot()), contents);
}

void WatchedMemory::release_twin(PageIndex page) {
  AccessWord& word = table_[page];
  if (word.twin() == TwinKind::kHeld) twins_.give_back(word.slot());
  word.set_twin(TwinKind::kNone);
}

// The page is about to leave its twin behind.
void WatchedMemory::hold_same_twin(PageIndex page) {
  table_[page].set_may_differ(true);
  if (table_[page].twin() == TwinKind::kSame) hold_twin(page, region_.page_pointer(page));
}

const std::byte* WatchedMemory::twin_of(PageIndex page) const {
  const AccessWord word = table_[page];
  return word.twin() == TwinKind::kHeld ? twins_.contents(word.slot())
                                        : region_.initial_contents(page);
}

std::uint64_t WatchedMemory::resident_bytes() const {
  return region_.resident_bytes() + twins_.used() * kPageBytes;
}

// `pages` more pages of memory are about to be taken (at most: some may be there already).
void WatchedMemory::make_room(std::uint64_t pages) {
  if (options_.limit_bytes == 0) return;
  const std::uint64_t needed = pages * kPageBytes;
  if (resident_bytes() + needed <= options_.limit_bytes / 8 * 7) return;
  give_dropped_back();
  const std::uint64_t used = resident_bytes();
  if (used > options_.limit_bytes) {
    require(Failure{fmt::format(
        "shared memory is exhausted: this node uses {} MiB of the {} MiB that it may use. Run on "
        "more nodes, or raise the limit",
        used >> 20, options_.limit_bytes >> 20)});
  }
}

void WatchedMemory::give_dropped_back() {
  for (const PageRange& range : dropped_.ranges()) {
    require(region_.discard(range));
    counters_.pages_given_back += range.count;
  }
  dropped_.clear();
  twins_.trim();
}

WatchedMemory::Shortage WatchedMemory::shortage() {
  const std::uint64_t eighth = options_.limit_bytes / 8;
  if (options_.limit_bytes == 0 || resident_bytes() <= 6 * eighth) return {};
  give_dropped_back();
  const std::uint64_t used = resident_bytes();
  if (used <= 6 * eighth) return {};
  // Where the twin is copied when tracking starts, each page takes twice its size.
  const std::uint64_t bytes_each = traps() ? kPageBytes : 2 * kPageBytes;
  return {(used - 5 * eighth) / bytes_each + 1, used > 7 * eighth - eighth / 2};
}

// What another node has sent is written there.
void WatchedMemory::require_in_region(PageIndex page) const {
  if (page.value() < table_.page_count()) return;
  fail_unreadable(
      fmt::format("page {} of a region of {} pages", page.value(), table_.page_count()));
}

void WatchedMemory::apply_diff(PageIndex page, ByteView diff) {
  require_in_region(page);
  hold_same_twin(page);
  const bool good = weft::apply_diff(diff, region_.page_pointer(page));
  if (!good) fail_unreadable_diff(page, diff);
}

void WatchedMemory::patch_diff(PageIndex page, ByteView diff) {
  require_in_region(page);
  std::byte* const twin = twin_of(GlobalOffset(page.value() * kPageBytes), kPageBytes);
  std::byte* const contents = region_.page_pointer(page);
  const bool good =
      (twin == nullptr || weft::apply_diff(diff, twin)) && weft::apply_diff(diff, contents);
  if (!good) fail_unreadable_diff(page, diff);
}

}  // namespace weft

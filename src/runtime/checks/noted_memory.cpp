// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checks/noted_memory.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "protocol/pages/page_runs.hpp"

namespace weft {

// --- what was noted ---

std::vector<PageIndex> NotedMemory::copies(PageIndex from, std::size_t most) const {
  std::vector<PageIndex> pages;
  for (const PageRange& range : copies_.ranges()) {
    for (PageIndex page = std::max(range.first, from); page < range.end(); ++page) {
      if (pages.size() == most) return pages;
      pages.push_back(page);
    }
  }
  return pages;
}

std::string NotedMemory::described(const Event& event) {
  static constexpr std::array kActs = {"mapped",        "taken away",      "installed",
                                       "found written", "diff made",       "diff applied",
                                       "patched",       "atomic operation"};
  const char* const act = kActs[static_cast<std::size_t>(event.act)];
  const Cause& cause = event.cause;
  if (!cause.message) return fmt::format("{} in epoch {}", act, cause.epoch.value());
  return fmt::format("{} by {} of node {} in epoch {}", act, message_name(*cause.message),
                     cause.from.value(), cause.epoch.value());
}

std::string NotedMemory::history(PageIndex page) const {
  const auto known = events_.find(page);
  if (known == events_.end()) return "never touched by the protocol";
  std::string text;
  for (const Event& event : known->second) {
    text += (text.empty() ? "" : ", ") + described(event);
  }
  return text;
}

void NotedMemory::note(PageIndex page, Act act) {
  std::deque<Event>& events = events_[page];
  events.push_back({act, cause_});
  if (events.size() > kEvents) events.pop_front();
}

void NotedMemory::note_all(PageRange pages, Act act) {
  for (PageIndex page = pages.first; page < pages.end(); ++page) note(page, act);
}

void NotedMemory::note_access(PageRange pages, bool is_copy) {
  if (is_copy) {
    copies_.insert(pages);
  } else {
    copies_.erase(pages);
  }
}

void NotedMemory::note_written(const PageSet& pages) {
  for (const PageRange& range : pages.ranges()) note_all(range, Act::kWritten);
}

// --- PageMemory ---

void NotedMemory::map_tracked(PageRange pages, Twin twin) {
  note_access(pages, twin != Twin::kNone);
  note_all(pages, Act::kMapped);
  inner_.map_tracked(pages, twin);
}

// A page whose twin is unlike it is no copy that could be compared with another.
void NotedMemory::map_written(PageRange pages, Twin twin) {
  note_access(pages, twin == Twin::kInitial);
  note_all(pages, Act::kMapped);
  inner_.map_written(pages, twin);
}

void NotedMemory::map_untracked(PageRange pages) {
  note_access(pages, false);
  note_all(pages, Act::kMapped);
  inner_.map_untracked(pages);
}

void NotedMemory::start_tracking(PageRange pages, Twin twin) {
  note_access(pages, twin != Twin::kNone);
  inner_.start_tracking(pages, twin);
}

void NotedMemory::unmap(PageRange pages) {
  note_access(pages, false);
  note_all(pages, Act::kTakenAway);
  inner_.unmap(pages);
}

void NotedMemory::drop(PageRange pages) {
  note_access(pages, false);
  inner_.drop(pages);
}

void NotedMemory::collect_written(PageRange pages, PageSet& written) {
  PageSet found;
  inner_.collect_written(pages, found);
  note_written(found);
  written.insert(found);
}

void NotedMemory::collect_at_rest(std::span<const PageRange> stretches, PhaseKey phase,
                                  PageSet& written) {
  PageSet found;
  inner_.collect_at_rest(stretches, phase, found);
  note_written(found);
  written.insert(found);
}

void NotedMemory::install(PageIndex page, ByteView contents) {
  note(page, Act::kInstalled);
  inner_.install(page, contents);
}

std::span<std::byte> NotedMemory::room(PageRange absent) {
  for_each_page(absent, [&](PageIndex page) { note(page, Act::kInstalled); });
  return inner_.room(absent);
}

Bytes NotedMemory::make_diff(PageIndex page) {
  Bytes diff = inner_.make_diff(page);
  if (!diff.empty()) note(page, Act::kDiffMade);
  return diff;
}

bool NotedMemory::append_diff(PageIndex page, Bytes& out) {
  const bool differs = inner_.append_diff(page, out);
  if (differs) note(page, Act::kDiffMade);
  return differs;
}

void NotedMemory::apply_diff(PageIndex page, ByteView diff) {
  note(page, Act::kDiffApplied);
  inner_.apply_diff(page, diff);
}

void NotedMemory::patch_diff(PageIndex page, ByteView diff) {
  note(page, Act::kPatched);
  inner_.patch_diff(page, diff);
}

AtomicResult NotedMemory::perform(const AtomicRequest& request) {
  note(request.where.page(), Act::kAtomic);
  return inner_.perform(request);
}

void NotedMemory::merge(const AtomicRequest& request) {
  note(request.where.page(), Act::kAtomic);
  inner_.merge(request);
}

bool NotedMemory::patch(GlobalOffset where, ByteView expected, ByteView bytes) {
  note(where.page(), Act::kPatched);
  return inner_.patch(where, expected, bytes);
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hints/hints.hpp"

#include <mutex>

#include "base/locks/lock_ids.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/compiled_code/page_portions.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/hints/parts.hpp"
#include "runtime/hints/waiting_hints.hpp"
#include "runtime/interface/hint_counts.hpp"

namespace weft {
namespace {

constinit SignalSafeMutex mutex;
WaitingHints waiting;                   // guarded by it
std::uint64_t losses_seen = 0;          // by standing hints; likewise
std::atomic<bool> region_spans{false};  // nodes, and has begun here

NodeThreads threads_of(const Node& node) { return {node.node_count(), node.threads_per_node()}; }

std::vector<PageRange> pages_of(const Node& node, const std::vector<ByteRange>& bytes) {
  std::vector<PageRange> pages;
  for (const ByteRange& each : bytes) pages.push_back(shared_pages(node, each.first, each.end));
  return pages;
}

void bring(Node& node, const std::vector<PageRange>& pages, MemoryUse use) {
  std::uint64_t brought = 0;
  PagePortions portions(most_pages_to_ask_for(node), [&](const std::vector<PageRange>& some) {
    brought += node.prefetch(some, use);
  });
  for (const PageRange& range : pages) portions.add(range);
  portions.end();
  hint_counts.pages_brought += brought;
}

// Stores what is there. Nobody sees that, not even a thread that stores there at the same time.
void touch(std::uintptr_t address) {
  static const volatile unsigned char nothing = 0;  // a constant would make it a load
  __atomic_fetch_or(reinterpret_cast<unsigned char*>(address), nothing, __ATOMIC_RELAXED);
}

// To the protocol this node writes the pages, and most of each. If nobody else does before the next
// barrier, their homes go here.
void claim(Node& node, const std::vector<ByteRange>& bytes) {
  const std::vector<PageRange> pages = pages_of(node, bytes);
  bring(node, pages, MemoryUse::kReplaces);
  for (const PageRange& range : pages) node.fetch(range);
  for (const ByteRange& each : bytes) {
    for (std::uintptr_t at = each.first; at < each.end;
         at = at / kPageBytes * kPageBytes + kPageBytes) {
      touch(at);
    }
  }
  for (const PageRange& range : pages) hint_counts.pages_claimed += range.count;
}

// The variable is a lock of one kind, and its names of other kinds are never taken.
void let_migrate(Node& node, const Hint& hint) {
  const std::vector<PageRange> pages = pages_of(node, {{hint.first, hint.end()}});
  const auto* const variable = reinterpret_cast<const void*>(hint.lock);
  for (const LockKind kind :
       {LockKind::kCritical, LockKind::kLock, LockKind::kNestLock, LockKind::kMutex}) {
    node.expect_with(lock_of(kind, variable), pages);
  }
}

void perform(Node& node, const Hint& hint) {
  if (hint.kind == HintKind::kGather && node.self() != NodeId(0)) return;
  ++hint_counts.performed;
  switch (hint.kind) {
    case HintKind::kBroadcast:
    case HintKind::kGather:
    case HintKind::kAllToAll:
    case HintKind::kReadMostly:
      return bring(node, pages_of(node, {{hint.first, hint.end()}}), MemoryUse::kLoads);
    case HintKind::kScatter:
      return bring(node, pages_of(node, part_of(hint, node.self(), threads_of(node))),
                   MemoryUse::kLoads);
    case HintKind::kHome:
      return claim(node, home_part_of(hint, node.self(), threads_of(node)));
    case HintKind::kPrivateAfterInit:
      return bring(node, pages_of(node, {{hint.first, hint.end()}}), MemoryUse::kOwns);
    case HintKind::kMigrate:
      return let_migrate(node, hint);
  }
}

void note_waiting() { detail::hints_wait.store(!waiting.empty(), std::memory_order_relaxed); }

// `take`: of the waiting hints, those that are due.
template <typename Take>
void perform_due(Node& node, Take take) {
  std::vector<Hint> due;
  {
    const std::lock_guard guard(mutex);
    due = take();
    const std::uint64_t losses = node.access_losses();
    if (losses != losses_seen)
      due.insert(due.end(), waiting.standing().begin(), waiting.standing().end());
    losses_seen = losses;
    note_waiting();
  }
  for (const Hint& hint : due) perform(node, hint);
}

}  // namespace

void say_hint(Node& node, const Hint& hint) {
  // Where the program has threads of its own, there may never be a region.
  const bool in_region = region_spans.load() || node.has_outside_threads();
  bool is_due = false;
  {
    const std::lock_guard guard(mutex);
    is_due = waiting.say(hint, in_region);
    note_waiting();
  }
  if (is_due) perform(node, hint);
}

void say_hint_for_all(Node& node, const Hint& hint) {
  if (node.self() != NodeId(0)) return;
  const std::lock_guard guard(mutex);
  (void)waiting.say(hint, /*in_region=*/false);
}

void forget_hints(std::uintptr_t first, std::uintptr_t end) {
  const std::lock_guard guard(mutex);
  waiting.forget(first, end);
  note_waiting();
}

std::vector<Hint> hints_to_publish() {
  const std::lock_guard guard(mutex);
  return waiting.take_published();
}

HintedRegion::HintedRegion(Node& node, std::span<const Hint> published) {
  region_spans = true;
  if (published.empty() && !detail::hints_wait.load(std::memory_order_relaxed)) return;
  perform_due(node, [&] { return waiting.begin_region(published); });
}

HintedRegion::~HintedRegion() { region_spans = false; }

void detail::perform_waiting_hints(Node& node) {
  perform_due(node, [] { return waiting.pass_barrier(); });
}

}  // namespace weft

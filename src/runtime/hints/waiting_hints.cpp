// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hints/waiting_hints.hpp"

#include <algorithm>
#include <utility>

namespace weft {

bool WaitingHints::add(Hints& hints, const Hint& hint) {
  if (std::ranges::find(hints, hint) != hints.end()) return false;
  if (hints.size() == kMost) hints.erase(hints.begin());
  hints.push_back(hint);
  return true;
}

bool WaitingHints::say(const Hint& hint, bool in_region) {
  if (!in_region) {
    (void)add(for_region_, hint);
    return false;
  }
  if (waits_for_barrier(hint)) {
    (void)add(for_barrier_, hint);
    return false;
  }
  if (hint.kind == HintKind::kReadMostly) (void)add(standing_, hint);
  return add(said_, hint);
}

void WaitingHints::forget(std::uintptr_t first, std::uintptr_t end) {
  for (Hints* const hints : {&for_region_, &for_barrier_, &said_, &standing_}) {
    std::erase_if(*hints, [&](const Hint& hint) { return hint.overlaps(first, end); });
  }
}

std::vector<Hint> WaitingHints::take_published() { return std::exchange(for_region_, {}); }

std::vector<Hint> WaitingHints::begin_region(std::span<const Hint> published) {
  Hints due = pass_barrier();
  for (const Hint& hint : published) {
    if (waits_for_barrier(hint)) {
      (void)add(for_barrier_, hint);
      continue;
    }
    if (hint.kind == HintKind::kReadMostly && !add(standing_, hint)) continue;
    due.push_back(hint);
  }
  return due;
}

std::vector<Hint> WaitingHints::pass_barrier() {
  said_.clear();
  return std::exchange(for_barrier_, {});
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an engine counts, from its start, exactly; and what is said of each counter. The one table
// that `weft run --stats`, the exact costs of the simulator and docs/reference/counters.md come
// from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weft {

struct EngineCounters {
  // pages
  std::uint64_t faults = 0;
  std::uint64_t first_touches = 0;
  std::uint64_t pages_fetched = 0;
  std::uint64_t pages_read = 0;
  std::uint64_t fetch_requests = 0;
  std::uint64_t homes_asked = 0;
  std::uint64_t homes_asked_again = 0;
  std::uint64_t pages_served = 0;
  std::uint64_t fetch_retries = 0;
  std::uint64_t leaves_completed = 0;
  std::uint64_t pages_invalidated = 0;
  std::uint64_t pages_evicted = 0;
  std::uint64_t second_chances = 0;
  std::uint64_t homes_moved = 0;
  std::uint64_t homes_kept = 0;
  std::uint64_t homes_taken_over = 0;
  std::uint64_t pages_in_part = 0;
  std::uint64_t pages_overwritten = 0;
  std::uint64_t prefetches = 0;
  std::uint64_t prefetches_useful = 0;
  std::uint64_t pages_prefetched = 0;

  // writes
  std::uint64_t intervals_closed = 0;
  std::uint64_t notices_sent = 0;
  std::uint64_t collections = 0;
  std::uint64_t records_dropped = 0;
  std::uint64_t records_most = 0;
  std::uint64_t diffs_made = 0;
  std::uint64_t diff_bytes = 0;
  std::uint64_t pages_committed = 0;
  std::uint64_t diffs_applied = 0;
  std::uint64_t diffs_carried = 0;
  std::uint64_t updates_sent = 0;
  std::uint64_t updates_held = 0;
  std::uint64_t updates_deferred = 0;
  std::uint64_t updates_demanded = 0;
  std::uint64_t releases_sent = 0;
  std::uint64_t recalls_sent = 0;

  // pushing
  std::uint64_t pages_pushed = 0;
  std::uint64_t pushes_sent = 0;
  std::uint64_t pushes_taken = 0;
  std::uint64_t pushes_refused = 0;
  std::uint64_t pushes_late = 0;
  std::uint64_t pushes_held = 0;
  std::uint64_t pushes_unused = 0;

  // synchronisation
  std::uint64_t barriers = 0;
  std::uint64_t empty_barriers = 0;
  std::uint64_t contributions_met = 0;
  std::uint64_t empty_publications = 0;
  std::uint64_t contributions_sent = 0;
  std::uint64_t trees_shaped = 0;
  std::uint64_t publications = 0;
  std::uint64_t posts_sent = 0;
  std::uint64_t fences = 0;
  std::uint64_t fences_alone = 0;
  std::uint64_t lock_local_grants = 0;
  std::uint64_t lock_remote_requests = 0;
  std::uint64_t lock_grants_sent = 0;
  std::uint64_t rights_lent = 0;
  std::uint64_t rights_recalled = 0;
  std::uint64_t rights_given_back = 0;
  std::uint64_t sections_added = 0;
  std::uint64_t locks_moved = 0;
  std::uint64_t pages_bound = 0;
  std::uint64_t pages_carried = 0;
  std::uint64_t carried_taken = 0;
  std::uint64_t carried_refused = 0;
  std::uint64_t carried_unused = 0;
  std::uint64_t atomics_local = 0;
  std::uint64_t atomics_remote = 0;
  std::uint64_t atomics_direct = 0;
  std::uint64_t loads_shown = 0;
  std::uint64_t words_told = 0;
  std::uint64_t atomics_merged = 0;
  std::uint64_t stores_unanswered = 0;
  std::uint64_t loads_kept = 0;
  std::uint64_t hurries_sent = 0;

  // messages
  std::uint64_t messages_sent = 0;
  std::uint64_t message_bytes = 0;

  EngineCounters& operator+=(const EngineCounters& more);
};

struct CounterInfo {
  std::uint64_t EngineCounters::* value;
  std::string_view name, group;
  std::string_view unit;     // of what it counts
  std::string_view meaning;  // reads on from the unit
};

// Each counter once, those of one group together.
[[nodiscard]] std::span<const CounterInfo> engine_counters();

}  // namespace weft

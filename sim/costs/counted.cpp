// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/costs/counted.hpp"

#include <fmt/format.h>

#include <utility>

namespace weft::sim::costs {
namespace {

using Counter = std::uint64_t EngineCounters::*;

#define WEFT_COUNTER(name) {#name, &EngineCounters::name}
constexpr std::pair<const char*, Counter> kCounters[] = {
    WEFT_COUNTER(faults),
    WEFT_COUNTER(first_touches),
    WEFT_COUNTER(pages_fetched),
    WEFT_COUNTER(fetch_requests),
    WEFT_COUNTER(homes_asked),
    WEFT_COUNTER(homes_asked_again),
    WEFT_COUNTER(pages_served),
    WEFT_COUNTER(fetch_retries),
    WEFT_COUNTER(pages_invalidated),
    WEFT_COUNTER(pages_evicted),
    WEFT_COUNTER(second_chances),
    WEFT_COUNTER(diffs_made),
    WEFT_COUNTER(diff_bytes),
    WEFT_COUNTER(diffs_applied),
    WEFT_COUNTER(updates_sent),
    WEFT_COUNTER(intervals_closed),
    WEFT_COUNTER(notices_sent),
    WEFT_COUNTER(homes_moved),
    WEFT_COUNTER(homes_kept),
    WEFT_COUNTER(homes_taken_over),
    WEFT_COUNTER(barriers),
    WEFT_COUNTER(trees_shaped),
    WEFT_COUNTER(publications),
    WEFT_COUNTER(posts_sent),
    WEFT_COUNTER(contributions_sent),
    WEFT_COUNTER(fences),
    WEFT_COUNTER(pages_pushed),
    WEFT_COUNTER(pushes_sent),
    WEFT_COUNTER(pushes_taken),
    WEFT_COUNTER(pushes_refused),
    WEFT_COUNTER(pushes_late),
    WEFT_COUNTER(pushes_held),
    WEFT_COUNTER(pushes_unused),
    WEFT_COUNTER(lock_local_grants),
    WEFT_COUNTER(lock_remote_requests),
    WEFT_COUNTER(lock_grants_sent),
    WEFT_COUNTER(pages_carried),
    WEFT_COUNTER(carried_taken),
    WEFT_COUNTER(carried_refused),
    WEFT_COUNTER(carried_unused),
    WEFT_COUNTER(updates_held),
    WEFT_COUNTER(diffs_carried),
    WEFT_COUNTER(updates_deferred),
    WEFT_COUNTER(updates_demanded),
    WEFT_COUNTER(pages_bound),
    WEFT_COUNTER(locks_moved),
    WEFT_COUNTER(pages_in_part),
    WEFT_COUNTER(releases_sent),
    WEFT_COUNTER(recalls_sent),
    WEFT_COUNTER(atomics_local),
    WEFT_COUNTER(atomics_remote),
    WEFT_COUNTER(atomics_merged),
    WEFT_COUNTER(messages_sent),
    WEFT_COUNTER(message_bytes),
};
#undef WEFT_COUNTER
static_assert(std::size(kCounters) == sizeof(EngineCounters) / sizeof(std::uint64_t),
              "each counter of the engine is to have its name here");

}  // namespace

void Counted::add(const EngineCounters& counters) {
  for (const auto& [name, counter] : kCounters) add(name, counters.*counter);
}

Counted Counted::since(const Counted& before) const {
  Counted rest = *this;
  for (const auto& [name, number] : before.numbers_) rest.numbers_[name] -= number;
  return rest;
}

std::string Counted::text() const {
  std::string text;
  for (const auto& [name, number] : numbers_) {
    if (number == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, number);
  }
  return text;
}

}  // namespace weft::sim::costs

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node says about itself at the end, if it is asked to (docs/reference/counters.md).
#include <fmt/format.h>

#include "runtime/driver.hpp"

namespace weft {
namespace {

std::string describe_pages(const EngineCounters& c) {
  return fmt::format(
      "faults {}, first touches {}, pages fetched {} in {} requests, served {}, invalidated {}, "
      "evicted {}, second chances {}; diffs {} of {} bytes, updates {}; intervals {}, releases {} "
      "recalls {}, homes moved {} kept {} asked {}",
      c.faults, c.first_touches, c.pages_fetched, c.fetch_requests, c.pages_served,
      c.pages_invalidated, c.pages_evicted, c.second_chances, c.diffs_made, c.diff_bytes,
      c.updates_sent, c.intervals_closed, c.releases_sent, c.recalls_sent, c.homes_moved,
      c.homes_kept, c.homes_asked);
}

std::string describe_kinds(const PagesByKind& pages) {
  std::string text = "homed here";
  for (std::size_t kind = 0; kind < pages.size(); ++kind) {
    text += fmt::format("{} {} {}", kind == 0 ? "" : ",", pages[kind], kPageKindNames[kind]);
  }
  return text;
}

std::string describe_pushes(const EngineCounters& c) {
  return fmt::format("pushed {} in {}, taken {}, refused {}, late {}, held back {}, unused {}",
                     c.pages_pushed, c.pushes_sent, c.pushes_taken, c.pushes_refused, c.pushes_late,
                     c.pushes_held, c.pushes_unused);
}

std::string describe_synchronisation(const EngineCounters& c) {
  return fmt::format(
      "barriers {} with {} contributions, publications {}, posts {}, flushes {}; lock requests {}, "
      "local "
      "grants {}, pages carried {}, taken {}, refused {}, unused {}; atomics {} here, {} remote, "
      "{} merged",
      c.barriers, c.contributions_sent, c.publications, c.posts_sent, c.fences,
      c.lock_remote_requests, c.lock_local_grants, c.pages_carried, c.carried_taken,
      c.carried_refused, c.carried_unused, c.atomics_local, c.atomics_remote, c.atomics_merged);
}

}  // namespace

std::string Driver::statistics() const {
  const EngineCounters& engine = engine_.counters();
  const TransportCounters& transport = parts_.transport->counters();
  return fmt::format("weft: node {}: {}; {}; {}; {}; messages {} control {} data, bytes {} + {}\n",
                     self().value(), describe_pages(engine),
                     describe_kinds(engine_.pages_by_kind()), describe_pushes(engine),
                     describe_synchronisation(engine), transport.messages_sent[0],
                     transport.messages_sent[1], transport.bytes_sent[0], transport.bytes_sent[1]);
}

}  // namespace weft
